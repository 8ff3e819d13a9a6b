"""The order of the places that make a difference to a round: while it stays, rounds are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.block_lines import BlockLines
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.visits import partners

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Mask
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.configuration import Configuration
    from pebble.program.machine.stretches import Stretch, TileGrid
    from pebble.program.nodes import Interval, Loop

__all__ = ["Order"]

_PERIODS_APART = 3
"""Of places one of which moves: then between them there is a whole period, in which all that can be asked is found."""


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
    in_block : bool
        Whether the stretch lies inside of a block of the mask, whose lines' partners are told one by one.

    Attributes
    ----------
    lengths : dict of str to int
        How far what moves moves in a round, on each axis of the mask.
    """

    def __init__(
        self,
        machine: Machine,
        node: Loop,
        whole: Interval,
        stretch: Stretch,
        grids: list[TileGrid],
        in_block: bool = False,
    ) -> None:
        family = machine.family
        assert family.mask is not None
        assert stretch.part is not None
        self.extent = family.extents[node.axis]
        self.axis, self.other = node.axis, OTHER_AXIS[node.axis]
        self.mask: Mask | BlockLines = family.mask
        if in_block:
            assert isinstance(family.mask, BlockToeplitzMask)
            lines = [0, self.extent, *whole]
            lines += [place for visit in machine.visits.values() for place in visit.bounds()]
            partners_told = [0, family.extents[self.other]]
            partners_told += [place for grid in grids for place in (grid.start, grid.stop)]
            block = stretch.part.start // family.mask.period
            self.mask = BlockLines(family.mask, self.axis, block, lines, partners_told)
            part = stretch.part._replace(moves=self.mask.moves(stretch.part))
            stretch = stretch._replace(part=part)
        assert stretch.part is not None
        self.node, self.whole, self.stretch = node, whole, stretch
        self.moves = any(stretch.part.moves)
        length = stretch.round * node.tile
        moved = length // stretch.part.lines * stretch.part.partners if self.moves else 0
        self.lengths = {self.axis: length, self.other: moved}
        self.grids = {
            self.axis: [(0, 1)],
            self.other: sorted({(0, 1), *((grid.start, grid.tile) for grid in grids)}),
        }
        self._asked: tuple[int, Configuration | None, dict[str, NDArray[np.int64]]] = -1, None, {}
        self.inside = partners(node.axis, machine.tiles, family)
        self.fixed = {
            axis: [0, family.extents[axis], *self.mask.fixed_places(axis)] for axis in family.masked_axes
        }
        self.fixed[self.other] += [place for grid in grids for place in (grid.start, grid.stop)]
        for label, visit in machine.visits.items():
            # This loop's own is where it was last.
            fixed = machine.around.get(label) if label == node.label else visit
            if fixed is None:
                continue
            if fixed.axis in self.fixed:
                self.fixed[fixed.axis] += fixed.bounds()
            if fixed.axis == self.axis:
                self._fix_partners(list(fixed.bounds()))
        self.fixed[self.axis] += whole
        self._fix_partners(list(whole))

    def stays(self, number: int, now: Configuration, last: int, then: Configuration) -> bool:
        """Whether all places are in the same order at two rounds, tiles being the measure, and move as they must.

        Parameters
        ----------
        number, last : int
            The rounds.
        now, then : Configuration
            The states before them.
        """
        here, there = self._places_now(number, now), self._places(last, then)
        if isinstance(self.mask, BlockLines) and not self._are_told(self.mask, now, then):
            return False
        for axis, before in here.items():
            after = there[axis]
            # Places that move must take tiles to tiles.
            may_move = all(self.lengths[axis] % tile == 0 for _, tile in self.grids[axis])
            moved = after - before
            if not ((moved == 0) | (moved == may_move * self.lengths[axis] * (last - number))).all():
                return False
            if self.mask.period > 1 and not self._periods_apart(axis, before, after):
                return False
            for start, tile in self.grids[axis]:
                for shift in (0, 1):
                    if not _same_order((before - shift - start) // tile, (after - shift - start) // tile):
                        return False
        return self._within_part(now, then)

    def _are_told(self, mask: BlockLines, now: Configuration, then: Configuration) -> bool:
        """Whether the blocks are told that hold a place of two states, or a partner near a line that stays."""
        progress = zip(now.progress[self.axis], then.progress[self.axis], strict=True)
        return mask.tells_near({one for one, other in progress if one == other}) and all(
            mask.tells(_whole(state.cuts[self.other] + state.progress[self.other])) for state in (now, then)
        )

    def _periods_apart(self, axis: str, before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
        """Whether between places that move and others lie whole periods, and what moves stays in the part."""
        moving = before != after
        if not moving.any():
            return True
        part = self.stretch.part
        assert part is not None
        if axis == self.axis and not (
            part.start <= before[moving].min() and after[moving].max() <= part.stop
        ):
            return False
        for places in (before, after):
            periods = places // self.mask.period
            moved, others = np.unique(periods[moving]), np.unique(periods[~moving])
            near = np.searchsorted(others, [moved - _PERIODS_APART, moved + _PERIODS_APART - 1], side="right")
            if (near[0] < near[1]).any():
                return False
        return True

    def behind(self, start: int, stop: int) -> dict[str, Interval]:
        """Return the lines of both axes that tiles from ``start`` to ``stop`` have left behind."""
        assert self.stretch.part is not None
        if isinstance(self.mask, BlockLines):
            # Lines of later blocks see the partners again.
            return {self.axis: (start, stop), self.other: (0, 0)}
        places = np.minimum([start, stop], self.extent - 1)
        ends = self.mask.ends_of(self.axis, places)
        moves = np.array(self.stretch.part.moves[::2])
        begins, after = ends[::2], ends[1::2]
        found = 0, 0
        if moves.any():
            low, high = begins[moves].min(axis=0).tolist()
            high = high if stop < self.extent else self.mask.extents[self.other]
            # Partners that stay may be needed again.
            stays = ~moves & (begins < after).any(axis=1)
            if low < high and not (after[stays] > low).any():
                found = low, high
        return {self.axis: (start, stop), self.other: found}

    def _fix_partners(self, places: list[int]) -> None:
        """Note where the partners of the lines at fixed places of the loop's axis begin and end."""
        self.fixed[self.other] += self._partners(_whole(places)).tolist()

    def _partners(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the rule for the partners of the lines behind a place changes, and of those before it.

        Where that is outside of the current tile of the other axis, it is of no account how far.
        """
        # The first row of each two is where partners begin, the second one where they end.
        behind = self.mask.ends_of(self.axis, np.minimum(places, self.extent - 1))[::2]
        before = self.mask.ends_of(self.axis, np.maximum(places - 1, 0))[1::2]
        found = np.concatenate(
            [
                np.where(places < self.extent, behind, self.mask.extents[self.other]),
                np.where(places > 0, before, 0),
            ]
        )
        if not self.moves:
            found = np.clip(found, self.inside[0] - 1, self.inside[1] + 1)
        return found.reshape(-1)

    def _within_part(self, now: Configuration, then: Configuration) -> bool:
        """Whether the places that chains over the loop's axis move through follow the rule of the mask."""
        part = self.stretch.part
        assert part is not None
        return all(
            one == two or (part.start < one and two < part.stop)
            for one, two in zip(now.progress[self.axis], then.progress[self.axis], strict=True)
        )

    def _places_now(self, number: int, now: Configuration) -> dict[str, NDArray[np.int64]]:
        """Return the places of a round that is compared with one later round after another."""
        if self._asked[0] != number or self._asked[1] is not now:
            self._asked = number, now, self._places(number, now)
        return self._asked[2]

    def _places(self, number: int, now: Configuration) -> dict[str, NDArray[np.int64]]:
        """Return all places that may make a difference to a round, axis by axis."""
        first = self.stretch.first + number * self.stretch.round
        tiles = np.arange(first, first + self.stretch.round + 1, dtype=np.int64)
        own = np.concatenate([self.whole[0] + self.node.tile * tiles, _whole(now.progress[self.axis])])
        return {
            self.axis: np.concatenate([own, _whole(now.cuts[self.axis]), _whole(self.fixed[self.axis])]),
            self.other: np.concatenate(
                [
                    self._partners(np.maximum(own, 0)),
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
