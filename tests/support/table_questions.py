"""The answers of any mask, looked up in an array of all its pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.computations.masks.mask import OTHER_AXIS, Mask
from pebble.computations.masks.questions import Questions

Whole = NDArray[np.int64]


class TableQuestions(Questions):
    """A reference: memory is proportional to queries × keys, and lines are looked at one by one."""

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
