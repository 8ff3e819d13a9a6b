"""Masks of which first and last partner of every line are known in pieces of lines, some of which come again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS, Mask
from pebble.computations.masks.questions import Questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Interval

    Whole = NDArray[np.int64]


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
        taken = here[1] >= 0
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

    def ends(self, lines: Whole, none: int) -> tuple[Whole, Whole]:
        """Return first and last partner of chosen lines, ``none`` and -1 where there is none."""
        if not len(self.starts):
            return np.full_like(lines, none), np.full_like(lines, -1)
        block = lines // self.period
        # Behind the run, the blocks are their own.
        blocks = np.where(block < self.run[1], np.maximum(block - self.run[0], 0), 0)
        shift = blocks * self.period
        lines = lines - shift
        piece = np.maximum(self.starts.searchsorted(lines, side="right") - 1, 0)
        inside = lines - self.starts[piece]
        first, last = (
            height[piece] + slope[piece] * inside + moves[piece] * shift
            for height, slope, moves in zip(self.heights, self.slopes, self.moves, strict=True)
        )
        if self.all_present:
            return first, last
        present = (inside >= 0) & (inside < self.lengths[piece])
        return np.where(present, first, none), np.where(present, last, -1)

    # Numbers of lines, and the last of some

    def before(self, places: Whole) -> Whole:
        """Return how many lines with pairs lie before each of some places."""
        if self.all_present:
            return places
        total = np.zeros_like(places)
        for start, length, times, *_ in self._each:
            whole, part = self._upto(start, length, times, places)
            total += whole * length + part
        return total

    def begun(self, places: Whole, values: Whole) -> Whole:
        """Return how many lines before places have their first partner before a value."""
        total = np.zeros_like(places)
        for start, length, times, height, slope, moves in self._each:
            whole, part = self._upto(start, length, times, places)
            above = values - height
            # Where it moves it is before the value in all lines of some blocks, and in a part of the next one.
            passed = np.clip(above // self.period, 0, times) if moves else 0
            left = above - passed * self.period
            within = np.clip(left, 0, length) if slope else (left > 0) * length
            both = np.minimum(part, within)
            if not moves:
                total += whole * within + both
                continue
            next_block = (whole < passed) * part + (whole > passed) * within + (whole == passed) * both
            total += np.minimum(whole, passed) * length + next_block
        return total

    @cached_property
    def _each(self) -> list[list[int]]:
        """Of every piece its beginning, length, and number of blocks; and of its first partner height, slope, move."""
        first = self.heights[0], self.slopes[0], self.moves[0]
        found: list[list[int]] = np.stack([self.starts, self.lengths, self.times, *first], axis=1).tolist()
        return found

    def _upto(self, start: int, length: int, times: int, place: Whole) -> tuple[Whole, Whole]:
        """Return how often a piece lies before a place, up to the last time, and how many lines then are before it."""
        rest = place - start
        whole = np.clip(rest // self.period, 0, times - 1)
        return whole, np.clip(rest - whole * self.period, 0, length)

    def latest(self, before: Whole, low: Whole, high: Whole) -> Whole:
        """Return the last lines before places with their first partner in [low, high); -1 where there is none."""
        found = np.full_like(before, -1)
        for start, length, times, height, slope, moves in self._each:
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


class PiecewiseMask(Mask):
    """A mask that tells in what pieces the first and the last partner of its lines stay, or go up by one.

    Nothing costs in proportion to the numbers of queries and keys but what is returned.
    """

    @abstractmethod
    def _pieces_of(self, axis: str) -> LinePieces:
        """Return the lines of an axis that have pairs, in pieces."""

    @cached_property
    def line_pieces(self) -> dict[str, LinePieces]:
        """Of either axis, the lines that have pairs, in pieces."""
        return {axis: self._pieces_of(axis) for axis in OTHER_AXIS}

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return self.line_pieces[axis].ends(lines, self.extents[OTHER_AXIS[axis]])[0]

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        return self.line_pieces[axis].ends(lines, -1)[1]

    def separations(self, axis: str) -> list[int]:
        """Return no place: at which the mask falls apart is not looked for, line by line."""
        return []


class PiecewiseQuestions(Questions):
    """The answers that follow from the pieces.

    Parameters
    ----------
    mask : PiecewiseMask
    """

    def __init__(self, mask: PiecewiseMask) -> None:
        super().__init__(mask.extents)
        self._pieces = mask.line_pieces

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        return self._pieces[axis].before(x1) - self._pieces[axis].before(x0)

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        return self._pieces[axis].begun(x1, place) - self._pieces[axis].begun(x0, place)

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        return np.maximum(self._pieces[axis].latest(x1, p, q) + 1, x0)
