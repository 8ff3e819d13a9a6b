"""Masks in which every query attends to an interval of keys whose ends never decrease."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import Interval, Mask, RegularPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BandMask"]


class BandMask(Mask):
    """Query i attends to the keys ``start[i]`` to ``stop[i] - 1``; causal, windows, prefix and documents are such.

    Memory is proportional to Nq + Nk, and a box is counted without listing its pairs.

    Parameters
    ----------
    spec : str
    Nk : int
        Number of keys.
    start, stop : ndarray of int, shape (Nq,)
        Both never decreasing, 0 ≤ start ≤ stop ≤ Nk. A query with start = stop attends to nothing.

    Examples
    --------
    >>> mask = BandMask("causal", 4, np.zeros(4), np.arange(1, 5))
    >>> mask, mask.count((2, 4), (1, 4))
    (<Mask causal: 10 of 16 pairs>, 5)
    """

    def __init__(self, spec: str, Nk: int, start: NDArray[np.int64], stop: NDArray[np.int64]) -> None:
        super().__init__(spec, len(start), Nk)
        start, stop = np.asarray(start, dtype=np.int64), np.asarray(stop, dtype=np.int64)
        if not (
            len(start) == len(stop)
            and (np.diff(start) >= 0).all()
            and (np.diff(stop) >= 0).all()
            and ((start >= 0) & (start <= stop) & (stop <= Nk)).all()
        ):
            raise ValueError("the ends of a band never go back, and lie within the keys")
        keys = np.arange(Nk, dtype=np.int64)
        # The queries of a key: those that do not stop before it, up to those that do not start after it.
        self._start = {"i": start, "j": np.searchsorted(stop, keys, side="right").astype(np.int64)}
        self._stop = {"i": stop, "j": np.searchsorted(start, keys, side="right").astype(np.int64)}
        self._stop["j"] = np.maximum(self._start["j"], self._stop["j"])
        self._first, self._last = {}, {}
        for axis, other in (("i", Nk), ("j", len(start))):
            empty = self._start[axis] >= self._stop[axis]
            self._first[axis] = np.where(empty, other, self._start[axis])
            self._last[axis] = np.where(empty, -1, self._stop[axis] - 1)

    def first(self, axis: str, lines: Interval | None = None) -> NDArray[np.int64]:
        """First partner of every line of an interval."""
        return self._first[axis] if lines is None else self._first[axis][lines[0] : lines[1]]

    def last(self, axis: str, lines: Interval | None = None) -> NDArray[np.int64]:
        """Last partner of every line of an interval."""
        return self._last[axis] if lines is None else self._last[axis][lines[0] : lines[1]]

    def ends(self, axis: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First partner of every line, and the one behind its last; both non-decreasing, equal for an empty line."""
        return self._start[axis], self._stop[axis]

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of allowed pairs in a box; cost proportional to its shorter side."""
        axis, lines, partners = ("i", queries, keys)
        if keys[1] - keys[0] < queries[1] - queries[0]:
            axis, lines, partners = ("j", keys, queries)
        low = np.maximum(self._start[axis][lines[0] : lines[1]], partners[0])
        high = np.minimum(self._stop[axis][lines[0] : lines[1]], partners[1])
        return int(np.maximum(high - low, 0).sum())

    def started(self, axis: str, lines: Interval, before: int) -> int:
        """Number of lines that have a pair with a partner before ``before``."""
        if before <= 0:
            return 0
        return super().started(axis, lines, before)

    def has_pairs(self, axis: str, lines: Interval, partners: Interval) -> bool:
        """Whether some lines of an axis have any pair with some of the other; cost logarithmic."""
        if lines[0] >= lines[1] or partners[0] >= partners[1]:
            return False
        low = max(int(np.searchsorted(self._stop[axis], partners[0], side="right")), lines[0])
        high = min(int(np.searchsorted(self._start[axis], partners[1])), lines[1])
        return low < high and self.present(axis, low, high) > 0

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        j = np.arange(*keys, dtype=np.int64)
        start, stop = (ends["i"][queries[0] : queries[1], None] for ends in (self._start, self._stop))
        return np.asarray((start <= j) & (j < stop))

    def at_lines(self, axis: str, lines: NDArray[np.int64], partners: Interval) -> NDArray[np.bool_]:
        """Return the pairs of chosen lines of an axis with some partners, shape (lines, partners)."""
        other = np.arange(*partners, dtype=np.int64)
        start, stop = self._start[axis][lines, None], self._stop[axis][lines, None]
        return np.asarray((start <= other) & (other < stop))

    def pattern_changes(self, axis: str, lines: Interval, partners: Interval) -> NDArray[np.int64]:
        """Where the partners among ``partners`` begin and end."""
        other = "j" if axis == "i" else "i"
        one, two = partners
        return np.concatenate([self._start[other][one:two], self._stop[other][one:two]])

    def flag_changes(self, axis: str, lines: Interval, partners: Interval) -> NDArray[np.int64]:
        """Where a line first has pairs after ``partners`` and last has some before, and where empty lines begin."""
        toggles = self._toggles[axis]
        low, high = np.searchsorted(toggles, lines)
        before = np.searchsorted(self._start[axis], partners[0])
        after = np.searchsorted(self._stop[axis], partners[1], side="right")
        return np.concatenate([toggles[low:high], [before, after]]).astype(np.int64)

    @cached_property
    def _toggles(self) -> dict[str, NDArray[np.int64]]:
        """Where lines with pairs follow on lines without, or the other way round."""
        empty = {axis: self._last[axis] < 0 for axis in self._last}
        return {axis: np.flatnonzero(is_empty[1:] != is_empty[:-1]) + 1 for axis, is_empty in empty.items()}

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of some partners every line of an axis has a pair with."""
        before = np.zeros(len(partners) + 1, dtype=np.int64)
        np.cumsum(partners, out=before[1:])
        stop = np.maximum(self._start[axis], self._stop[axis])
        return np.asarray(before[stop] - before[self._start[axis]])

    def regular_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which both ends of a line's interval stay or move by one."""
        moved = np.stack([np.diff(self._start[axis]), np.diff(self._stop[axis])], axis=1)
        changes = np.flatnonzero((moved[1:] != moved[:-1]).any(axis=1)) + 1
        parts = []
        for first, last in itertools.pairwise([0, *changes.tolist(), len(moved)]):
            if last > first and moved[first].max() <= 1:
                parts.append(RegularPart(first, last + 1, (bool(moved[first][0]), bool(moved[first][1]))))
        return parts

    def _parts(self) -> dict[str, NDArray[np.int64]]:
        from pebble.computations.masks.components import parts_of_band

        return parts_of_band(self._start["i"], self._stop["i"], self.Nk)

    def _identity(self) -> object:
        return self._start["i"].tobytes(), self._stop["i"].tobytes()
