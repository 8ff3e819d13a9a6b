"""What one statement of a loop nest costs: its points, cut into segments of equally many moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Assignment
from pebble.lower_bounds.cutting import Cut, Events, best_cut, best_start
from pebble.lower_bounds.nests.affine_set import AffineSet
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.exponents import Growth
from pebble.lower_bounds.nests.roles import Atom, Roles, once_only_roles, recomputing_roles
from pebble.lower_bounds.nests.segments import (
    continued,
    growth_of,
    growth_of_separate,
    input_atoms,
    left_out,
    off_diagonals,
)

_LONGEST = 4096
"""The longest segments that are tried, in multiples of M."""

_MOST_CUT = 3
"""Of how many ways, those that look best, the cutting is looked for."""


@dataclass(frozen=True)
class Share:
    """What the loads of some words, and the stores that pay for begun lines, come to at least.

    Parameters
    ----------
    gain : int
        Loads of words of ``atoms``, at least this many; with the outputs' stores they add up to I/O.
    atoms : frozenset of Atom
    once_only : bool
        Whether nothing may be computed twice.
    note : str
    claim : mapping
        What another program needs to check it, as plain data.
    """

    gain: int
    atoms: frozenset[Atom]
    once_only: bool
    note: str
    claim: Mapping[str, Any] = field(default_factory=dict)


def shares(elements: Elements, statement: Assignment, M: int) -> Iterator[Share]:
    """Yield what the points of a statement cost, in every way that is known."""
    tried = [max(3, (M << shift) * 3 // 2) for shift in (0, 1, 4, 8)]
    found = [*_alone(elements, statement, tried), *_with_others(elements, statement, tried)]
    found.sort(key=lambda one: -one.about(M))
    for once_only in (False, True):
        good = [one for one in found if one.once_only is once_only]
        for one in good[:_MOST_CUT]:
            cut = cut_by_growth(one.W, M, one.growth)
            atoms = one.roles.atoms | input_atoms(elements, one.roles)
            note = f"{statement.target}: {one.W:,} points, {cut}"
            yield Share(cut.moves - one.charge, atoms, once_only, note, one.claim(elements, M, cut))


@dataclass(frozen=True)
class _Way:
    """A way to count this many points: at most ``growth(T)`` in a segment with T words."""

    W: int
    roles: Roles
    growth: Growth
    charge: int
    once_only: bool
    points: str = "all"
    other: Assignment | None = None

    def claim(self, elements: Elements, M: int, cut: Cut) -> dict[str, Any]:
        """Return what is claimed: which points and roles are counted, and the exponents of every case."""
        number = elements.nest.statements.index
        roles = [
            {
                "line": list(map(str, role.places)),
                "words": sorted(map(list, role.atoms)),
                "sum": None if role.sum_of is None else number(role.sum_of),
            }
            for role in self.roles.roles
        ]
        return {
            "argument": "projections",
            "statement": number(self.roles.statement),
            "other": None if self.other is None else number(self.other),
            "points": self.points,
            "once_only": self.once_only,
            "roles": roles,
            "cases": [term.facts for term in self.growth.least(max(M + cut.X, 1))],  # one segment has no X
            "X": cut.X,
        }

    def about(self, M: int) -> int:
        """Return what it comes to, nearly."""
        sizes = (2 * M, 3 * M, 4 * M, _LONGEST * M)
        return max((T - M) * self.W // self.growth(T) for T in sizes) - self.charge


def _alone(elements: Elements, statement: Assignment, tried: Sequence[int]) -> Iterator[_Way]:
    whole = elements.domains[elements.nest.statements.index(statement)]
    ways = _ways(elements, statement)
    for points in dict.fromkeys((whole, off_diagonals(whole))):
        W = _count(points)
        for roles in ways if W else ():
            growth = growth_of(elements, roles, points, tried)
            if growth is not None:
                kind = "all" if points == whole else "off diagonals"
                yield _Way(W, roles, growth, roles.charge, roles.once_only, kind)
    for roles in ways:
        yield from _separate(elements, roles, whole, tried)


def _separate(elements: Elements, roles: Roles, points: AffineSet, tried: Sequence[int]) -> Iterator[_Way]:
    """Yield the way without the points of which a word may serve two roles."""
    try:
        fewer = left_out(roles, points)
    except BoundDoesNotApply:
        return
    W = _count(points) - (fewer or 0)
    growth = growth_of_separate(elements, roles, tried) if fewer is not None and W > 0 else None
    if growth is not None:
        yield _Way(W, roles, growth, roles.charge, roles.once_only, "apart")


def _with_others(elements: Elements, statement: Assignment, tried: Sequence[int]) -> Iterator[_Way]:
    """Yield ways to count the points of two sums to the same elements as those of one."""
    nest = elements.nest
    at = nest.statements.index(statement)
    points, W = elements.domains[at], _count(elements.domains[at])
    for other, others in zip(nest.statements[at + 1 :], elements.domains[at + 1 :], strict=True):
        same = (other.target, other.indices) == (statement.target, statement.indices)
        if not (statement.adds and other.adds and same and points.where(*others.conditions).is_empty()):
            continue
        for first, second in product(_ways(elements, statement), _ways(elements, other)):
            together = continued(first, second) if first.once_only is second.once_only else None
            growth = growth_of(elements, first, points, tried, together) if together and W else None
            if growth is not None:
                charge = first.charge + second.charge
                yield _Way(W + _count(others), first, growth, charge, first.once_only, other=other)


def _ways(elements: Elements, statement: Assignment) -> tuple[Roles, ...]:
    ways = (*recomputing_roles(elements, statement), *once_only_roles(elements, statement))
    return tuple(dict.fromkeys(ways))


def _count(points: AffineSet) -> int:
    """Return the number of points; 0 if that is too much to count."""
    try:
        return points.count()
    except BoundDoesNotApply:
        return 0


def cut_by_growth(W: int, M: int, growth: Events) -> Cut:
    """Return the best cutting of W points, T words allowing ``growth(T)`` of them."""
    starts = {best_start(M, growth, 1, _LONGEST * M), M, 2 * M, 3 * M}
    return max(best_cut(W, M, growth, start) for start in starts)
