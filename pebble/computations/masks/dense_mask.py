"""Masks stored as an array of booleans."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.dense_questions import DenseQuestions
from pebble.computations.masks.mask import Interval, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

__all__ = ["DenseMask"]


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
