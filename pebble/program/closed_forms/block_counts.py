"""Counting in many boxes of a mask kept block by block, and choosing boxes that stand for all of a loop nest.

Of the finest intervals of an axis that lie in one block of the mask, in one tile of the loops outside the innermost
one, and are of one length, all but the first and the last are alike; docs/masks.md says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import NoClosedForm
from pebble.computations.masks import BlockMask, EqualBlocks
from pebble.program.closed_forms.blocks import Block, Blocks, Bounds, Side
from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.closed_forms.blocks import Whole

__all__ = ["BlockCounts", "BoxCounts", "Cells", "combined"]

_CHUNK = 2**19
_MOST_COMBINATIONS = 3 * 10**8
"""Two seconds or so."""


class BoxCounts:
    """Pairs in boxes under a mask of blocks."""

    def __init__(self, mask: EqualBlocks) -> None:
        self._blocks = mask

    def pairs(self, queries: Bounds, keys: Bounds) -> Whole:
        """Allowed pairs in each of many boxes."""
        return self._blocks.counts(queries, keys)

    def any(self, queries: Bounds, keys: Bounds) -> NDArray[np.bool_]:
        """Whether there is an allowed pair in each of many boxes."""
        return self._blocks.counts(queries, keys) > 0


class BlockCounts(BoxCounts):
    """PairCounts for a mask kept block by block."""

    def __init__(self, mask: BlockMask) -> None:
        super().__init__(mask)
        self._mask = mask

    def lines(self, axis: str, lines: Bounds) -> Whole:
        """Lines of intervals of an axis that have any pair."""
        return self._mask.present_before(axis, lines[1]) - self._mask.present_before(axis, lines[0])

    def begun(self, axis: str, lines: Bounds, before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""
        found = np.zeros(len(before), dtype=np.int64)
        behind = self._mask.extents[axis] + 1
        intervals = lines[0] * behind + lines[1]
        order = np.argsort(intervals, kind="stable")
        for chosen in np.split(order, np.flatnonzero(np.diff(intervals[order])) + 1) if len(order) else ():
            start, stop = divmod(int(intervals[chosen[0]]), behind)
            found[chosen] = self._mask.started_of(axis, (start, stop), before[chosen])
        return found

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield blocks that hold a pair, and how many quarters of a block each stands for.

        Raises
        ------
        NoClosedForm
            If there are too many.
        """
        rows, columns = Cells(self._mask, blocks.i), Cells(self._mask, blocks.j)
        n, m = len(rows.ranges), len(columns.ranges)
        if n * m > _MOST_COMBINATIONS:
            raise NoClosedForm(
                f"the tiles make {n:,} × {m:,} combinations of blocks, and the formula takes sums over at most "
                f"{_MOST_COMBINATIONS:,}"
            )
        step, total = max(1, _CHUNK // max(m, 1)), 0
        for start in range(0, n, step):
            chosen = np.arange(start, min(start + step, n))
            held = self._mask.have_blocks(_ends(rows.ranges[chosen]), _ends(columns.ranges))
            row, column = np.nonzero(held)
            row += start
            total += int((rows.sizes[row] * columns.sizes[column]).sum())
            check_blocks(total)
            a, b = combined(rows, row, columns, column)
            yield (rows.index[a], columns.index[b]), 4 * rows.times[a] * columns.times[b]


class Cells:
    """Finest intervals that stand for all of a side, or for some of it.

    Parameters
    ----------
    mask : EqualBlocks
    side : Side
    cells : ndarray of int64, optional
        Their numbers, in order; all by default.
    weights : ndarray of int64, optional
        How many each of these stands for.

    Attributes
    ----------
    index, times : ndarray of int64
        Their numbers, in order, and how many each stands for.
    ranges : ndarray of int64, shape (n, 2)
        The different intervals of blocks of the mask that they lie in, in order.
    begins, sizes : ndarray of int64
        The first one that lies in each of these, and how many do.
    """

    def __init__(
        self, mask: EqualBlocks, side: Side, cells: Whole | None = None, weights: Whole | None = None
    ) -> None:
        cells = np.arange(side.count) if cells is None else cells
        weights = np.ones_like(cells) if weights is None else weights
        start, stop = side.cut(cells), side.cut(cells + 1)
        low, high = start // mask.sides[side.axis], (stop - 1) // mask.sides[side.axis]
        around = side.around(max(len(side.tiles) - 1, 0), cells)[0]
        told = np.stack([low, stop - start, around, weights, cells - np.arange(len(cells))])
        alike = (low == high)[1:] & (low == high)[:-1] & (told[:, 1:] == told[:, :-1]).all(axis=0)
        first = np.append(0, np.flatnonzero(~alike) + 1) if len(cells) else cells
        number = np.diff(first, append=len(cells))
        # The first one of a run, those between, and the last one.
        index = np.stack([cells[first], cells[first] + 1, cells[first] + number - 1])
        times = np.stack([np.ones_like(number), number - 2, (number > 1).astype(np.int64)])
        chosen = times.T > 0
        self.index, self.times = index.T[chosen], (times * weights[first]).T[chosen]
        ranges = np.stack([low, high + 1], axis=1)[np.stack([first, first, first], axis=1)[chosen]]
        new = np.append(True, (ranges[1:] != ranges[:-1]).any(axis=1))[: len(ranges)]
        self.begins = np.flatnonzero(new)
        self.ranges, self.sizes = ranges[self.begins], np.diff(self.begins, append=len(ranges))

    def repeated(self, on: Whole, blocks: Whole) -> Cells:
        """Return the same again and again, so many intervals and so many blocks on."""
        return self._like(
            (on[:, None] + self.index).ravel(),
            np.tile(self.times, len(on)),
            (np.arange(len(on))[:, None] * len(self.index) + self.begins).ravel(),
            (blocks[:, None, None] + self.ranges).reshape(-1, 2),
            np.tile(self.sizes, len(on)),
        )

    def joined(self, other: Cells) -> Cells:
        """Return both, the other's behind these."""
        return self._like(
            *map(
                np.concatenate,
                (
                    (self.index, other.index),
                    (self.times, other.times),
                    (self.begins, len(self.index) + other.begins),
                    (self.ranges, other.ranges),
                    (self.sizes, other.sizes),
                ),
            )
        )

    def _like(self, *parts: Whole) -> Cells:
        found = copy(self)
        found.index, found.times, found.begins, found.ranges, found.sizes = parts
        return found


def _ends(intervals: Whole) -> Bounds:
    return intervals[:, 0], intervals[:, 1]


def combined(rows: Cells, row: Whole, columns: Cells, column: Whole) -> tuple[Whole, Whole]:
    """Return all combinations of a cell of each row and one of the column that goes with it."""
    each = rows.sizes[row] * columns.sizes[column]
    which = np.repeat(np.arange(len(each)), each)
    inside = np.arange(len(which)) - np.repeat(np.cumsum(each) - each, each)
    a, b = np.divmod(inside, columns.sizes[column][which])
    return rows.begins[row][which] + a, columns.begins[column][which] + b
