"""The answers of a mask of blocks whose patterns follow their distance from the diagonal."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.piecewise_mask import PiecewiseQuestions
from pebble.computations.masks.questions import Runs, all_numbers, runs_of
from pebble.computations.masks.staircase import union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.band_mask import BandMask
    from pebble.computations.masks.piecewise_mask import PiecewiseMask

    Whole = NDArray[np.int64]

_SHORT = 2**24
"""Pairs of queries and keys for which sums up to every corner are kept."""
_MOST_PLACES = 2**22
"""Places in the period that are written down at a time."""
_MOST_KEPT = 2**24
_FEW = 2**6
"""Corners for which no table is made."""


class BlockPairs:
    """Pairs before every corner: of the queries before one place with the keys before another.

    Whole blocks are counted by how many there are of them; so are the cut rows, and the cut columns, of blocks before
    the corner; the block of the corner itself by its pattern.

    Parameters
    ----------
    period : int
        Length of a block's side.
    patterns : tuple of tuple of BandMask
        Disjoint bands of the block on the diagonal, of those 1, 2, … below it, and at last of all others below.
    """

    def __init__(self, period: int, patterns: tuple[tuple[BandMask, ...], ...]) -> None:
        self.period, self.patterns, self.depth = period, patterns, len(patterns) - 1
        sizes = [sum(band.pairs for band in bands) for bands in patterns]
        self._last = sizes[-1]
        # Pairs in the first blocks of a column, and of the triangle of the first block rows.
        self._column = np.append(0, np.cumsum(sizes))
        self._triangle = np.cumsum(self._column)

    def before(self, queries: Whole, keys: Whole) -> Whole:
        """Pairs of the queries before places with the keys before others."""
        row, r = np.divmod(queries, self.period)
        column, c = np.divmod(keys, self.period)
        offset = row - column
        below = np.maximum(offset, 0)
        total = self._blocks(row) - self._blocks(below)
        total += self._lines("i", row + 1, r) - self._lines("i", np.maximum(offset + 1, 0), r)
        total += self._lines("j", below, c)
        return np.asarray(total + (offset >= 0) * self._corner(np.minimum(below, self.depth), r, c))

    def of_lines(self, axis: str, lines: Whole, p: Whole, q: Whole) -> Whole:
        """Pairs of single lines with the partners [p, q)."""
        block, line = np.divmod(lines, self.period)
        ends = []
        for place in p, q:
            other, rest = np.divmod(place, self.period)
            offset = block - other if axis == "i" else other - block
            inside = np.minimum(np.maximum(offset, 0), self.depth)
            # Keys before a place are in blocks farther below than its own, queries in nearer ones.
            number = np.maximum(offset + (axis == "i"), 0)
            total = []
            for upto in line, line + 1:
                part = self._corner(inside, *((upto, rest) if axis == "i" else (rest, upto)))
                whole = self._lines(axis, number, upto)
                total.append((-whole if axis == "i" else whole) + (offset >= 0) * part)
            ends.append(total[1] - total[0])
        return np.asarray(ends[1] - ends[0])

    def _blocks(self, number: Whole) -> Whole:
        """Return the pairs of the blocks on and below the diagonal, in the first ``number`` block rows."""
        near = np.minimum(number, self.depth)
        more = number - near
        return np.asarray(
            self._triangle[near] + more * self._column[self.depth] + more * (more + 1) // 2 * self._last
        )

    def _lines(self, axis: str, number: Whole, lines: Whole) -> Whole:
        """Return the pairs of the first lines of ``number`` patterns; the last pattern repeats."""
        near = np.minimum(number, self.depth)
        if lines.size > _FEW and self.period * (self.depth + 1) <= _MOST_PLACES:
            each = [sums[lines] for sums in self._sums[axis]]
        else:
            each = self._upto(axis, lines)
        total = (number - near) * each[-1]
        for pattern in range(self.depth):
            total += (near > pattern) * each[pattern]
        return np.asarray(total)

    @cached_property
    def _sums(self) -> dict[str, list[Whole]]:
        """Of either axis, and every pattern, the pairs of the lines before each place."""
        return {axis: self._upto(axis, np.arange(self.period + 1)) for axis in OTHER_AXIS}

    def _upto(self, axis: str, lines: Whole) -> list[Whole]:
        box = np.zeros_like(lines), lines, np.zeros_like(lines), np.full_like(lines, self.period)
        return [
            np.asarray(sum((band.questions.pairs(axis, *box) for band in bands), box[0]))
            for bands in self.patterns
        ]

    @cached_property
    def _tables(self) -> NDArray[np.int32] | None:
        """Of every pattern the pairs of its first rows with its first columns; None where that is much."""
        L, patterns = self.period, self.patterns
        if len(patterns) * L**2 > _MOST_KEPT:
            return None
        sums = np.zeros((len(patterns), L + 1, L + 1), dtype=np.int32)
        for number, bands in enumerate(patterns):
            allowed = sum(
                (band.matrix((0, L), (0, L)).astype(np.int32) for band in bands), np.zeros((L, L), np.int32)
            )
            np.cumsum(np.cumsum(allowed, axis=0, dtype=np.int32), axis=1, out=sums[number, 1:, 1:])
        return sums.reshape(-1)

    def _corner(self, pattern: Whole, rows: Whole, columns: Whole) -> Whole:
        """Return the pairs of patterns' first rows with their first columns."""
        if rows.size > _FEW and self._tables is not None:
            width = self.period + 1
            return np.asarray(self._tables[(pattern * width + rows) * width + columns])
        none, found = np.zeros_like(rows), np.zeros_like(rows)
        for number, bands in enumerate(self.patterns):
            here = np.flatnonzero(pattern == number)
            box = none[here], rows[here], none[here], columns[here]
            found[here] = sum((band.questions.pairs("i", *box) for band in bands), none[here])
        return found


class ToeplitzQuestions(PiecewiseQuestions):
    """Answers from blocks whose pattern depends on how many blocks they lie below the diagonal.

    Parameters
    ----------
    mask : BlockToeplitzMask
    period, patterns
        As of :class:`BlockPairs`.
    """

    def __init__(self, mask: PiecewiseMask, period: int, patterns: tuple[tuple[BandMask, ...], ...]) -> None:
        super().__init__(mask)
        self._mask, self._blocks = mask, BlockPairs(period, patterns)
        known, places = len(patterns) + 1, period + 1
        self._numbers = known, places, 2, known, places, known, known  # that tell kinds of blocks
        self._far = any(band.pairs for band in patterns[-1])

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        a, b, c, d = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        if self._mask.Nq * self._mask.Nk <= _SHORT:
            sums = self._sums
            return (sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c]).astype(np.int64)
        for lines, low, high, start, stop in ((axis, x0, x1, p, q), (OTHER_AXIS[axis], p, q, x0, x1)):
            if (high - low == 1).all():
                return self._blocks.of_lines(lines, low, start, stop) * (start < stop)
        before = self._blocks.before
        return before(b, d) - before(a, d) - before(b, c) + before(a, c)

    @cached_property
    def _sums(self) -> NDArray[np.int32]:
        """Pairs before every corner: on axes that are not long the quickest answer."""
        mask = self._mask
        sums = np.zeros((mask.Nq + 1, mask.Nk + 1), dtype=np.int32)
        for start in range(0, mask.Nq, mask.period):
            rows = start, min(start + mask.period, mask.Nq)
            part = sums[rows[0] + 1 : rows[1] + 1, 1:]
            np.cumsum(mask.matrix(rows, (0, mask.Nk)), axis=0, out=part)
            np.cumsum(part, axis=1, out=part)
            part += sums[start, 1:]
        return sums

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner in [p, q).

        What a block of lines sees depends on its distances from the partners' first block and from their last one. So
        the lines are cut where either distance reaches another pattern. The blocks of a piece are all alike.
        """
        L, depth = self._blocks.period, self._blocks.depth
        found = np.zeros_like(x0)
        some = np.flatnonzero((x0 < x1) & (p < q))
        begin, end = x0[some, None], x1[some, None]
        way = np.arange(depth + 2) if axis == "i" else 1 - np.arange(depth + 2)
        cuts = np.hstack([np.add.outer(block, way) for block in (p[some] // L, (q[some] - 1) // L)]) * L
        cuts = np.hstack([begin, np.clip(np.sort(cuts, axis=1), begin, end), end])
        row, piece = np.nonzero(cuts[:, :-1] < cuts[:, 1:])
        start, stop, row = cuts[row, piece], cuts[row, piece + 1], some[row]
        kinds = self._kinds(axis, start // L, p[row], q[row])
        kind, own = np.unique(np.ravel_multi_index(kinds, self._numbers), return_inverse=True)
        step = max(1, _MOST_PLACES // L)
        for at in range(0, len(kind), step):
            before = self._lines_before(axis, *np.unravel_index(kind[at : at + step], self._numbers))
            mine = np.flatnonzero(own // step == at // step)
            of, (low, high) = own[mine] - at, (start[mine], stop[mine])
            before_low, before_high = (
                place // L * before[of, L] + before[of, place % L] for place in (low, high)
            )
            np.add.at(found, row[mine], before_high - before_low)
        return found

    def _kinds(self, axis: str, block: Whole, p: Whole, q: Whole) -> tuple[Whole, ...]:
        """Return what blocks of lines see of partners in [p, q), in seven numbers that are equal for blocks alike.

        They are the pattern of the block of partners that holds p, the place of p, and whether q is in it too; the
        pattern of the block that holds q, if that is another block, and the place of q; the first and last pattern of
        whole blocks between. Patterns count from 1; 0 stands for none, or for one that the whole blocks have too.
        """
        L, depth = self._blocks.period, self._blocks.depth
        head, tail = p // L, (q - 1) // L
        apart = [block - one if axis == "i" else one - block for one in (head, tail)]
        of_head, of_tail = (np.clip(one, -1, depth) + 1 for one in apart)
        first = np.clip(np.minimum(*apart) + 1, 0, depth) + 1
        last = np.clip(np.maximum(*apart) - 1, -1, depth) + 1
        none = (tail - head < 2) | (first > last)
        first, last = np.where(none, 0, first), np.where(none, -1, last)
        of_head[(first <= of_head) & (of_head <= last)] = 0
        of_tail[(first <= of_tail) & (of_tail <= last) | (head == tail)] = 0
        short = (of_head > 0) & (head == tail)
        low, end = np.where(of_head, p - head * L, 0), np.where(short | (of_tail > 0), q - tail * L, 0)
        return of_head, low, short * 1, of_tail, end, first, np.maximum(last, 0)

    def _lines_before(
        self, axis: str, of_head: Whole, low: Whole, short: Whole, of_tail: Whole, end: Whole, *whole: Whole
    ) -> Whole:
        """Return how many of a block's lines before each place see partners, by kinds of blocks."""
        L = self._blocks.period
        seen = np.zeros((len(low), L), dtype=bool)
        first, last = whole
        for number, bands in enumerate(self._blocks.patterns, 1):
            for here, begin, stop in (
                (of_head == number, low, np.where(short, end, L)),
                (of_tail == number, 0 * end, end),
                ((first <= number) & (number <= last), 0 * end, 0 * end + L),
            ):
                some = np.flatnonzero(here)
                for band in bands if len(some) else ():
                    left, right = (ends.values(0, L) for ends in band.ends(axis))
                    seen[some] |= np.maximum(left, begin[some, None]) < np.minimum(right, stop[some, None])
        before = np.zeros((len(low), L + 1), dtype=np.int64)
        np.cumsum(seen, axis=1, out=before[:, 1:])
        return before

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return three runs of every loop: tiles that stand alone, a group that repeats, tiles that stand alone.

        Far below the diagonal lines a period on see the same of some partners. They also have pairs before these or
        not alike, and behind them, where a whole far block lies between them and the near ones, and none is cut.
        With a period of far lines in the loop before a tile, and one behind it, the partners that have any far pair
        have one before and one behind it; what others have is near, and all on one side.
        """
        L, depth = self._blocks.period, self._blocks.depth
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
        runs = runs_of(np.repeat(np.arange(len(w0)), 3), first, length, np.stack([one, times, one], axis=1))
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
        number, block = all_numbers(start // self._blocks.period, -(-stop // self._blocks.period))
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
        first, last = self._pieces[axis].ends(line, self.extents[OTHER_AXIS[axis]])
        flags = (first < partner) + 2 * (last > partner)
        goes_on = (loop[1:] == loop[:-1]) & (line[1:] == behind[:-1]) & (flags[1:] == flags[:-1])
        starts, ends = np.append(True, ~goes_on), np.append(~goes_on, True)
        line, behind, loop = line[starts[: len(line)]], behind[ends[: len(line)]], loop[starts[: len(line)]]
        changes = loop[1:] != loop[:-1]
        inside = line + np.append(True, changes)[: len(line)]
        outside = np.maximum(behind - np.append(changes, True)[: len(line)], inside)
        first = np.stack([line, inside, outside], axis=1)
        times = np.stack([inside, outside, behind], axis=1) - first
        return runs_of(np.repeat(loop, 3), first - w0[loop][:, None], np.minimum(times, 1), times)

    def _changes(self, axis: str, block: Whole, partner: Whole) -> Whole:
        """Return the places of blocks at which lines may cease or begin to have pairs with a partner, or around it."""
        L, pieces = self._blocks.period, self._pieces[axis]
        found = [np.zeros_like(block)]
        for band in (band for bands in self._blocks.patterns for band in bands):
            found += [end.at(partner % L) for end in band.ends(OTHER_AXIS[axis])]
        block_of, place = np.divmod(pieces.starts[:, None], L)
        found += [*np.broadcast_to(place, (len(place), len(block)))]
        found += [*np.broadcast_to(place + pieces.lengths[:, None], (len(place), len(block)))]
        for height, slope, moves in zip(pieces.heights, pieces.slopes, pieces.moves, strict=True):
            moved = height[:, None] + moves[:, None] * (block - block_of) * L
            reached = (place + partner - moved)[slope == 1]
            found += [*reached, *(reached + 1)]
        return np.clip(np.stack(found), 0, L) + block * L
