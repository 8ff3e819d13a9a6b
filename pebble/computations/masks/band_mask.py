"""Masks in which every query attends to an interval of keys whose ends never decrease."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pebble.computations.masks.band_parts import BandParts, band_parts
from pebble.computations.masks.intervals import Intervals, where_apart
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask, RegularPart
from pebble.computations.masks.staircase import CommonPieces, Staircase, common_pieces, union
from pebble.computations.masks.staircase_parts import outlines_of_parts, part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.band_questions import BandQuestions

    Whole = NDArray[np.int64]

__all__ = ["BandMask", "steady_ends", "steady_runs"]


class BandMask(Mask):
    """Query i attends to the keys ``start[i]`` to ``stop[i] - 1``; causal, windows, prefix and documents are such.

    Memory is proportional to the number of pieces of both ends (see
    :class:`~pebble.computations.masks.staircase.Staircase`), whatever the numbers of queries and keys, and so is the
    cost of what is asked about all lines; a box is counted in the logarithm of it.

    Parameters
    ----------
    spec : str
    Nk : int
        Number of keys.
    start, stop : Staircase, or ndarray of int of shape (Nq,)
        Both never decreasing, 0 ≤ start ≤ stop ≤ Nk. A query with start = stop attends to nothing.

    Raises
    ------
    ValueError
        If the ends are not so.

    Examples
    --------
    >>> mask = BandMask("causal", 4, np.zeros(4), np.arange(1, 5))
    >>> mask, mask.count((2, 4), (1, 4))
    (<Mask causal: 10 of 16 pairs>, 5)
    >>> N = 10**9
    >>> BandMask("causal", N, Staircase.clipped(N, 0, 0, 0), Staircase.clipped(N, 1, 0, N)).pairs
    500000000500000000
    """

    def __init__(self, spec: str, Nk: int, start: Staircase | Whole, stop: Staircase | Whole) -> None:
        start, stop = (
            ends if isinstance(ends, Staircase) else Staircase.from_values(ends) for ends in (start, stop)
        )
        super().__init__(spec, start.length, Nk)
        inside = start.length == stop.length and start.at(0) >= 0 and stop.at(stop.length - 1) <= Nk
        if not inside or where_apart(start, stop, 0) != Intervals.all(start.length):
            raise ValueError("the ends of a band never go back, and lie within the keys")
        # The queries of a key: those that do not stop before it, up to those that do not start after it.
        self._ends = {"i": (start, stop), "j": (stop.places_upto(Nk), start.places_upto(Nk))}
        self._taken = {axis: where_apart(*ends, 1) for axis, ends in self._ends.items()}
        self._all_taken = {axis: self._taken[axis] == Intervals.all(n) for axis, n in self.extents.items()}

    def ends(self, axis: str) -> tuple[Staircase, Staircase]:
        """First partner of every line, and the one behind its last; both non-decreasing, equal for an empty line."""
        return self._ends[axis]

    @property
    def bands(self) -> tuple[BandMask, ...]:
        """Disjoint bands that the mask is made of: itself."""
        return (self,)

    def ends_of(self, axis: str, lines: Whole) -> Whole:
        """Return first partner of chosen lines and the one behind the last, shape (2, lines)."""
        return np.stack([ends.at(lines) for ends in self._ends[axis]])

    def ungrouped(self) -> tuple[BandMask, int]:
        """Return the band of single queries, and how often each of them is repeated here."""
        return self, 1

    def pieces(self, axis: str) -> CommonPieces:
        """Return pieces of an axis in which both ends of a line's interval stay, or go up by the same steps."""
        return common_pieces(*self._ends[axis])

    def first(self, axis: str, lines: Interval | None = None) -> Whole:
        """First partner of every line of an interval."""
        start, stop = lines or (0, self.extents[axis])
        values, ends = self._ends[axis][0].values(start, stop), self._ends[axis][1]
        if self.present(axis, start, stop) == stop - start:
            return values
        return np.where(values < ends.values(start, stop), values, self.extents[OTHER_AXIS[axis]])

    def last(self, axis: str, lines: Interval | None = None) -> Whole:
        """Last partner of every line of an interval."""
        start, stop = lines or (0, self.extents[axis])
        begins, values = self._ends[axis][0], self._ends[axis][1].values(start, stop)
        if self.present(axis, start, stop) == stop - start:
            return values - 1
        return np.where(begins.values(start, stop) < values, values - 1, -1)

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        start, stop = (ends.at(lines) for ends in self._ends[axis])
        return np.where(start < stop, start, self.extents[OTHER_AXIS[axis]])

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        start, stop = (ends.at(lines) for ends in self._ends[axis])
        return np.where(start < stop, stop - 1, -1)

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of allowed pairs in a box."""
        if queries[0] >= queries[1] or keys[0] >= keys[1]:
            return 0
        return int(self.pairs_before(queries, keys[1]) - self.pairs_before(queries, keys[0]))

    @overload
    def pairs_before(self, queries: Interval, key: int) -> int: ...
    @overload
    def pairs_before(self, queries: tuple[Whole, Whole], key: Whole) -> Whole: ...
    def pairs_before(self, queries: Any, key: Any) -> Any:
        """Pairs of some queries with the keys before one; for many of both too."""
        # Of every query key - start, less key - stop, where above 0.
        low, high = queries
        total = 0
        for ends, sign in zip(self._ends["i"], (1, -1), strict=True):
            upto = ends.below(key)
            upto = min(max(upto, low), high) if isinstance(key, int) else np.clip(upto, low, high)
            skipped = 0 if isinstance(low, int) and low == 0 else ends.sum_before(low)
            total += sign * ((upto - low) * key - (ends.sum_before(upto) - skipped))
        return total

    @cached_property
    def _present(self) -> dict[str, Staircase]:
        """Number of lines with any pair before each place of an axis."""
        return {axis: taken.counting(self.extents[axis]) for axis, taken in self._taken.items()}

    def present_before(self, axis: str, places: Whole) -> Whole:
        """Number of lines with any pair before each of some places of an axis, from 0 to its length."""
        return self._present[axis].at(places)

    def behind_last_present(self, axis: str, places: Whole) -> Whole:
        """Of the lines before each of some places: the place behind the last one that has any pair; 0: none."""
        present = self._present[axis]
        return present.below(present.at(places))

    @cached_property
    def questions(self) -> BandQuestions:
        """What the mask answers about many boxes at once."""
        from pebble.computations.masks.band_questions import BandQuestions

        return BandQuestions(self)

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval that have any pair."""
        stop = self.extents[axis] if stop is None else stop
        if self._all_taken[axis]:
            return stop - start
        present = self._present[axis]
        return int(present.at(stop) - present.at(start))

    def presence_changes(self, axis: str) -> list[int]:
        """Return where lines with pairs follow on lines without, or the other way round."""
        bounds = np.sort(np.concatenate([self._taken[axis].begins, self._taken[axis].ends]))
        return [place for place in bounds.tolist() if 0 < place < self.extents[axis]]

    def present_lines(self, axis: str) -> Intervals:
        """Return the lines of an axis that have any pair."""
        return self._taken[axis]

    def has_pairs(self, axis: str, lines: Interval, partners: Interval) -> bool:
        """Whether some lines of an axis have any pair with some of the other."""
        if lines[0] >= lines[1] or partners[0] >= partners[1]:
            return False
        start, stop = self._ends[axis]
        low = max(stop.upto(partners[0]), lines[0])
        high = min(start.below(partners[1]), lines[1])
        return low < high and self.present(axis, low, high) > 0

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        j = np.arange(*keys, dtype=np.int64)
        start, stop = (ends.values(*queries)[:, None] for ends in self._ends["i"])
        return np.asarray((start <= j) & (j < stop))

    def all_present(self, axis: str) -> bool:
        """Whether every line of an axis has some pair."""
        return self._all_taken[axis]

    def at_lines(self, axis: str, lines: Whole, partners: Interval) -> NDArray[np.bool_]:
        """Return the pairs of chosen lines of an axis with some partners, shape (lines, partners)."""
        other = np.arange(*partners, dtype=np.int64)
        start, stop = (ends.at(lines)[:, None] for ends in self._ends[axis])
        return np.asarray((start <= other) & (other < stop))

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which both ends of a line's interval stay or move by one."""
        return steady_runs(self._ends[axis])

    # For few lines only: arrays of all lines

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners every line of an axis has a pair with."""
        before = np.zeros(len(partners) + 1, dtype=np.int64)
        np.cumsum(partners, out=before[1:])
        start, stop = (ends.values(0, ends.length) for ends in self._ends[axis])
        return np.asarray(before[stop] - before[start])

    def _parts(self) -> dict[str, Whole]:
        labels = self._band_parts.labels(self.Nq, self.Nk)
        labels["i"][self.last("i") < 0] = -1
        return labels

    def separations(self, axis: str) -> list[int]:
        """Return where one part of the band ends and the next one begins; nowhere inside a diagonal of single pairs."""
        begins, _ = self._band_parts.queries if axis == "i" else self._band_parts.keys
        places: list[int] = begins[1:].tolist()
        return places

    def between(self, queries: Interval, keys: Interval) -> BandMask:
        """Return the band of some queries and keys alone, both counted from the first of them; named ``part``."""
        start, stop = (part_of(ends, queries, keys) for ends in self._ends["i"])
        part = BandMask("part", keys[1] - keys[0], start, stop)
        part.empty_rows = self.empty_rows
        return part

    def keys_of_parts(self, queries: Whole, keys: Whole) -> Iterator[Hashable]:
        """Yield for the parts between some places what is equal only if :meth:`between` is."""
        firsts, lasts = (outlines_of_parts(ends, queries, keys) for ends in self._ends["i"])
        return zip(np.diff(queries).tolist(), np.diff(keys).tolist(), firsts, lasts, strict=True)

    @cached_property
    def _band_parts(self) -> BandParts:
        return band_parts(*self._ends["i"])

    def _identity(self) -> object:
        return self._ends["i"]


def steady_runs(ends: Sequence[Staircase]) -> list[RegularPart]:
    """Return the longest runs of at least two lines in which each of some ends stays or goes up by one, in order."""
    begins, stops, moved = steady_ends(ends)
    return [
        RegularPart(start, stop, tuple(moves))
        for start, stop, moves in zip(begins.tolist(), stops.tolist(), moved.tolist(), strict=True)
    ]


def steady_ends(ends: Sequence[Staircase]) -> tuple[Whole, Whole, NDArray[np.bool_]]:
    """Return where the runs of :func:`steady_runs` begin and stop, and which ends go up, shape (runs, ends)."""
    runs = [end.differences() for end in ends]
    where = union(*(begins for begins, _ in runs))
    moved = np.stack([moves[begins.searchsorted(where, side="right") - 1] for begins, moves in runs], axis=1)
    changes = np.append(True, (moved[1:] != moved[:-1]).any(axis=1))[: len(where)]
    where, moved = where[changes], moved[changes]
    stops = np.append(where[1:], ends[0].length - 1) + 1
    regular = moved.max(axis=1, initial=0) <= 1
    return where[regular], stops[: len(where)][regular], moved[regular] == 1
