"""Non-decreasing functions of a line's number that are piecewise constant or go up by one: the ends of a band."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["CommonPieces", "Staircase", "common_pieces", "union"]

_LARGEST = 2**62
_MANY = 2**16


class Staircase:
    """A non-decreasing whole-number function on [0, length), kept as pieces of slope 0 or 1.

    Pieces are as long as they can be, from the left; so equal functions have equal pieces. Nothing in proportion to
    ``length`` is kept or computed, but for :meth:`from_values`.

    Parameters
    ----------
    length : int
        At least 1.
    starts : array_like of int
        Where pieces begin, never decreasing, the first one at 0. Pieces of no length are left out.
    heights : array_like of int
        Value at the beginning of every piece.
    slopes : array_like of int
        0 or 1 for every piece.

    Attributes
    ----------
    length : int
    starts, heights, slopes : ndarray of int64
        As above, for the longest pieces. A piece of one place has slope 0.

    Raises
    ------
    ValueError
        If the function decreases somewhere, or the sum of its values may not fit 64 bits.

    Examples
    --------
    >>> ends = Staircase(10, [0, 4], [2, 5], [0, 1])
    >>> ends, ends.values(0, 10).tolist()
    (<Staircase [0, 10): 2 at 0, 5 at 4 rising>, [2, 2, 2, 2, 5, 6, 7, 8, 9, 10])
    >>> ends.below(7), ends.upto(7), ends.sum_before(5)
    (6, 7, 13)
    """

    def __init__(self, length: int, starts: object, heights: object, slopes: object) -> None:
        given = [np.asarray(array, dtype=np.int64).reshape(-1) for array in (starts, heights, slopes)]
        self.length = length
        self.starts, self.heights, self.slopes = _longest(length, *_checked(length, *given))
        lengths = np.diff(self.starts, append=length)
        self._tops = self.heights + self.slopes * (lengths - 1)
        if max(abs(int(self.heights[0])), abs(int(self._tops[-1])), 1) * length > _LARGEST:
            raise ValueError("the sum of a staircase's values must fit 64 bits")

    @classmethod
    def from_values(cls, values: object) -> Staircase:
        """Make the staircase with some values; cost proportional to their number.

        Parameters
        ----------
        values : array_like of int
            Never decreasing, at least one.
        """
        heights = np.asarray(values, dtype=np.int64)
        return cls(len(heights), np.arange(len(heights)), heights, np.zeros(len(heights), dtype=np.int64))

    @classmethod
    def clipped(cls, length: int, offset: int, low: int, high: int) -> Staircase:
        """Make the staircase x + ``offset``, but at least ``low`` and at most ``high``.

        >>> Staircase.clipped(6, -1, 0, 3).values(0, 6).tolist()
        [0, 0, 1, 2, 3, 3]
        """
        rises = min(max(low - offset, 0), length)
        stays = min(max(high - offset, rises), length)
        return cls(length, [0, rises, stays], [low, rises + offset, high], [0, 1, 0])

    @property
    def n_pieces(self) -> int:
        """Number of pieces."""
        return len(self.starts)

    # One number is answered by one number, without numpy: programs ask that very often.

    @overload
    def at(self, places: int) -> int: ...
    @overload
    def at(self, places: Whole) -> Whole: ...
    def at(self, places: Whole | int) -> Whole | int:
        """Value at a place in [0, length), or values at some."""
        if isinstance(places, int):
            starts, heights, slopes, _ = self._for_one
            piece = bisect_right(starts, places) - 1
            return int(heights[piece] + slopes[piece] * (places - starts[piece]))
        return _values_at(places, self.starts, self.heights, self.slopes)

    def clipped_pieces(self, start: int, stop: int, low: int, high: int) -> tuple[tuple[int, int, int], ...]:
        """Pieces of the function on [start, stop), but at least ``low`` and at most ``high``.

        Each is told by where it begins behind ``start``, its first value above ``low``, and its slope (0 for one line).

        >>> Staircase.clipped(9, 0, 0, 9).clipped_pieces(2, 9, 4, 6)
        ((0, 0, 0), (3, 1, 0), (4, 2, 0))
        """
        starts, heights, slopes, _ = self._for_one
        first, behind = bisect_right(starts, start) - 1, bisect_left(starts, stop)
        found: list[tuple[int, int, int]] = []

        def add(place: int, value: int, slope: int) -> None:
            if not (found and found[-1][1] == value and found[-1][2] == slope == 0):
                found.append((place - start, value, slope))

        for piece in range(first, behind):
            begin, end = max(starts[piece], start), stop if piece + 1 == behind else starts[piece + 1]
            value = int(heights[piece] + slopes[piece] * (begin - starts[piece]))
            if not slopes[piece]:
                add(int(begin), min(max(value, low), high) - low, 0)
                continue
            rises, stays = (min(max(begin + bound - value, begin), end) for bound in (low + 1, high))
            if begin < rises:
                add(int(begin), 0, 0)
            if rises < stays:
                add(int(rises), int(value + rises - begin - low), int(stays - rises > 1))
            if max(rises, stays) < end:
                add(int(max(rises, stays)), high - low, 0)
        return tuple(found)

    def piece(self, places: Whole | int) -> Whole:
        """Numbers of the pieces in which some places lie."""
        if self.n_pieces == 1 and isinstance(places, np.ndarray):
            return np.zeros(places.shape, dtype=np.int64)
        return np.asarray(self.starts.searchsorted(places, side="right") - 1)

    def values(self, start: int, stop: int) -> Whole:
        """All values on [start, stop)."""
        if start >= stop:
            return np.empty(0, dtype=np.int64)
        low = int(self.piece(start))
        high = int(self.starts.searchsorted(stop))
        if high - low == 1:
            first = int(self.heights[low])
            if not self.slopes[low]:
                return np.full(stop - start, first, dtype=np.int64)
            first += start - int(self.starts[low])
            return np.arange(first, first + stop - start, dtype=np.int64)
        pieces = slice(low, high)
        lengths = np.diff(np.append(self.starts[pieces], stop))
        lengths[0] -= start - self.starts[low]
        base = np.repeat(self.heights[pieces] - self.slopes[pieces] * self.starts[pieces], lengths)
        return np.asarray(base + np.repeat(self.slopes[pieces], lengths) * np.arange(start, stop))

    @overload
    def below(self, values: int) -> int: ...
    @overload
    def below(self, values: Whole) -> Whole: ...
    def below(self, values: Whole | int) -> Whole | int:
        """Return how many places have a value below one, or each of some: the first place with at least that."""
        if isinstance(values, int):
            starts, heights, _, tops = self._for_one
            piece = bisect_left(tops, values)
            if piece == len(tops):
                return self.length
            return int(starts[piece] + max(values - heights[piece], 0))
        if self.n_pieces == 1:
            after = np.maximum(values - self.heights[0], 0)
            return np.where(values > self._tops[0], self.length, after if self.slopes[0] else 0)
        piece = self._tops.searchsorted(values)
        starts, heights = self._bounded
        return np.asarray(starts[piece] + np.maximum(values - heights[piece], 0))

    @overload
    def upto(self, values: int) -> int: ...
    @overload
    def upto(self, values: Whole) -> Whole: ...
    def upto(self, values: Whole | int) -> Whole | int:
        """Return how many places have at most a value, or each of some."""
        return self.below(values + 1)

    @overload
    def sum_before(self, places: int) -> int: ...
    @overload
    def sum_before(self, places: Whole) -> Whole: ...
    def sum_before(self, places: Whole | int) -> Whole | int:
        """Sum of all values on [0, place), for a place in [0, length] or for some."""
        if isinstance(places, int):
            starts, heights, slopes, _ = self._for_one
            piece = bisect_right(starts, places) - 1
            length = places - int(starts[piece])
            rise = int(slopes[piece]) * (length * (length - 1) // 2)
            return int(self._sums[piece]) + length * int(heights[piece]) + rise
        pieces: Whole | int = 0 if self.n_pieces == 1 else self.piece(places)
        return np.asarray(self._sums[pieces] + self._sum_of_piece(pieces, places - self.starts[pieces]))

    def _sum_of_piece(self, piece: Whole | slice | int, length: Whole) -> Whole:
        return np.asarray(length * self.heights[piece] + self.slopes[piece] * (length * (length - 1) // 2))

    @cached_property
    def _sums(self) -> Whole:
        lengths = np.diff(self.starts, append=self.length)
        sums = np.zeros(len(lengths), dtype=np.int64)
        np.cumsum(self._sum_of_piece(slice(None), lengths)[:-1], out=sums[1:])
        return sums

    @cached_property
    def _for_one(self) -> tuple[Sequence[int] | Whole, ...]:
        """Pieces and their last values, as lists if they are not too many."""
        arrays = (self.starts, self.heights, self.slopes, self._tops)
        return tuple(array.tolist() for array in arrays) if self.n_pieces < _MANY else arrays

    @cached_property
    def _bounded(self) -> tuple[Whole, Whole]:
        """Beginnings of pieces and their heights, with an end that no value reaches."""
        return np.append(self.starts, self.length), np.append(self.heights, _LARGEST)

    def places_upto(self, length: int) -> Staircase:
        """Return :meth:`upto` as a staircase of the values 0 to ``length`` - 1: the generalised inverse.

        >>> Staircase.from_values([1, 1, 2, 4]).places_upto(6).values(0, 6).tolist()
        [0, 2, 3, 3, 4, 4]
        """
        # Every piece gives one of the same slope for all its values but the last, from which on all of it counts.
        after = np.append(self.starts[1:], self.length)
        starts = np.stack([self.heights, self._tops], axis=1).reshape(-1)
        heights = np.stack([self.starts + 1, after], axis=1).reshape(-1)
        slopes = np.stack([self.slopes, np.zeros_like(self.slopes)], axis=1).reshape(-1)
        starts, heights, slopes = (np.append(0, array) for array in (starts, heights, slopes))
        inside = starts < length
        starts = np.maximum(starts[inside], 0)
        return Staircase(length, starts, heights[inside], slopes[inside])

    def of(self, inner: Staircase) -> Staircase:
        """Return the staircase with the value of this one at the value of ``inner``, which lies in [0, length).

        >>> Staircase.from_values([0, 0, 3, 7]).of(Staircase.clipped(5, -1, 0, 3)).values(0, 5).tolist()
        [0, 0, 0, 3, 7]
        """
        starts = union(inner.starts, inner.below(self.starts))
        starts = starts[starts < inner.length]
        between = inner.at(starts)
        slopes = inner.slopes[inner.piece(starts)] * self.slopes[self.piece(between)]
        return Staircase(inner.length, starts, self.at(between), slopes)

    def differences(self) -> tuple[Whole, Whole]:
        """Return the differences between neighbours: where runs of one difference begin, and which.

        The difference number x is that of the values at x and x + 1. Differences above 1 may be repeated.
        """
        return _differences(self.length, self.starts, self.heights, self.slopes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Staircase):
            return NotImplemented
        return self.length == other.length and self.key == other.key

    def __hash__(self) -> int:
        return hash((self.length, self.key))

    @property
    def key(self) -> bytes:
        """Bytes that tell staircases of one length apart."""
        return np.concatenate([self.starts, self.heights, self.slopes]).tobytes()

    def __repr__(self) -> str:
        shown = [
            f"{height} at {start}" + " rising" * slope
            for start, height, slope in zip(
                self.starts[:4].tolist(), self.heights[:4].tolist(), self.slopes[:4].tolist(), strict=True
            )
        ]
        return f"<Staircase [0, {self.length}): {', '.join(shown + ['…'] * (self.n_pieces > 4))}>"


def union(*places: Whole) -> Whole:
    """Return all places once, in order; quicker than numpy's own for arrays that are in order each."""
    found = np.sort(np.concatenate(places), kind="stable")
    return np.asarray(found[np.append(True, found[1:] != found[:-1])[: len(found)]])


class CommonPieces(NamedTuple):
    """Pieces on which both of two staircases keep their slope, or go up by steps all alike.

    Attributes
    ----------
    starts, lengths : ndarray of int64
        Where the pieces begin, and their lengths.
    heights, slopes : (ndarray, ndarray) of int64
        Of the one and the other staircase. Where the slope is 1 the value goes up by ``partners`` every ``lines``
        places.
    lines, partners : int
        The same for all pieces; all lengths are multiples of ``lines``.
    """

    starts: Whole
    lengths: Whole
    heights: tuple[Whole, Whole]
    slopes: tuple[Whole, Whole]
    lines: int = 1
    partners: int = 1

    def grouped(self, group: int) -> CommonPieces:
        """Return the pieces where every place is repeated so many times."""
        return self._replace(
            starts=self.starts * group, lengths=self.lengths * group, lines=self.lines * group
        )

    def scaled(self, factor: int) -> CommonPieces:
        """Return the pieces where every value is so many times as large."""
        heights = self.heights[0] * factor, self.heights[1] * factor
        return self._replace(heights=heights, partners=self.partners * factor)


def common_pieces(one: Staircase, other: Staircase) -> CommonPieces:
    """Return the pieces of two staircases of one length.

    >>> common_pieces(Staircase.clipped(4, 0, 0, 2), Staircase.clipped(4, 0, 1, 9)).starts.tolist()
    [0, 2, 3]
    """
    starts = union(one.starts, other.starts)
    return CommonPieces(
        starts,
        np.diff(starts, append=one.length),
        (one.at(starts), other.at(starts)),
        (one.slopes[one.piece(starts)], other.slopes[other.piece(starts)]),
    )


def _checked(length: int, starts: Whole, heights: Whole, slopes: Whole) -> tuple[Whole, Whole, Whole]:
    """Leave out pieces of no length, and refuse what is no staircase."""
    bounds = np.append(starts, length)
    if length < 1 or not len(starts) == len(heights) == len(slopes) or bounds[0] != 0:
        raise ValueError("a staircase has at least one place, and its pieces begin at 0")
    taken = bounds[1:] > bounds[:-1]
    tops = (heights + slopes * (np.diff(bounds) - 1))[taken]
    if (
        (np.diff(bounds) < 0).any()
        or ((slopes != 0) & (slopes != 1)).any()
        or (heights[taken][1:] < tops[:-1]).any()
    ):
        raise ValueError("a staircase never goes down, and its pieces have slope 0 or 1")
    return starts[taken], heights[taken], slopes[taken]


def _longest(length: int, starts: Whole, heights: Whole, slopes: Whole) -> tuple[Whole, Whole, Whole]:
    """Return the same function in pieces that are as long as they can be, from the left."""
    where, differences = _differences(length, starts, heights, slopes)
    # A piece may begin behind a jump, or where the difference is not the one before.
    jumps = differences > 1
    changes = np.append(False, differences[1:] != differences[:-1])[: len(where)]
    where, jumps = where[jumps | changes] + 1, jumps[jumps | changes]
    # It does not where the piece before has one place only: that one takes on the new difference.
    order = np.arange(len(where))
    restart = jumps | np.append(True, np.diff(where) > 1)[: len(where)]
    since = order - np.maximum.accumulate(np.where(restart, order, 0))
    begins = np.append(0, where[since % 2 == 0])
    first = _values_at(begins, starts, heights, slopes)
    second = _values_at(np.minimum(begins + 1, length - 1), starts, heights, slopes)
    alone = np.diff(begins, append=length) == 1
    return begins, first, np.where(alone, 0, second - first)


def _values_at(places: Whole | int, starts: Whole, heights: Whole, slopes: Whole) -> Whole:
    piece = starts.searchsorted(places, side="right") - 1
    return np.asarray(heights[piece] + slopes[piece] * (places - starts[piece]))


def _differences(length: int, starts: Whole, heights: Whole, slopes: Whole) -> tuple[Whole, Whole]:
    """Return the differences from place to place: where runs of one difference begin, and which; jumps one by one."""
    lengths = np.diff(starts, append=length)
    tops = heights + slopes * (lengths - 1)
    where = np.stack([starts, starts + lengths - 1], axis=1).reshape(-1)[:-1]
    found = np.stack([slopes, np.append(heights[1:] - tops[:-1], 0)], axis=1).reshape(-1)[:-1]
    taken = np.diff(where, append=length - 1) > 0
    return where[taken], found[taken]
