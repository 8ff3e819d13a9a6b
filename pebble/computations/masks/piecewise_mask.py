"""Masks of which first and last partner of every line are known in pieces: what follows from that."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

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

    def begun(self, axis: str, lines: tuple[Whole, Whole], before: Whole) -> Whole:
        """Numbers of lines of many intervals of an axis that have a pair with a partner before a place."""
        pieces = self.line_pieces[axis]
        return np.asarray(pieces.below(FIRST, lines[1], before) - pieces.below(FIRST, lines[0], before))

    @abstractmethod
    def at_lines(self, axis: str, lines: Whole, partners: Interval) -> NDArray[np.bool_]:
        """Return the pairs of chosen lines of an axis with some partners, shape (lines, partners)."""

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

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        return np.asarray(sum(band_degrees for band_degrees in self._degrees(axis, partners)))

    @abstractmethod
    def _degrees(self, axis: str, partners: NDArray[np.bool_]) -> list[Whole]:
        """Return the same in parts that add up."""
