"""Sets of lines made of few intervals, and where two staircases lie apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.staircase import Staircase, common_pieces, union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["Intervals", "where_apart"]


class Intervals:
    """A set of lines: intervals [begin, end) that are not empty and do not touch, in order.

    Parameters
    ----------
    begins, ends : ndarray of int64
        In order; empty intervals are left out, and those that touch are joined. They may not overlap.

    Examples
    --------
    >>> some = Intervals(np.array([0, 2, 7]), np.array([2, 4, 9]))
    >>> some.begins.tolist(), some.ends.tolist()
    ([0, 7], [4, 9])
    >>> both = some & Intervals(np.array([3]), np.array([8]))
    >>> both.begins.tolist(), both.ends.tolist()
    ([3, 7], [4, 8])
    """

    def __init__(self, begins: Whole, ends: Whole) -> None:
        taken = begins < ends
        begins, ends = begins[taken], ends[taken]
        apart = begins[1:] > ends[:-1]
        number = len(begins)
        self.begins = begins[np.append(True, apart)[:number]]
        self.ends = ends[np.append(apart, True)[:number]]

    @classmethod
    def all(cls, length: int) -> Intervals:
        """Make the set of the lines 0 to ``length`` - 1."""
        return cls(np.array([0]), np.array([length]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Intervals):
            return NotImplemented
        return np.array_equal(self.begins, other.begins) and np.array_equal(self.ends, other.ends)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.begins)

    def __and__(self, other: Intervals) -> Intervals:
        bounds = union(self.begins, self.ends, other.begins, other.ends)
        begins, ends = bounds[:-1], bounds[1:]
        taken = self._hold(begins) & other._hold(begins)
        return Intervals(begins[taken], ends[taken])

    def lines(self) -> Whole:
        """All lines of the set, in order.

        >>> Intervals(np.array([1, 7]), np.array([3, 9])).lines().tolist()
        [1, 2, 7, 8]
        """
        lengths = self.ends - self.begins
        return np.repeat(self.begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())

    def _hold(self, places: Whole) -> NDArray[np.bool_]:
        return np.asarray(
            self.begins.searchsorted(places, side="right") > self.ends.searchsorted(places, side="right")
        )

    def counting(self, length: int) -> Staircase:
        """Return how many lines lie before each place, from 0 to ``length``, in which all intervals lie."""
        lengths = self.ends - self.begins
        before = np.cumsum(lengths) - lengths
        return Staircase(
            length + 1,
            np.append(0, np.stack([self.begins, self.ends], axis=1)),
            np.append(0, np.stack([before, before + lengths], axis=1)),
            np.append(0, np.tile([1, 0], len(self))),
        )

    def sum_before(self, values: Staircase, places: Whole) -> Whole:
        """Sum up the values of a staircase at the lines that lie before each of some places."""
        sums = values.sum_before(self.ends) - values.sum_before(self.begins)
        number = self.begins.searchsorted(places)
        ends = np.maximum(np.append(0, self.ends)[number], places)
        beyond = values.sum_before(ends) - values.sum_before(places)
        return np.asarray(np.append(0, np.cumsum(sums))[number] - beyond)


def where_apart(one: Staircase, other: Staircase, least: int) -> Intervals:
    """Return where the other staircase is at least ``least`` above the one.

    >>> found = where_apart(Staircase.clipped(9, 0, 0, 4), Staircase.clipped(9, 0, 2, 7), 2)
    >>> found.begins.tolist(), found.ends.tolist()
    ([0, 6], [1, 9])
    """
    starts, lengths, heights, slopes = common_pieces(one, other)
    gap, move = heights[1] - heights[0], slopes[1] - slopes[0]
    # In a piece the gap stays, or grows or shrinks by one from place to place.
    low = np.where(move > 0, np.maximum(least - gap, 0), 0)
    high = np.where(move < 0, np.minimum(gap - least + 1, lengths), lengths)
    high = np.where((move == 0) & (gap < least), 0, high)
    return Intervals(starts + low, starts + high)
