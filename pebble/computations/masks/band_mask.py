"""Masks in which every query attends to an interval of keys whose ends never decrease; and that of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_parts import band_parts
from pebble.computations.masks.band_questions import BandQuestions
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask, RegularPart
from pebble.computations.masks.staircase import Intervals, Staircase, union, where_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]


class BandMask(Mask):
    """Query i attends to the keys ``start[i]`` to ``stop[i] - 1``; causal, windows, prefix and documents are such.

    Memory is proportional to the number of pieces of both ends (see
    :class:`~pebble.computations.masks.staircase.Staircase`), whatever the numbers of queries and keys; a box is counted
    in the logarithm of it.

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

    banded = True

    def __init__(self, spec: str, Nk: int, start: Staircase | Whole, stop: Staircase | Whole) -> None:
        start, stop = (
            ends if isinstance(ends, Staircase) else Staircase.from_values(ends) for ends in (start, stop)
        )
        super().__init__(spec, start.length, Nk)
        inside = start.length == stop.length and start.heights[0] >= 0
        inside = inside and stop.values(stop.length - 1, stop.length)[0] <= Nk
        if not inside or where_apart(start, stop, 0) != Intervals.all(start.length):
            raise ValueError("the ends of a band never go back, and lie within the keys")
        # The queries of a key: those that do not stop before it, up to those that do not start after it.
        self._ends = {"i": (start, stop), "j": (stop.places_upto(Nk), start.places_upto(Nk))}
        self._taken = {axis: where_apart(*ends, 1) for axis, ends in self._ends.items()}

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

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        start, stop = (ends.at(lines) for ends in self._ends[axis])
        return np.where(start < stop, start, self.extents[OTHER_AXIS[axis]])

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        start, stop = (ends.at(lines) for ends in self._ends[axis])
        return np.where(start < stop, stop - 1, -1)

    def present_lines(self, axis: str) -> Intervals:
        """Return the lines of an axis that have any pair."""
        return self._taken[axis]

    def _answers(self) -> Questions:
        return BandQuestions(self)

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        j = np.arange(*keys, dtype=np.int64)
        start, stop = (ends.values(*queries)[:, None] for ends in self._ends["i"])
        return np.asarray((start <= j) & (j < stop))

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which both ends of a line's interval stay or move by one."""
        return steady_runs(self._ends[axis])

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners every line of an axis has a pair with."""
        before = np.zeros(len(partners) + 1, dtype=np.int64)
        np.cumsum(partners, out=before[1:])
        start, stop = (ends.values(0, ends.length) for ends in self._ends[axis])
        return np.asarray(before[stop] - before[start])

    def between(self, queries: Interval, keys: Interval) -> BandMask:
        """Return the band of some queries and keys alone, both counted from the first of them; named ``part``."""
        lines = Staircase.clipped(queries[1] - queries[0], queries[0], 0, self.Nq)
        values = Staircase.clipped(self.Nk + 1, -keys[0], 0, keys[1] - keys[0])
        return BandMask("part", keys[1] - keys[0], *(values.of(ends.of(lines)) for ends in self._ends["i"]))

    @cached_property
    def _separations(self) -> dict[str, list[int]]:
        parts = band_parts(*self._ends["i"])
        return {"i": parts.queries[0][1:].tolist(), "j": parts.keys[0][1:].tolist()}

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


class FullMask(Mask):
    """Every query attends to every key. Nothing is stored, whatever the numbers of queries and keys.

    Examples
    --------
    >>> mask = FullMask(10**9, 10**9)
    >>> mask.pairs, mask.present("i")
    (1000000000000000000, 1000000000)
    """

    connected = True

    def __init__(self, Nq: int, Nk: int) -> None:
        super().__init__("full", Nq, Nk)

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines: 0."""
        return np.zeros_like(lines)

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines: the last line of the other axis."""
        return np.full_like(lines, self.extents[OTHER_AXIS[axis]] - 1)

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of pairs in a box."""
        return max(queries[1] - queries[0], 0) * max(keys[1] - keys[0], 0)

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval."""
        return (self.extents[axis] if stop is None else stop) - start

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        return np.broadcast_to(np.True_, (queries[1] - queries[0], keys[1] - keys[0]))

    def _answers(self) -> Questions:
        ends = (Staircase(self.Nq, 0, value, 0) for value in (0, self.Nk))
        return BandMask(self.spec, self.Nk, *ends).questions

    def _identity(self) -> object:
        return None
