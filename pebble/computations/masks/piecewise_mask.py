"""Masks of which first and last partner of every line are known in pieces: what follows from that."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.computations.masks.line_pieces import FIRST, LAST, LinePieces
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["PiecewiseMask"]


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

    @abstractmethod
    def counts(self, queries: tuple[Whole, Whole], keys: tuple[Whole, Whole]) -> Whole:
        """Numbers of allowed pairs in many boxes: beginnings and ends of their queries, and of their keys."""

    def begun(self, axis: str, lines: tuple[Whole, Whole], before: Whole) -> Whole:
        """Numbers of lines of many intervals of an axis that have a pair with a partner before a place."""
        pieces = self.line_pieces[axis]
        return np.asarray(pieces.below(FIRST, lines[1], before) - pieces.below(FIRST, lines[0], before))

    # First and last partners

    def first(self, axis: str, lines: Interval | None = None) -> Whole:
        """First partner of every line of an interval."""
        return self.first_of(axis, np.arange(*(lines or (0, self.extents[axis])), dtype=np.int64))

    def last(self, axis: str, lines: Interval | None = None) -> Whole:
        """Last partner of every line of an interval."""
        return self.last_of(axis, np.arange(*(lines or (0, self.extents[axis])), dtype=np.int64))

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return self.line_pieces[axis].ends(FIRST, lines, self.extents[OTHER_AXIS[axis]])

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        return self.line_pieces[axis].ends(LAST, lines, -1)

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        return self.at_lines("i", np.arange(*queries, dtype=np.int64), keys)

    # Numbers of lines

    def present_before(self, axis: str, places: Whole) -> Whole:
        """Number of lines with any pair before each of some places of an axis, from 0 to its length."""
        return np.asarray(self.line_pieces[axis].before(places))

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval that have any pair."""
        pieces = self.line_pieces[axis]
        return int(pieces.before(self.extents[axis] if stop is None else stop) - pieces.before(start))

    def _below(self, which: int, axis: str, lines: Interval, place: int) -> int:
        """Return how many lines of an interval have an end below a place."""
        return self.line_pieces[axis].below_among(which, lines, place)

    def started(self, axis: str, lines: Interval, before: int) -> int:
        """Number of lines that have a pair with a partner before ``before``."""
        return self._below(FIRST, axis, lines, before)

    def unfinished(self, axis: str, lines: Interval, place: int) -> int:
        """Number of lines that have a pair with a partner at ``place`` or behind it."""
        return self.present(axis, *lines) - self._below(LAST, axis, lines, place)

    def started_before(self, axis: str, places: Whole) -> Whole:
        """Numbers of lines of an axis that have a pair with a partner before each of some places."""
        return np.asarray(self.line_pieces[axis].below(FIRST, self.extents[axis], places))

    def finished_before(self, axis: str, places: Whole) -> Whole:
        """Numbers of lines of an axis that have pairs, and all of them with partners before each of some places."""
        return np.asarray(self.line_pieces[axis].below(LAST, self.extents[axis], places))

    def beginning(self, axis: str, lines: Interval, partners: Interval) -> tuple[int, int]:
        """Number of lines whose first pair is with one of some partners, and the last of these lines (-1: none)."""
        upto = [self._below(FIRST, axis, lines, place) for place in partners]
        if lines[0] >= lines[1] or upto[0] >= upto[1]:
            return 0, -1
        return upto[1] - upto[0], self.line_pieces[axis].latest(FIRST, lines[1], partners)

    # Where something changes

    def breaks(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where, strictly inside ``lines``, anything may change that a program can see of one line.

        Cost proportional to the number of places, and of partners whose pairs begin or end inside ``lines``.
        """
        pieces = self.line_pieces[OTHER_AXIS[axis]]
        found = [self.pattern_changes(axis, lines, partners), self.flag_changes(axis, lines, partners)]
        for which in (FIRST, LAST):
            # A value at either bound, or one before, has a successor (or is one) strictly inside.
            values = pieces.values(which, partners, lines)
            found += [values, values + 1]
        changes = np.unique(np.concatenate(found))
        return changes[(changes > lines[0]) & (changes < lines[1])]

    def flag_changes(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where it may change whether a line has pairs before ``partners``, after them, or any."""
        pieces = self.line_pieces[axis]
        period, (begin, end) = pieces.period, pieces.run
        critical = {begin, begin + 1, end, end + 1}
        crossings = []
        for which, place in ((FIRST, partners[0]), (LAST, partners[1])):
            own = pieces.heights[which], pieces.slopes[which], pieces.moves[which]
            blocks = pieces.starts // period
            moved = np.where(own[2], (place - own[0]) // period, 0)
            critical |= {int(block) + step for block in np.unique(blocks + moved) for step in (-1, 0, 1, 2)}
            crossings.append((pieces.starts % period, place - own[0], own[1], own[2], blocks))

        def changes(block: int) -> Whole:
            """Where neighbours' flags differ, of the places at which they may."""
            found = [np.array([0]), pieces.bounds(block)]
            for starts, above, slopes, moves, blocks in crossings:
                here = (blocks == pieces.block(block)) & (slopes == 1)
                found.append((starts + above - moves * (block - blocks) * period)[here])
            places = np.concatenate(found)
            places = np.unique(places[(places >= 0) & (places < period)]) + block * period
            places = places[(places > 0) & (places < self.extents[axis])]
            here, before = self._flags(axis, np.stack([places, places - 1]), partners)
            return np.asarray(places[here != before] - block * period)

        return in_blocks(period, lines, critical, changes)

    def _flags(self, axis: str, lines: Whole, partners: Interval) -> Whole:
        first, last = self.line_pieces[axis].both_ends(lines, self.extents[OTHER_AXIS[axis]])
        return np.asarray((first < partners[0]) * 1 + (last >= partners[1]) * 2 + (last >= 0) * 4)

    def presence_changes(self, axis: str) -> list[int]:
        """Return where lines with pairs follow on lines without, or the other way round."""
        if self.line_pieces[axis].all_present:
            return []
        everything = 0, self.extents[OTHER_AXIS[axis]]
        places = self.flag_changes(axis, (0, self.extents[axis]), everything)
        flags = self.last_of(axis, places) < 0, self.last_of(axis, places - 1) < 0
        return [int(place) for place in places[flags[0] != flags[1]]]

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        return np.asarray(sum(band_degrees for band_degrees in self._degrees(axis, partners)))

    @abstractmethod
    def _degrees(self, axis: str, partners: NDArray[np.bool_]) -> list[Whole]:
        """Return the same in parts that add up."""


def in_blocks(period: int, lines: Interval, critical: set[int], changes: Any) -> Whole:
    """Return places strictly inside some lines that are alike in all blocks between critical ones.

    Parameters
    ----------
    period : int
        Length of a block.
    lines : (int, int)
    critical : set of int
        Where, in numbers of blocks, the places may differ from those of the block before.
    changes : callable
        ``changes(block)`` returns the places in a block, as places in the period.
    """
    start, stop = lines[0] + 1, lines[1]
    if start >= stop:
        return np.empty(0, dtype=np.int64)
    low, high = start // period, (stop - 1) // period + 1
    cuts = sorted({low, high} | {block for block in critical if low < block < high})
    found = [np.empty(0, dtype=np.int64)]
    for begin, end in pairwise(cuts):
        blocks = np.arange(begin, end, dtype=np.int64) * period
        found.append((blocks[:, None] + changes(begin)).reshape(-1))
    places = np.concatenate(found)
    return np.asarray(places[(places >= start) & (places < stop)])
