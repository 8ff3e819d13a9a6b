"""What one statement of a loop nest costs: its points, cut into segments of so many moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Statement
from pebble.lower_bounds.cutting import Cut, best_cut, best_start, least_words
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.growth import Growth
from pebble.lower_bounds.nests.lines import Atom
from pebble.lower_bounds.nests.roles import Roles, once_only_roles, recomputing_roles
from pebble.lower_bounds.nests.segments import growth_of, input_atoms

__all__ = ["Share", "cut_by_growth", "shares", "sizes_to_try"]

_LONGEST = 4096
"""The longest segments that are tried, in multiples of M."""


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
    try:
        W = elements.domains[elements.nest.statements.index(statement)].count()
    except BoundDoesNotApply:
        return
    if W == 0:
        return
    tried = sizes_to_try(M)
    for roles in (*recomputing_roles(elements, statement), *once_only_roles(elements, statement)):
        growth = growth_of(elements, roles, tried)
        if growth is not None:
            cut = cut_by_growth(W, M, growth)
            atoms = roles.atoms | input_atoms(elements, roles)
            note = f"{statement.target}: {W:,} points, {cut}"
            yield Share(cut.moves - roles.charge, atoms, roles.once_only, note)


def sizes_to_try(M: int) -> list[int]:
    """Return numbers of words for which segments should be bounded well."""
    return [max(3, (M << shift) * 3 // 2) for shift in range(0, 12, 2)]


def cut_by_growth(W: int, M: int, growth: Growth) -> Cut:
    """Return the best cutting of W points, T words allowing ``growth(T)`` of them."""

    def words(w: int) -> int:
        most = 4
        while growth(most) < w:
            most *= 2
        return least_words(growth, w, most)

    starts = {best_start(M, growth, 1, _LONGEST * M), M, 2 * M, 3 * M}
    return max(best_cut(W, M, growth, words, start) for start in starts)
