"""What one statement of a loop nest costs: its points, cut into segments of so many moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Statement
from pebble.lower_bounds.cutting import Cut, best_cut, best_start
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.growth import Growth
from pebble.lower_bounds.nests.lines import Atom
from pebble.lower_bounds.nests.mirrors import off_diagonals
from pebble.lower_bounds.nests.roles import Roles, once_only_roles, recomputing_roles
from pebble.lower_bounds.nests.segments import growth_of, input_atoms

__all__ = ["Share", "cut_by_growth", "shares", "sizes_to_try"]

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
        Loads of words of ``atoms``, not less than so many; with the outputs' stores they add up to I/O.
    atoms : frozenset of Atom
    once_only : bool
        Whether nothing may be computed twice.
    note : str
    """

    gain: int
    atoms: frozenset[Atom]
    once_only: bool
    note: str


def shares(elements: Elements, statement: Statement, M: int) -> Iterator[Share]:
    """Yield what the points of a statement cost, in every way that is known."""
    whole = elements.domains[elements.nest.statements.index(statement)]
    tried = sizes_to_try(M)
    found: list[tuple[int, int, Roles, Growth]] = []
    ways = dict.fromkeys((*recomputing_roles(elements, statement), *once_only_roles(elements, statement)))
    for points in dict.fromkeys((whole, off_diagonals(whole))):
        try:
            W = points.count()
        except BoundDoesNotApply:
            continue
        for roles in ways if W else ():
            growth = growth_of(elements, roles, points, tried)
            if growth is not None:
                about = (
                    max((T - M) * W // growth(T) for T in (2 * M, 3 * M, 4 * M, _LONGEST * M)) - roles.charge
                )
                found.append((about, W, roles, growth))
    found.sort(key=lambda one: -one[0])
    for once_only in (False, True):
        good = [one for one in found if one[2].once_only is once_only]
        for _, W, roles, growth in good[:_MOST_CUT]:
            cut = cut_by_growth(W, M, growth)
            atoms = roles.atoms | input_atoms(elements, roles)
            note = f"{statement.target}: {W:,} points, {cut}"
            yield Share(cut.moves - roles.charge, atoms, once_only, note)


def sizes_to_try(M: int) -> list[int]:
    """Return numbers of words for which segments should be bounded well."""
    return [max(3, (M << shift) * 3 // 2) for shift in (0, 1, 4, 8)]


def cut_by_growth(W: int, M: int, growth: Growth) -> Cut:
    """Return the best cutting of W points, T words allowing ``growth(T)`` of them."""

    def words(w: int) -> int:
        low, high = 0, M + 1
        while growth(high) < w:
            low, high = high, 2 * high
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if growth(middle) >= w else (middle + 1, high)
        return low

    starts = {best_start(M, growth, 1, _LONGEST * M), M, 2 * M, 3 * M}
    return max(best_cut(W, M, growth, words, start) for start in starts)
