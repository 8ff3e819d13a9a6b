"""The answers of equal blocks, each allowed as a whole or not at all."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Questions, Runs, all_numbers, runs_of
from pebble.computations.masks.staircase import union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.block_mask import BlockMask

    Whole = NDArray[np.int64]

_MOST_BLOCKS = 2**20
"""Blocks of loops that are looked at at a time."""


class BlockQuestions(Questions):
    """Answers from blocks that are allowed as a whole or not at all.

    Parameters
    ----------
    mask : BlockMask
    """

    def __init__(self, mask: BlockMask) -> None:
        super().__init__(mask.extents)
        self._mask, self._sides = mask, mask.sides

    @cached_property
    def _first(self) -> dict[str, Whole]:
        """Of each block its first partner, in blocks; one behind all where it has none."""
        return {
            axis: -(-self._mask.ends_of_blocks[axis][0] // self._sides[other])
            for axis, other in OTHER_AXIS.items()
        }

    @cached_property
    def _lines(self) -> dict[str, LinesByFirst]:
        return {
            axis: LinesByFirst(self._first[axis], self._mask.number(other))
            for axis, other in OTHER_AXIS.items()
        }

    @cached_property
    def _present(self) -> dict[str, Whole]:
        """Lines with any pair before each block's first one, and all."""
        return {
            axis: np.append(0, np.cumsum(self._mask.shares(axis) * (last >= 0)))
            for axis, (_, last) in self._mask.ends_of_blocks.items()
        }

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        a, b, c, d = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        before = self._before
        return np.asarray(before(b, d) - before(a, d) - before(b, c) + before(a, c))

    def _before(self, queries: Whole, keys: Whole) -> Whole:
        """Numbers of allowed pairs of the queries and keys before some places: inside of a block, linear in both."""
        rows, columns = self._sides["i"], self._sides["j"]
        (r, a), (c, b), sums = np.divmod(queries, rows), np.divmod(keys, columns), self._mask.blocks_before
        above = sums(r, c) * (columns - b) + sums(r, c + 1) * b
        below = sums(r + 1, c) * (columns - b) + sums(r + 1, c + 1) * b
        return np.asarray(above * (rows - a) + below * a)

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        low, high = (self._present_before(axis, place) for place in (x0, x1))
        return high - low

    def _present_before(self, axis: str, place: Whole) -> Whole:
        last = self._mask.ends_of_blocks[axis][1]
        block = np.minimum(place // self._sides[axis], len(last) - 1)
        inside = (place - block * self._sides[axis]) * (last[block] >= 0)
        return np.asarray(self._present[axis][block] + inside)

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
        side, half = self._sides[axis], len(w0) // 2
        if half and ((w1 - w0) // side).sum() > _MOST_BLOCKS:
            halves = (slice(half), slice(half, None))
            one, other = (self.runs(axis, w0[h], w1[h], tile[h], p[h], q[h]) for h in halves)
            other = other._replace(parent=other.parent + half)
            return Runs(*(np.concatenate(both) for both in zip(one, other, strict=True)))
        parent, block = self._blocks(axis, w0, w1, p, q)
        s = np.maximum(block * side, w0[parent])
        e = np.minimum(block * side + side, w1[parent])
        some = self.has(axis, s, e, p[parent], q[parent])
        parent, s, e = parent[some], s[some] - w0[parent[some]], e[some] - w0[parent[some]]
        size = tile[parent]
        low, high = s // size, -(-e // size)
        # A tile across an edge belongs to the block before.
        again = np.append(False, (parent[1:] == parent[:-1]) & (low[1:] < high[:-1]))
        low = low + again
        begin = np.minimum(s // size + 1, high)
        end = np.maximum((e - 1) // size, begin)
        first = np.stack([low, begin, end], axis=1)
        length = np.stack([begin - low, np.minimum(end - begin, 1), high - end], axis=1)
        times = np.stack([np.ones_like(low), end - begin, np.ones_like(low)], axis=1)
        return runs_of(np.repeat(parent, 3), first, length, times)

    def _blocks(self, axis: str, w0: Whole, w1: Whole, p: Whole, q: Whole) -> tuple[Whole, Whole]:
        """Return the loops' blocks that may have pairs with the partners, in order, and with each its loop.

        Of few partners these are the blocks that are allowed with theirs, of many all.
        """
        other, number = OTHER_AXIS[axis], self._mask.number(axis)
        low, high = w0 // self._sides[axis], self._behind(axis, w1)
        before, allowed = self._allowed[other]
        start, stop = before[p // self._sides[other]], before[self._behind(other, q)]
        if (stop - start).sum() >= (high - low).sum():
            return all_numbers(low, high)
        parent, at = all_numbers(start, np.maximum(stop, start))
        block = allowed[at]
        some = (block >= low[parent]) & (block < high[parent])
        seen = union(parent[some] * number + block[some])
        return seen // number, seen % number

    @cached_property
    def _allowed(self) -> dict[str, tuple[Whole, NDArray[np.int32]]]:
        """Of each axis, where the blocks allowed with each of its blocks begin, and all these one after the other."""
        found = {}
        for axis in OTHER_AXIS:
            rows = self._mask.along(axis)
            before = np.append(0, np.cumsum(np.count_nonzero(rows, axis=1)))
            found[axis] = before, np.nonzero(rows)[1].astype(np.int32)
        return found
