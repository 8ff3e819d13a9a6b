"""The answers of a mask that is kept pair by pair."""

from __future__ import annotations

from functools import cached_property
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


class DenseQuestions(Questions):
    """Answers from the numbers of pairs before every corner: four bytes for each of at most 2³¹ pairs.

    Parameters
    ----------
    mask : DenseMask
    """

    def __init__(self, mask: DenseMask) -> None:
        super().__init__(mask.extents)
        self._mask = mask
        # By the shorter axis, for sums are made row by row.
        self._rows = "i" if mask.Nq <= mask.Nk else "j"
        self._present = {axis: np.append(0, np.cumsum(mask.last(axis) >= 0)) for axis in OTHER_AXIS}

    @cached_property
    def _sums(self) -> NDArray[np.int32]:
        """Pairs before every corner, row by row: numpy's sums down an array are slow."""
        rows = self._mask.allowed if self._rows == "i" else self._mask.allowed.T
        sums = np.zeros((rows.shape[0] + 1, rows.shape[1] + 1), dtype=np.int32)
        column = np.zeros(rows.shape[1], dtype=np.int32)
        for row, found in zip(rows, sums[1:, 1:], strict=True):
            column += row
            np.cumsum(column, out=found)
        return sums

    @cached_property
    def _lines(self) -> dict[str, LinesByFirst]:
        return {
            axis: LinesByFirst(self._mask.first(axis), self.extents[other])
            for axis, other in OTHER_AXIS.items()
        }

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        a, b, c, d = (x0, x1, p, q) if axis == self._rows else (p, q, x0, x1)
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
