"""The ends of a band: non-decreasing functions, constant or rising by one in pieces; and sets of few intervals."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

_LARGEST = 2**62


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
    >>> at = np.array([5, 7])
    >>> ends.below(at).tolist(), ends.upto(at).tolist(), ends.sum_before(at).tolist()
    ([4, 6], [5, 7], [13, 26])
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

    def at(self, places: Whole) -> Whole:
        """Values at places in [0, length)."""
        return _values_at(places, self.starts, self.heights, self.slopes)

    def piece(self, places: Whole) -> Whole:
        """Numbers of the pieces in which some places lie."""
        if len(self.starts) == 1:
            return np.zeros(places.shape, dtype=np.int64)
        return np.asarray(self.starts.searchsorted(places, side="right") - 1)

    def values(self, start: int, stop: int) -> Whole:
        """All values on [start, stop)."""
        return self.at(np.arange(start, stop, dtype=np.int64))

    def below(self, values: Whole) -> Whole:
        """Return for each of some values how many places have a value below it: the first place with at least that."""
        if len(self.starts) == 1:
            after = np.maximum(values - self.heights[0], 0)
            return np.where(values > self._tops[0], self.length, after if self.slopes[0] else 0)
        piece = self._tops.searchsorted(values)
        starts, heights = self._bounded
        return np.asarray(starts[piece] + np.maximum(values - heights[piece], 0))

    def upto(self, values: Whole) -> Whole:
        """Return for each of some values how many places have at most that."""
        return self.below(values + 1)

    def sum_before(self, places: Whole) -> Whole:
        """Sums of all values on [0, place), for places in [0, length]."""
        piece = self.piece(places)
        return np.asarray(self._sums[piece] + self._sum_of_piece(piece, places - self.starts[piece]))

    def _sum_of_piece(self, piece: Whole | slice, length: Whole) -> Whole:
        return np.asarray(length * self.heights[piece] + self.slopes[piece] * (length * (length - 1) // 2))

    @cached_property
    def _sums(self) -> Whole:
        lengths = np.diff(self.starts, append=self.length)
        sums = np.zeros(len(lengths), dtype=np.int64)
        np.cumsum(self._sum_of_piece(slice(None), lengths)[:-1], out=sums[1:])
        return sums

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
        return f"<Staircase [0, {self.length}): {', '.join(shown + ['…'] * (len(self.starts) > 4))}>"


def union(*places: Whole) -> Whole:
    """Return all places once, in order; quicker than numpy's own for arrays that are in order each."""
    found = np.concatenate(places)
    found.sort(kind="stable")
    return np.asarray(found[first_of_equals(found)])


def first_of_equals(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of each value whether it is not the one before.

    >>> first_of_equals(np.array([3, 3, 5])).tolist()
    [True, False, True]
    """
    found = np.empty(len(values), dtype=bool)
    found[:1] = True
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


class CommonPieces(NamedTuple):
    """Pieces on which both of two staircases keep their slope.

    Attributes
    ----------
    starts, lengths : ndarray of int64
        Where the pieces begin, and their lengths.
    heights, slopes : (ndarray, ndarray) of int64
        Of the one and the other staircase.
    """

    starts: Whole
    lengths: Whole
    heights: tuple[Whole, Whole]
    slopes: tuple[Whole, Whole]


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


def _values_at(places: Whole, starts: Whole, heights: Whole, slopes: Whole) -> Whole:
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

    def rest(self, length: int) -> Intervals:
        """Return the other lines of [0, ``length``)."""
        return Intervals(np.append(0, self.ends), np.append(self.begins, length))

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
