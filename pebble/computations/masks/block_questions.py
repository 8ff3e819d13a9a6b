"""The answers of masks of equal blocks, and of blocks that repeat along the diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.line_pieces import FIRST
from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Questions, Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.block_mask import BlockMask
    from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
    from pebble.computations.masks.butterfly_mask import ButterflyMask

    Whole = NDArray[np.int64]

__all__ = ["BlockQuestions", "ToeplitzQuestions"]


class BlockQuestions(Questions):
    """Answers from blocks that are allowed as a whole or not at all.

    Parameters
    ----------
    mask : BlockMask or ButterflyMask
    """

    def __init__(self, mask: BlockMask | ButterflyMask) -> None:
        super().__init__(mask.extents)
        self._mask, self._sides = mask, mask.sides
        self._first, self._lines = {}, {}
        for axis, other in OTHER_AXIS.items():
            first = mask.first_of(axis, np.arange(mask.number(axis)) * self._sides[axis])
            # In blocks; of a line without partners, a block behind all.
            self._first[axis] = np.where(
                first < self.extents[other], first // self._sides[other], mask.number(other)
            )
            self._lines[axis] = LinesByFirst(self._first[axis], mask.number(other))

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        return self._mask.counts((x0, x1), (p, q)) if axis == "i" else self._mask.counts((p, q), (x0, x1))

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        return np.asarray(self._mask.present_before(axis, x1) - self._mask.present_before(axis, x0))

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        side, place = self._sides[axis], self._behind(OTHER_AXIS[axis], place)
        (a, rest), (b, more) = np.divmod(x0, side), np.divmod(x1, side)
        whole = self._lines[axis].begun(a, b, place) * side
        parts = more * self._begins(axis, b, place) - rest * self._begins(axis, a, place)
        return np.asarray(whole + parts)

    def _begins(self, axis: str, block: Whole, place: Whole) -> NDArray[np.bool_]:
        first = self._first[axis]
        return np.asarray(first[np.minimum(block, len(first) - 1)] < place)

    def _behind(self, axis: str, place: Whole) -> Whole:
        """Return the block behind those that hold any line before a place."""
        return -(-place // self._sides[axis])

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        side, other = self._sides[axis], OTHER_AXIS[axis]
        block = x0 // side
        # A block begins where its first line does.
        found = self._lines[axis].behind_latest(
            block, self._behind(axis, x1), self._behind(other, p), self._behind(other, q)
        )
        return np.where((found > block) & (x0 < x1), np.minimum(found * side, x1), x0)

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair: whether the blocks around do."""
        rows, columns = (x0, x1), (p, q)
        if axis == "j":
            rows, columns = columns, rows
        (a, b), (c, d) = (
            (start // self._sides[along], self._behind(along, stop))
            for along, (start, stop) in zip("ij", (rows, columns), strict=True)
        )
        before = self._mask.blocks_before
        blocks = before(b, d) - before(a, d) - (before(b, c) - before(a, c))
        return np.asarray((blocks > 0) & (x0 < x1) & (p < q))

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return of every block with pairs the tiles inside it, but for the first and the last, as one run.

        Of these two it may be that partners have no pair before, or behind. Tiles across blocks' edges stand alone.
        """
        side = self._sides[axis]
        start, stop = w0 // side, np.where(w0 < w1, self._behind(axis, w1), w0 // side)
        parent, block = _numbers(start, stop)
        s = np.maximum(block * side, w0[parent])
        e = np.minimum(block * side + side, w1[parent])
        some = self.has(axis, s, e, p[parent], q[parent])
        parent, s, e = parent[some], s[some] - w0[parent[some]], e[some] - w0[parent[some]]
        size = tile[parent]
        low, high = s // size, -(-e // size)
        # A tile across an edge belongs to the block before.
        again = np.append(False, (parent[1:] == parent[:-1]) & (low[1:] < high[:-1]))
        low = low + again
        begin = np.clip(s // size + 1, low, np.maximum(high, low))
        end = np.maximum((e - 1) // size, begin)
        first = np.stack([low, begin, end], axis=1)
        length = np.stack([begin - low, np.minimum(end - begin, 1), np.maximum(high - end, 0)], axis=1)
        times = np.stack([np.ones_like(low), end - begin, np.ones_like(low)], axis=1)
        return _runs(np.repeat(parent, 3), first, length, times)


class ToeplitzQuestions(Questions):
    """Answers from blocks whose pattern depends on how many blocks they lie below the diagonal.

    Parameters
    ----------
    mask : BlockToeplitzMask
    """

    def __init__(self, mask: BlockToeplitzMask) -> None:
        super().__init__(mask.extents)
        self._mask = mask
        self._far = any(band.pairs for band in mask.patterns[-1])

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        return self._mask.counts((x0, x1), (p, q)) if axis == "i" else self._mask.counts((p, q), (x0, x1))

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        return self._mask.present_before(axis, x1) - self._mask.present_before(axis, x0)

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        return self._mask.begun(axis, (x0, x1), place)

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        return np.maximum(self._mask.line_pieces[axis].latest_of(FIRST, x1, p, q) + 1, x0)

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return three runs of every loop: tiles that stand alone, a group that repeats, tiles that stand alone.

        Far below the diagonal lines a period on see the same of some partners. They also have pairs before these or
        not alike, and behind them, where a whole far block lies between them and the near ones, and none is cut.
        With a period of far lines in the loop before a tile, and one behind it, the partners that have any far pair
        have one before and one behind it; what others have is near, and all on one side.
        """
        L, depth = self._mask.period, self._mask.depth
        head, last = p // L, (q - 1) // L
        if axis == "j":
            low = w0 if self._far else np.maximum(w0, (head - depth + 1) * L)
            high = np.minimum(w1, (last + 1) * L)
            begin, end = w0 + L, np.minimum(w1 - L, (head - depth) * L)
        else:
            low = np.maximum(w0, head * L)
            high = w1 if self._far else np.minimum(w1, (last + depth) * L)
            begin = np.maximum(w0, (last + depth) * L) + L
            end = np.minimum(w1 - L, self.extents["i"] // L * L)
        some = (low < high) & (p < q)
        low, high = (low - w0) // tile, np.where(some, -((w0 - high) // tile), (low - w0) // tile)
        group = np.lcm(tile, L) // tile
        begin = np.clip(-((w0 - begin) // tile), low, high)
        times = np.maximum(np.minimum((end - w0) // tile, high) - begin, 0) // group * self._far
        behind = begin + group * times
        first = np.stack([low, begin, behind], axis=1)
        length = np.stack([begin - low, group * (times > 0), high - behind], axis=1)
        return _runs(
            np.repeat(np.arange(len(w0)), 3),
            first,
            length,
            np.stack([low * 0 + 1, times, low * 0 + 1], axis=1),
        )


def _numbers(start: Whole, stop: Whole) -> tuple[Whole, Whole]:
    """Return all whole numbers of intervals, and with each the number of its interval."""
    lengths = stop - start
    parent = np.repeat(np.arange(len(start)), lengths)
    return parent, np.arange(len(parent)) + np.repeat(start - (np.cumsum(lengths) - lengths), lengths)


def _runs(parent: Whole, *columns: Whole) -> Runs:
    """Return the runs of columns of runs, without those that have no tile."""
    first, length, times = (column.reshape(-1) for column in columns)
    some = length > 0
    return Runs(parent[some], first[some], length[some], times[some])
