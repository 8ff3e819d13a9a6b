"""Six questions to a mask, each about many boxes at once: all that a count needs to know of it.

A *line* is a query (axis ``i``) or a key (axis ``j``); its *partners* are lines of the other axis. Boxes are given as
four arrays of int64: lines [x0, x1) and partners [p, q). The answers say nothing of what a program does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.mask import OTHER_AXIS, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["Questions", "Runs", "TableQuestions", "check_tiles", "every_tile"]

_MOST_TILES = 2**24
_SAMPLES = 3
_AT_A_TIME = 2**15
"""Tiles that are looked at together: few enough for what is known of them to stay in a processor's cache."""


class Runs(NamedTuple):
    """Tiles that loops visit, in order: of every loop some runs, of every run a group of tiles, again and again.

    Attributes
    ----------
    parent : ndarray of int64
        Number of the loop, never decreasing.
    first : ndarray of int64
        Number of the run's first tile; increasing within a loop.
    length : ndarray of int64
        Tiles in the group.
    times : ndarray of int64
        How often the group comes, each time right behind the last; so the run has ``length · times`` tiles.
    """

    parent: Whole
    first: Whole
    length: Whole
    times: Whole

    def tiles(self) -> tuple[Whole, Whole]:
        """Return the tiles of all groups, each once: the run that each is of, and its number."""
        run = np.repeat(np.arange(len(self.parent)), self.length)
        behind = np.cumsum(self.length)
        return run, self.first[run] + np.arange(len(run)) - (behind - self.length)[run]

    def sampled(self) -> Runs:
        """Return the first, second and last tile of groups that rise, as runs that come so often that sums are right.

        What a group of n tiles adds up to, if it rises evenly from tile to tile, is n times that of the first and
        n · (n - 1) / 2 times what the second has more. The last one comes zero times.
        """
        rises = (self.length > _SAMPLES) & (self.times == 1)
        number = np.where(rises, _SAMPLES, 1)
        of = np.repeat(np.arange(len(number)), number)
        sample = np.arange(len(of)) - (np.cumsum(number) - number)[of]
        parent, first, length, times = (column[of] for column in self)
        at, more = np.array([0, 1, 0])[sample], length * (length - 1) // 2
        at[sample == _SAMPLES - 1] = length[sample == _SAMPLES - 1] - 1
        weights = np.choose(sample, [length - more, more, 0 * more])
        one = rises[of]
        return Runs(parent, first + at, np.where(one, 1, length), np.where(one, weights, times))

    def chunks(self) -> Iterator[Runs]:
        """Yield the runs in turn, some thousands of tiles at a time; groups that come once may be cut."""
        long = (self.length > _AT_A_TIME) & (self.times == 1)
        if long.any():
            yield from self._cut(long).chunks()
            return
        ends = np.cumsum(self.length)
        total = int(ends[-1]) if len(ends) else 0
        at = np.searchsorted(ends, np.arange(0, total, _AT_A_TIME), side="right")
        for start, stop in pairwise(np.unique(np.append(at, len(ends))).tolist()):
            yield Runs(*(column[start:stop] for column in self))

    def _cut(self, long: NDArray[np.bool_]) -> Runs:
        """Return some groups in parts."""
        number = np.where(long, -(-self.length // _AT_A_TIME), 1)
        check_tiles(int(self.length.sum()))
        of = np.repeat(np.arange(len(number)), number)
        begin = (np.arange(len(of)) - (np.cumsum(number) - number)[of]) * _AT_A_TIME
        parent, first, length, times = (column[of] for column in self)
        return Runs(
            parent, first + begin, np.where(long[of], np.minimum(length - begin, _AT_A_TIME), length), times
        )


class Questions(ABC):
    """What a mask answers about boxes.

    Intervals may be empty, and lie within the axis. A line is *present* if it has any pair, and has *begun* before a
    place if it has a pair with a partner before the place.

    Attributes
    ----------
    rises : bool
        Whether groups of single lines rise, see :meth:`runs`.
    """

    rises = False

    def __init__(self, extents: dict[str, int]) -> None:
        self.extents = dict(extents)

    @abstractmethod
    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes; 0 where one of the intervals is empty."""

    @abstractmethod
    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""

    @abstractmethod
    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place, from 0 to the axis's end."""

    @abstractmethod
    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Of the lines in [x0, x1) whose first partner is in [p, q): the place behind the last; x0 if there is none."""

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair."""
        return self.pairs(axis, x0, x1, p, q) > 0

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner in [p, q)."""
        found = np.zeros_like(x0)
        runs = self.runs(axis, x0, x1, np.ones_like(x0), p, q)
        for some in runs.chunks():
            run, start = some.tiles()
            parent = some.parent[run]
            start += x0[parent]
            seen = self.has(axis, start, start + 1, p[parent], q[parent]) * some.times[run]
            np.add.at(found, parent, seen)
        return found

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles in which loops over [w0, w1) in tiles of ``tile`` see partners [p, q), in runs.

        The tiles of a group look like those of each of its repetitions: they have the same length, the same pairs,
        line by line, with each of the partners; each line has a pair before p, or not, and one behind q, or not; each
        partner has a pair with a line of [w0, w1) before the tile, or not, and one behind it, or not. Tiles without a
        pair may be among them, or left out. Where :attr:`rises`, of single lines in a group each sees as many partners
        more, or fewer, or others, as the one before, and they are alike otherwise. Here every tile is a run of its own.
        """
        return every_tile(w0, w1, tile)


def check_tiles(number: int) -> None:
    """Refuse to write down more tiles than memory has room for.

    Raises
    ------
    TooManyOperations
    """
    if number > _MOST_TILES:
        raise TooManyOperations(
            f"not verified at this size: {number:,} tiles would have to be looked at at once, and at most "
            f"{_MOST_TILES:,} are; take larger tiles, or fewer queries and keys"
        )


def every_tile(w0: Whole, w1: Whole, tile: Whole) -> Runs:
    """Return all tiles of loops, each as a run of its own."""
    number = -((w0 - w1) // tile)
    check_tiles(int(number.sum()))
    parent = np.repeat(np.arange(len(w0)), number)
    first = np.arange(len(parent)) - np.repeat(np.cumsum(number) - number, number)
    return Runs(parent, first, np.ones_like(first), np.ones_like(first))


class TableQuestions(Questions):
    """The answers of any mask, from an array of all its pairs: memory is proportional to queries × keys.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> asked = TableQuestions(causal_mask(4, 4))
    >>> low, high = np.array([0, 2]), np.array([2, 4])
    >>> asked.pairs("i", low, high, low, high).tolist(), asked.begun("j", low, high, high).tolist()
    ([3, 3], [2, 2])
    """

    def __init__(self, mask: Mask) -> None:
        super().__init__(mask.extents)
        allowed = mask.matrix((0, mask.Nq), (0, mask.Nk))
        self._sums = np.zeros((mask.Nq + 1, mask.Nk + 1), dtype=np.int64)
        np.cumsum(np.cumsum(allowed, axis=0, dtype=np.int64), axis=1, out=self._sums[1:, 1:])
        self._first = {axis: mask.first(axis) for axis in OTHER_AXIS}
        self._present = {}
        for axis, first in self._first.items():
            self._present[axis] = np.append(0, np.cumsum(first < self.extents[OTHER_AXIS[axis]]))

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        a, b, c, d = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        sums = self._sums
        return np.asarray(sums[b, d] - sums[a, d] - sums[b, c] + sums[a, c])

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        return np.asarray(self._present[axis][x1] - self._present[axis][x0])

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines that have begun before a place, from an array of all lines and places."""
        table = self._begun(axis)
        return np.asarray(table[x1, place] - table[x0, place])

    def _begun(self, axis: str) -> Whole:
        places = np.arange(self.extents[OTHER_AXIS[axis]] + 1)
        table = np.zeros((self.extents[axis] + 1, len(places)), dtype=np.int64)
        np.cumsum(self._first[axis][:, None] < places, axis=0, out=table[1:])
        return table

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line that begins in [p, q)."""
        found = x0.copy()
        for number, (low, high, start, stop) in enumerate(zip(x0, x1, p, q, strict=True)):
            first = self._first[axis][low:high]
            lines = np.flatnonzero((first >= start) & (first < stop))
            if len(lines):
                found[number] = low + lines[-1] + 1
        return found
