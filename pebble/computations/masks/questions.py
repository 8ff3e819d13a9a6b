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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

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

    def sampled(self, size: int = 1) -> Runs:
        """Return the beginning, as much behind it, and the end of groups that rise, as runs such that sums are right.

        Of n parts of ``size`` tiles that rise evenly, the sum is n times that of the first and n · (n - 1) / 2 times
        what the second has more. The last one comes zero times.
        """
        number = self.length // size
        rises = (number > _SAMPLES) & (self.times == 1)
        samples = np.where(rises, _SAMPLES, 1)
        of = np.repeat(np.arange(len(samples)), samples)
        sample = np.arange(len(of)) - (np.cumsum(samples) - samples)[of]
        parent, first, length, times = (column[of] for column in self)
        number, one = number[of], rises[of]
        at, more = np.array([0, 1, 0])[sample], number * (number - 1) // 2
        at[sample == _SAMPLES - 1] = number[sample == _SAMPLES - 1] - 1
        weights = np.choose(sample, [number - more, more, 0 * more])
        return Runs(parent, first + at * size, np.where(one, size, length), np.where(one, weights, times))

    def one_by_one(self) -> Runs:
        """Return the same runs, each tile of a group that comes once a run of its own."""
        number = np.where(self.times == 1, self.length, 1)
        of = np.repeat(np.arange(len(number)), number)
        inside = np.arange(len(of)) - (np.cumsum(number) - number)[of]
        parent, first, length, times = (column[of] for column in self)
        return Runs(parent, first + inside, np.where(times == 1, 1, length), times)

    def chunks(self) -> Iterator[Runs]:
        """Yield the runs in turn, some thousands of tiles at a time; groups that come once may be cut."""
        total = int(self.length.sum())
        if total <= _AT_A_TIME:
            yield from [self] * (total > 0)
            return
        long = (self.length > _AT_A_TIME) & (self.times == 1)
        if long.any():
            yield from self._cut(long).chunks()
            return
        ends = np.cumsum(self.length)
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
    rises, partners_rise : bool
        Whether groups of single lines rise, see :meth:`runs`; and whether as many more partners, or fewer, begin or end
        with each.
    rises_in_parts : bool
        Whether that holds in loops over a part of an axis too.
    together : dict of str to int
        By axis, how many lines that follow each other see the same and rise as one; a group that rises is a multiple.
    """

    rises = partners_rise = rises_in_parts = False

    def __init__(self, extents: dict[str, int]) -> None:
        self.extents = dict(extents)
        self.together = dict.fromkeys(extents, 1)

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

    def most_pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Most pairs with partners in [p, q) that any line of an interval has."""
        boxes, which = np.unique(np.stack([x0, x1, p, q], axis=1), axis=0, return_inverse=True)
        x0, x1, p, q = boxes.T
        found = np.zeros_like(x0)
        for some in self.runs(axis, x0, x1, np.ones_like(x0), p, q).chunks():
            run, line = some.tiles()
            parent = some.parent[run]
            line += x0[parent]
            np.maximum.at(found, parent, self.pairs(axis, line, line + 1, p[parent], q[parent]))
        return found[which.ravel()]

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
            f"not verified at this size: {number:,} tiles would have to be examined at once; the limit "
            f"is {_MOST_TILES:,}: use larger tiles, or fewer queries and keys"
        )


def every_tile(w0: Whole, w1: Whole, tile: Whole) -> Runs:
    """Return all tiles of loops, each as a run of its own."""
    number = -((w0 - w1) // tile)
    parent, first = all_numbers(np.zeros_like(number), number)
    return Runs(parent, first, np.ones_like(first), np.ones_like(first))


def flat_runs(number: Whole, ends: NDArray[np.bool_]) -> Runs:
    """Return the tiles of loops over an axis without a mask: the first, the others, and the last where it is unlike."""
    most = np.minimum(number, 2 + ends)
    parent = np.repeat(np.arange(len(number)), most)
    which = np.arange(len(parent)) - np.searchsorted(parent, parent)
    total, ends = number[parent], ends[parent]
    last = ends & (which == most[parent] - 1)
    times = np.where(last | (which == 0), 1, total - 1 - ends)
    return Runs(parent, np.where(last, total - 1, which), np.ones_like(parent), times)


def all_numbers(start: Whole, stop: Whole) -> tuple[Whole, Whole]:
    """Return all whole numbers of intervals, and with each the number of its interval."""
    lengths = stop - start
    check_tiles(int(lengths.sum()))
    parent = np.repeat(np.arange(len(start)), lengths)
    return parent, np.arange(len(parent)) + np.repeat(start - (np.cumsum(lengths) - lengths), lengths)


def runs_of(parent: Whole, *columns: Whole) -> Runs:
    """Return the runs of columns of runs, without those that have no tile."""
    first, length, times = (column.reshape(-1) for column in columns)
    some = length > 0
    return Runs(parent[some], first[some], length[some], times[some])
