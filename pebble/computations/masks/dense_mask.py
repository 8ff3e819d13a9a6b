"""Masks stored as an array of booleans, and their answers."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask
from pebble.computations.masks.questions import Questions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]


class DenseMask(Mask):
    """Any array of booleans.

    Parameters
    ----------
    spec : str
    allowed : ndarray of bool, shape (Nq, Nk)
        A byte for each pair is kept.

    Examples
    --------
    >>> DenseMask("own", np.eye(3, dtype=bool))
    <Mask own: 3 of 9 pairs>
    """

    def __init__(self, spec: str, allowed: NDArray[np.bool_]) -> None:
        super().__init__(spec, *allowed.shape)
        self.allowed = np.ascontiguousarray(allowed, dtype=bool)
        self._first: dict[str, NDArray[np.int64]] = {}
        self._last: dict[str, NDArray[np.int64]] = {}
        for axis, ends in (("i", _first_and_last(self.allowed.T)), ("j", _first_and_last(self.allowed))):
            self._first[axis], self._last[axis] = ends

    def first_of(self, axis: str, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """First partner of chosen lines of an axis."""
        return self._first[axis][lines]

    def last_of(self, axis: str, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Last partner of chosen lines of an axis."""
        return self._last[axis][lines]

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of allowed pairs in a box; cost proportional to its size."""
        return int(np.count_nonzero(self.matrix(queries, keys)))

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        box: NDArray[np.bool_] = self.allowed[queries[0] : queries[1], keys[0] : keys[1]]
        return box

    def _answers(self) -> Questions:
        return DenseQuestions(self)

    @cached_property
    def _digest(self) -> str:
        import hashlib

        return hashlib.sha256(np.packbits(self.allowed).tobytes()).hexdigest()

    def _identity(self) -> object:
        return self._digest


def _first_and_last(lines: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of each column the first row that is true in it, or the number of rows; and the last one, or -1.

    First it is told of some rows at a time; so most of the array is read row by row, as it is stored.
    """
    number, step = len(lines), math.isqrt(len(lines))
    some = np.logical_or.reduceat(lines, np.arange(0, number, step), axis=0)
    ends = []
    for first_of, at in ((some.argmax(axis=0), 1), (len(some) - 1 - some[::-1].argmax(axis=0), -1)):
        rows = np.minimum(first_of * step + np.arange(step)[:, None], number - 1)[::at]
        inside = np.take_along_axis(lines, rows, axis=0).argmax(axis=0)
        ends.append(np.take_along_axis(rows, inside[None], axis=0)[0])
    empty = ~some.any(axis=0)
    return np.where(empty, number, ends[0]), np.where(empty, -1, ends[1])


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
