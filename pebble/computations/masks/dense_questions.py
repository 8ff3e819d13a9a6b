"""The answers of a mask that is kept pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.dense_mask import DenseMask

    Whole = NDArray[np.int64]

__all__ = ["DenseQuestions"]

_CHUNK = 2**20


class DenseQuestions(Questions):
    """Answers from the numbers of pairs before every corner: four bytes for each pair of at most 2³¹.

    Parameters
    ----------
    mask : DenseMask
    """

    def __init__(self, mask: DenseMask) -> None:
        super().__init__(mask.extents)
        self._sums = _sums_before(mask.allowed)
        self._present, self._lines = {}, {}
        for axis, other in OTHER_AXIS.items():
            first, partners = mask.first(axis), self.extents[other]
            self._present[axis] = np.append(0, np.cumsum(first < partners))
            self._lines[axis] = LinesByFirst(first, partners)

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        a, b, c, d = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        flat, width = self._sums.reshape(-1), self._sums.shape[1]
        a, b = a * width, b * width
        return np.asarray(flat[b + d] - flat[a + d] - (flat[b + c] - flat[a + c]), dtype=np.int64)

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        return np.asarray(self._present[axis][x1] - self._present[axis][x0])

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        return self._lines[axis].begun(x0, x1, place)

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        return self._lines[axis].behind_latest(x0, x1, p, q)


def _sums_before(allowed: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the number of pairs before every corner, some rows at a time."""
    rows, columns = allowed.shape
    sums = np.zeros((rows + 1, columns + 1), dtype=np.int32 if rows * columns < 2**31 else np.int64)
    step = max(1, _CHUNK // columns)
    for start in range(0, rows, step):
        part = sums[start + 1 : start + 1 + step, 1:]
        np.cumsum(allowed[start : start + step], axis=1, dtype=sums.dtype, out=part)
        part[0] += sums[start, 1:]
        np.cumsum(part, axis=0, out=part)
    return sums
