"""The answers of masks of equal blocks, and of blocks that repeat along the diagonals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.line_pieces import FIRST
from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Questions, Runs, check_tiles
from pebble.computations.masks.staircase import union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.block_mask import BlockMask
    from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
    from pebble.computations.masks.butterfly_mask import ButterflyMask

    Whole = NDArray[np.int64]

__all__ = ["BlockQuestions", "ButterflyQuestions", "ToeplitzQuestions"]

_MOST_BLOCKS = 2**20
"""Blocks of loops that are looked at at a time."""
_MOST_PLACES = 2**22
"""Places in the period that are written down at a time."""


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
        return _runs(np.repeat(parent, 3), first, length, times)

    def _blocks(self, axis: str, w0: Whole, w1: Whole, p: Whole, q: Whole) -> tuple[Whole, Whole]:
        """Return the loops' blocks that may have pairs with the partners, in order, and with each its loop."""
        return _numbers(w0 // self._sides[axis], self._behind(axis, w1))


class ButterflyQuestions(BlockQuestions):
    """Answers from blocks that are allowed if their numbers differ in at most one binary digit."""

    def _blocks(self, axis: str, w0: Whole, w1: Whole, p: Whole, q: Whole) -> tuple[Whole, Whole]:
        """Return the loops' blocks that may have pairs with the partners: of few partners theirs, of many all."""
        other, number = OTHER_AXIS[axis], self._mask.number(axis)
        start, stop = p // self._sides[other], self._behind(other, q)
        low, high = w0 // self._sides[axis], self._behind(axis, w1)
        differ = np.append(0, 1 << np.arange((number - 1).bit_length()))
        if ((stop - start) * len(differ)).sum() >= (high - low).sum():
            return _numbers(low, high)
        parent, partner = _numbers(start, stop)
        block = partner ^ differ[:, None]
        some = (block >= low[parent]) & (block < high[parent])
        seen = union((parent * number + block)[some])
        return seen // number, seen % number


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

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner in [p, q); far ones by place in the period."""
        L, depth = self._mask.period, self._mask.depth
        if axis == "i":
            edge = np.clip(((q - 1) // L + depth) * L, x0, x1)
            near, far = (x0, edge), (edge, x1)
        else:
            edge = np.clip((p // L - depth + 1) * L, x0, x1)
            near, far = (edge, x1), (x0, edge)
        found = np.zeros_like(x0)
        some = np.flatnonzero((near[0] < near[1]) & (p < q))
        found[some] = super().lines_seen(axis, *(one[some] for one in (*near, p, q)))
        some = np.flatnonzero((far[0] < far[1]) & (p < q)) if self._far else some[:0]
        if len(some):
            begin, width = np.where(q - p < L, p % L, 0)[some], np.minimum(q - p, L)[some]
            keys, key = np.unique(begin * (L + 1) + width, return_inverse=True)
            step = max(1, _MOST_PLACES // L)
            for at in range(0, len(keys), step):
                before = self._far_before(axis, *np.divmod(keys[at : at + step], L + 1))
                mine = np.flatnonzero(key // step == at // step)
                own = key[mine] - at
                low, high = (
                    (end // L) * before[own, L] + before[own, end % L]
                    for end in (one[some[mine]] for one in far)
                )
                found[some[mine]] += high - low
        return found

    def _far_before(self, axis: str, begin: Whole, width: Whole) -> Whole:
        """Return how many of a block's lines before each place see places [begin, begin + width) of far blocks."""
        L = self._mask.period
        begin, end = begin[:, None], (begin + width)[:, None]
        seen = np.zeros((len(begin), L), dtype=bool)
        for band in self._mask.patterns[-1]:
            start, stop = (ends.values(0, L) for ends in band.ends(axis))
            seen |= np.maximum(start, begin) < np.minimum(stop, np.minimum(end, L))
            seen |= start < np.minimum(stop, end - L)
        before = np.zeros((len(begin), L + 1), dtype=np.int64)
        np.cumsum(seen, axis=1, out=before[:, 1:])
        return before

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
        one = np.ones_like(low)
        runs = _runs(np.repeat(np.arange(len(w0)), 3), first, length, np.stack([one, times, one], axis=1))
        alone = (runs.times == 1) & ((tile == 1) & (q - p == 1))[runs.parent]
        if not alone.any():
            return runs
        others, found = (Runs(*(column[chosen] for column in runs)) for chosen in (~alone, alone))
        found = self._joined(axis, found, w0, p)
        columns = [np.concatenate(both) for both in zip(others, found, strict=True)]
        order = np.lexsort((columns[1], columns[0]))
        return Runs(*(column[order] for column in columns))

    def _joined(self, axis: str, runs: Runs, w0: Whole, p: Whole) -> Runs:
        """Join the lines of runs that have a pair with a single partner each, but for its first and its last one.

        Between places where anything may change one line tells of all whether they have the pair, and others around.
        """
        start, partner = (w0[runs.parent] + runs.first, p[runs.parent])
        stop, extent = start + runs.length, self.extents[axis]
        number, block = _numbers(start // self._mask.period, -(-stop // self._mask.period))
        places = self._changes(axis, block, partner[number])
        places = np.clip(places, start[number], stop[number]) + number * (extent + 1)
        number, line = np.divmod(
            union(places.ravel(), np.arange(len(stop)) * (extent + 1) + stop), extent + 1
        )
        line, behind, number = line[:-1], line[1:], number[:-1]
        partner = partner[number]
        # Of a run's end nothing begins: the next place is another run's.
        some = (line < stop[number]) & self.has(
            axis, np.minimum(line, extent - 1), np.minimum(line + 1, extent), partner, partner + 1
        )
        line, behind, partner, loop = line[some], behind[some], partner[some], runs.parent[number[some]]
        first, last = self._mask.line_pieces[axis].both_ends(line, self.extents[OTHER_AXIS[axis]])
        flags = (first < partner) + 2 * (last > partner)
        goes_on = (loop[1:] == loop[:-1]) & (line[1:] == behind[:-1]) & (flags[1:] == flags[:-1])
        starts, ends = np.append(True, ~goes_on), np.append(~goes_on, True)
        line, behind, loop = line[starts[: len(line)]], behind[ends[: len(line)]], loop[starts[: len(line)]]
        changes = loop[1:] != loop[:-1]
        inside = line + np.append(True, changes)[: len(line)]
        outside = np.maximum(behind - np.append(changes, True)[: len(line)], inside)
        first = np.stack([line, inside, outside], axis=1)
        times = np.stack([inside, outside, behind], axis=1) - first
        return _runs(np.repeat(loop, 3), first - w0[loop][:, None], np.minimum(times, 1), times)

    def _changes(self, axis: str, block: Whole, partner: Whole) -> Whole:
        """Return the places of blocks at which lines may cease or begin to have pairs with a partner, or around it."""
        L, pieces = self._mask.period, self._mask.line_pieces[axis]
        found = [np.zeros_like(block)]
        for band in (band for bands in self._mask.patterns for band in bands):
            found += [end.at(partner % L) for end in band.ends(OTHER_AXIS[axis])]
        block_of, place = np.divmod(pieces.starts[:, None], L)
        found += [*np.broadcast_to(place, (len(place), len(block)))]
        found += [*np.broadcast_to(place + pieces.lengths[:, None], (len(place), len(block)))]
        for height, slope, moves in zip(pieces.heights, pieces.slopes, pieces.moves, strict=True):
            moved = height[:, None] + moves[:, None] * (block - block_of) * L
            reached = (place + partner - moved)[slope == 1]
            found += [*reached, *(reached + 1)]
        return np.clip(np.stack(found), 0, L) + block * L


def _numbers(start: Whole, stop: Whole) -> tuple[Whole, Whole]:
    """Return all whole numbers of intervals, and with each the number of its interval."""
    lengths = stop - start
    check_tiles(int(lengths.sum()))
    parent = np.repeat(np.arange(len(start)), lengths)
    return parent, np.arange(len(parent)) + np.repeat(start - (np.cumsum(lengths) - lengths), lengths)


def _runs(parent: Whole, *columns: Whole) -> Runs:
    """Return the runs of columns of runs, without those that have no tile."""
    first, length, times = (column.reshape(-1) for column in columns)
    some = length > 0
    return Runs(parent[some], first[some], length[some], times[some])
