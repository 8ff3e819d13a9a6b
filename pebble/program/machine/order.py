"""The order of the places that make a difference to a round: while it stays, rounds are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.machine.configuration import Configuration
    from pebble.program.machine.rules import Machine
    from pebble.program.machine.stretches import Stretch, TileGrid
    from pebble.program.nodes import Interval, Loop

__all__ = ["Order"]


class Order:
    """The places of the rounds of one stretch of a loop's tiles.

    Parameters
    ----------
    machine : Machine
    node : Loop
    whole : (int, int)
        What the loop runs over.
    stretch : Stretch
    grids : list of TileGrid
        Where the tiles of the mask's other axis begin, inside the loop.

    Attributes
    ----------
    lengths : dict of str to int
        How far what moves moves in a round, on each axis of the mask.
    """

    def __init__(
        self, machine: Machine, node: Loop, whole: Interval, stretch: Stretch, grids: list[TileGrid]
    ) -> None:
        family = machine.family
        assert family.mask is not None
        self.mask, self.extent = family.mask, family.extents[node.axis]
        self.node, self.whole, self.stretch = node, whole, stretch
        self.axis, self.other = node.axis, OTHER_AXIS[node.axis]
        assert stretch.part is not None
        length = stretch.round * node.tile
        moved = length // stretch.part.lines * stretch.part.partners if any(stretch.part.moves) else 0
        self.lengths = {self.axis: length, self.other: moved}
        self.grids = {
            self.axis: [(0, 1)],
            self.other: [(0, 1), *((grid.start, grid.tile) for grid in grids)],
        }
        self.fixed = {
            axis: [0, family.extents[axis], *self.mask.presence_changes(axis)] for axis in family.masked_axes
        }
        self.fixed[self.other] += [place for grid in grids for place in (grid.start, grid.stop)]
        for label, visit in machine.visits.items():
            if label == node.label:
                continue  # where this loop was last
            if visit.axis in self.fixed:
                self.fixed[visit.axis] += [*visit.tile, *visit.whole]
            if visit.axis == self.axis:
                self._fix_partners([*visit.tile, *visit.whole])
        self.fixed[self.axis] += whole
        self._fix_partners(list(whole))
        for axis, tile in machine.tiles.items():
            if axis in self.fixed and axis != self.axis:
                self.fixed[axis] += tile

    def stays(self, number: int, now: Configuration, last: int, then: Configuration) -> bool:
        """Whether all places are in the same order at two rounds, tiles being the measure, and move as they must.

        Parameters
        ----------
        number, last : int
            The rounds.
        now, then : Configuration
            The states before them.
        """
        here, there = self._places(number, now), self._places(last, then)
        for axis, before in here.items():
            after = there[axis]
            # Places that move must take tiles to tiles.
            may_move = all(self.lengths[axis] % tile == 0 for _, tile in self.grids[axis])
            if not np.isin(after - before, (0, may_move * self.lengths[axis] * (last - number))).all():
                return False
            for start, tile in self.grids[axis]:
                for shift in (0, 1):
                    if not _same_order((before - shift - start) // tile, (after - shift - start) // tile):
                        return False
        return self._within_part(now, then)

    def behind(self, start: int, stop: int) -> dict[str, Interval]:
        """Return the lines of both axes that tiles from ``start`` to ``stop`` have left behind."""
        low, high = self._partners(np.asarray([start, stop]))[0].tolist()
        return {self.axis: (start, stop), self.other: (low, high)}

    def _fix_partners(self, places: list[int]) -> None:
        """Note where the partners of the lines at fixed places of the loop's axis begin and end."""
        for found in self._partners(_whole(places)):
            self.fixed[self.other] += found.tolist()

    def _partners(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the partners of the lines from a place on begin, and where those of the lines before it end."""
        behind = self.mask.first_of(self.axis, np.minimum(places, self.extent - 1))
        before = self.mask.last_of(self.axis, np.maximum(places - 1, 0)) + 1
        return (
            np.where(places < self.extent, behind, self.mask.extents[self.other]),
            np.where(places > 0, before, 0),
        )

    def _within_part(self, now: Configuration, then: Configuration) -> bool:
        """Whether the places that chains over the loop's axis move through follow the rule of the mask."""
        part = self.stretch.part
        assert part is not None
        return all(
            one == two or (part.start < one and two < part.stop)
            for one, two in zip(now.progress[self.axis], then.progress[self.axis], strict=True)
        )

    def _places(self, number: int, now: Configuration) -> dict[str, NDArray[np.int64]]:
        """Return all places that may make a difference to a round, axis by axis."""
        first = self.stretch.first + number * self.stretch.round
        tiles = np.arange(first, first + self.stretch.round + 1, dtype=np.int64)
        own = np.concatenate([self.whole[0] + self.node.tile * tiles, _whole(now.progress[self.axis])])
        begins, ends = self._partners(np.maximum(own, 0))
        return {
            self.axis: np.concatenate([own, _whole(now.cuts[self.axis]), _whole(self.fixed[self.axis])]),
            self.other: np.concatenate(
                [
                    begins,
                    ends,
                    _whole(now.cuts[self.other]),
                    _whole(now.progress[self.other]),
                    _whole(self.fixed[self.other]),
                ]
            ),
        }


def _whole(places: list[int]) -> NDArray[np.int64]:
    return np.asarray(places, dtype=np.int64)


def _same_order(before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
    """Whether two lists of numbers have the same order, equal ones included."""
    order = np.lexsort((after, before))
    one, two = np.diff(before[order]), np.diff(after[order])
    return bool(((two >= 0) & ((one == 0) == (two == 0))).all())
