"""Stencils that go to and fro between two arrays: laid into one grid, they are one stencil."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.nests.statement import Assignment
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.paths import only_maker
from pebble.lower_bounds.nests.projections import Share
from pebble.lower_bounds.nests.spreading import Steps, spread
from pebble.lower_bounds.nests.stencils import computed_set, moved, spread_growth, spread_shares, steps_to

__all__ = ["Alternation", "alternating_shares", "alternations"]

_Step = tuple[int, ...]


@dataclass(frozen=True)
class Alternation:
    """Two arrays whose elements are computed from each other's, at the same steps in a common grid.

    One coordinate is doubled: elements of the first array have even ones there, those of the second odd ones.

    Parameters
    ----------
    first, second : Assignment
        The only statements that compute the two arrays.
    there, back : frozenset of tuple of int
        How far behind an element of the first array those of the second lie that count; and the other way round.
    steps : frozenset of tuple of int
        The same steps in the common grid.
    """

    first: Assignment
    second: Assignment
    there: Steps
    back: Steps
    steps: Steps

    def border(self, elements: Elements) -> int | None:
        """Return how many elements of both are not read by all that the steps say; None if that is not known."""
        one, other = computed_set(elements, self.first), computed_set(elements, self.second)
        if one is None or other is None:
            return None
        total = 0
        for mine, readers, steps in ((one, other, self.back), (other, one, self.there)):
            inside = mine
            for step in steps:
                inside = inside.where(*moved(readers, step))
            total += mine.count() - inside.count()
        return total


def alternations(elements: Elements, statement: Assignment) -> Iterator[Alternation]:
    """Yield the best way to lay each array that is computed to and fro with a statement's into a grid with it."""
    array = statement.target.array
    if only_maker(elements, array) is not statement or any(
        len(p.terms) != 1 for p in statement.target.places
    ):
        return
    for other in dict.fromkeys(read.array for read in statement.reads if read.array > array):
        maker = only_maker(elements, other)
        if maker is None:
            continue
        there, back = steps_to(statement, other), steps_to(maker, array)
        found = [_laid(statement, maker, there, back, axis, apart) for axis, apart in _pairs(there, back)]
        if found:
            yield max(found, key=lambda one: spread(one.steps | {(0,) * len(next(iter(one.steps)))}))


def alternating_shares(elements: Elements, statement: Assignment, M: int) -> Iterator[Share]:
    """Yield what the elements of two such arrays cost together."""
    for one in alternations(elements, statement):
        growth, stored = spread_growth(one.steps), spread_growth(one.steps, linear=1)
        try:
            W = sum(
                elements.domains[elements.nest.statements.index(s)].count() for s in (one.first, one.second)
            )
            ahead = one.border(elements)
        except BoundDoesNotApply:
            continue
        if growth is not None and stored is not None and W:
            arrays = frozenset([one.first.target.array, one.second.target.array])
            note = f"{one.first.target} and {one.second.target}: {W:,} points, {len(one.steps)} steps"
            yield from spread_shares(elements, M, W, ahead, (growth, stored), arrays, note)


def _pairs(there: Steps, back: Steps) -> Iterator[tuple[int, _Step]]:
    """Yield how far apart two steps are that become one in the grid, and a coordinate in which that is odd."""
    for one, other in product(sorted(there), sorted(back)):
        apart = tuple(x - y for x, y in zip(one, other, strict=True))
        axis = next((at for at, by in enumerate(apart) if by % 2), None)
        if axis is not None:
            yield axis, apart


def _laid(
    first: Assignment, second: Assignment, there: Steps, back: Steps, axis: int, apart: _Step
) -> Alternation:
    """Return the grid in which two steps so far apart are the same, and the steps that are then in both.

    In coordinates twice as fine elements of the second array lie ``apart`` from those of the first. The coordinate
    ``axis``, which tells them apart, stays; the others are even, or even without it, and halved.
    """

    def placed(step: _Step, sign: int) -> _Step:
        fine = [2 * x + sign * by for x, by in zip(step, apart, strict=True)]
        return tuple(
            x if at == axis else (x - (fine[axis] if by % 2 else 0)) // 2
            for at, (x, by) in enumerate(zip(fine, apart, strict=True))
        )

    steps = frozenset(placed(one, -1) for one in there) & frozenset(placed(one, 1) for one in back)
    return Alternation(
        first,
        second,
        frozenset(one for one in there if placed(one, -1) in steps),
        frozenset(one for one in back if placed(one, 1) in steps),
        steps,
    )
