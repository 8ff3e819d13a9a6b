"""First and last partner of every line, in pieces of lines, some of which come again every period."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Interval

    Whole = NDArray[np.int64]

__all__ = ["LinePieces"]

FIRST, LAST = 0, 1


class LinePieces:
    """The lines of an axis that have pairs, in pieces in which the first and the last partner stay or go up by one.

    Blocks of ``period`` lines [run[0], run[1]) are alike: of line x + t · period an end is that of line x, or that
    and t · period more. Their pieces are kept once, for the block run[0]; cost and memory of everything follow the
    number of pieces, not of lines.

    Parameters
    ----------
    extent : int
        Number of lines.
    period : int
        Length of a block; the last one may be cut.
    run : (int, int)
        The blocks that are alike; at least one.
    marks : ndarray of int64
        Places in a block, 0 among them, between which the ends of its lines stay or go up by one.
    ends : callable
        ``ends(lines)`` returns first and last partner of chosen lines; -1 as the last where a line has none.

    Attributes
    ----------
    starts, lengths, times : ndarray of int64
        Where pieces begin, how long they are, and in how many blocks they come.
    heights, slopes, moves : (ndarray, ndarray) of int64
        First and last partner of a piece's first line; by how much they go up from line to line, and whether from
        block to block: 0 or 1.
    """

    def __init__(
        self,
        extent: int,
        period: int,
        run: Interval,
        marks: Whole,
        ends: Callable[[Whole], tuple[Whole, Whole]],
    ) -> None:
        self.extent, self.period, self.run = extent, period, run
        number = -(-extent // period)
        blocks = np.append(np.arange(min(run[0] + 1, number)), np.arange(run[1], number))
        starts = (blocks[:, None] * period + marks).reshape(-1)
        block_ends = np.minimum(np.repeat(blocks + 1, len(marks)) * period, extent)
        starts, block_ends = starts[starts < extent], block_ends[starts < extent]
        stops = np.minimum(np.append(starts[1:], extent), block_ends)
        here, next_line = ends(starts), ends(np.minimum(starts + 1, stops - 1))
        repeated = (starts // period == run[0]) & (run[1] - run[0] > 1)
        next_block = ends(np.where(repeated, starts + period, starts))
        taken = here[LAST] >= 0
        slopes = [after - before for before, after in zip(here, next_line, strict=True)]
        moves = [(after - before) // period for before, after in zip(here, next_block, strict=True)]
        table = np.stack([starts, stops, *here, *slopes, *moves])[:, taken]
        self._take(_joined(table, period))

    def _take(self, table: Whole) -> None:
        self.starts, stops = table[0], table[1]
        self.lengths = stops - self.starts
        self.heights, self.slopes, self.moves = tuple(table[2:4]), tuple(table[4:6]), tuple(table[6:8])
        self.times = np.where(self.starts // self.period == self.run[0], self.run[1] - self.run[0], 1)
        self.total = int((self.lengths * self.times).sum())
        self.all_present = self.total == self.extent

    def ends(self, which: int, lines: Whole, none: int) -> Whole:
        """Return the first (0) or last (1) partner of chosen lines, ``none`` where there is none."""
        return self._ends(((which, none),), lines)[0]

    def both_ends(self, lines: Whole, none: int) -> list[Whole]:
        """Return the first partner of chosen lines, ``none`` where there is none, and the last, or -1."""
        return self._ends(((FIRST, none), (LAST, -1)), lines)

    def _ends(self, asked: tuple[tuple[int, int], ...], lines: Whole) -> list[Whole]:
        if not len(self.starts):
            return [np.full(lines.shape, none, dtype=np.int64) for _, none in asked]
        block = lines // self.period
        # Behind the run, the blocks are their own.
        blocks = np.where(block < self.run[1], np.maximum(block - self.run[0], 0), 0)
        shift = blocks * self.period
        lines = lines - shift
        piece = np.maximum(self.starts.searchsorted(lines, side="right") - 1, 0)
        inside = lines - self.starts[piece]
        values = [
            self.heights[which][piece] + self.slopes[which][piece] * inside + self.moves[which][piece] * shift
            for which, _ in asked
        ]
        if self.all_present:
            return values
        present = (inside >= 0) & (inside < self.lengths[piece])
        return [np.where(present, value, none) for value, (_, none) in zip(values, asked, strict=True)]

    # Numbers of lines

    def before(self, places: Any) -> Any:
        """Return how many lines with pairs lie before a place, or each of some."""
        if self.all_present:
            return places
        total = places * 0
        for start, length, times in self._lists:
            whole, part = self._upto(start, length, times, places)
            total = total + whole * length + part
        return total

    def below(self, which: int, lines: Any, values: Any) -> Any:
        """Return how many lines before a place have an end below a value; for numbers, or arrays of both."""
        total = lines * 0 + values * 0
        for piece in self._each[which]:
            total = total + self._below(piece, lines, values)
        return total

    @cached_property
    def _lists(self) -> list[list[int]]:
        """Beginning, length and number of blocks of every piece."""
        found: list[list[int]] = np.stack([self.starts, self.lengths, self.times], axis=1).tolist()
        return found

    @cached_property
    def _each(self) -> list[list[list[int]]]:
        """For the first partner and for the last: of every piece the same, with height, slope and move."""
        ends = zip(self.heights, self.slopes, self.moves, strict=True)
        common = self.starts, self.lengths, self.times
        return [np.stack([*common, *end], axis=1).tolist() for end in ends]

    def _upto(self, start: int, length: int, times: int, place: Any) -> tuple[Any, Any]:
        """Return how often a piece lies before a place, up to the last time, and how many lines then are before it."""
        rest = place - start
        whole = _clip(rest // self.period, times - 1)
        return whole, _clip(rest - whole * self.period, length)

    def _below(self, piece: list[int], place: Any, value: Any) -> Any:
        start, length, times, height, slope, moves = piece
        whole, part = self._upto(start, length, times, place)
        above = value - height
        # An end that moves is below the value in all lines of so many blocks, and in some lines of the next one.
        passed = _clip(above // self.period, times) if moves else 0
        left = above - passed * self.period
        within = _clip(left, length) if slope else (left > 0) * length
        both = _least(part, within)
        if not moves:
            return whole * within + both
        next_block = (whole < passed) * part + (whole > passed) * within + (whole == passed) * both
        return _least(whole, passed) * length + next_block

    # Lines, and values

    def latest_of(self, which: int, before: Whole, low: Whole, high: Whole) -> Whole:
        """Return the last lines before places with an end in [low, high); -1 where there is none."""
        found = np.full_like(before, -1)
        for start, length, times, height, slope, moves in self._each[which]:
            least = np.maximum(low - height, 0) if slope and not moves else 0
            number = np.minimum(times, -((start + least - before) // self.period)) - 1
            if moves:
                number = np.minimum(number, (high - 1 - height) // self.period)
            value, place = height + moves * number * self.period, start + number * self.period
            # The piece's lines with an end below high, and behind those with one below low.
            upto, since = (
                np.clip(end - value, 0, length) if slope else (value < end) * length for end in (high, low)
            )
            upto = np.minimum(upto, before - place)
            found = np.where((number >= 0) & (since < upto), np.maximum(found, place + upto - 1), found)
        return found


def _clip(value: Any, most: int) -> Any:
    """Return what is nearest from 0 on to some number; numpy would be slow for single numbers."""
    return min(max(value, 0), most) if isinstance(value, int) else np.clip(value, 0, most)


def _least(one: Any, other: Any) -> Any:
    return min(one, other) if isinstance(one, int) and isinstance(other, int) else np.minimum(one, other)


def _joined(table: Whole, period: int) -> Whole:
    """Join pieces of a block that go on alike."""
    if table.shape[1] < 2:
        return table
    one, other = table[:, :-1], table[:, 1:]
    length = one[1] - one[0]
    alike = (one[1] == other[0]) & (one[0] // period == other[0] // period)
    alike &= (one[4:] == other[4:]).all(axis=0)
    alike &= (one[2:4] + one[4:6] * length == other[2:4]).all(axis=0)
    begins = np.append(True, ~alike)
    joined = table[:, begins]
    joined[1] = table[1, np.append(begins[1:], True)]
    return joined
