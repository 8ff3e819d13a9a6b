"""The mask that allows every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask
from pebble.computations.masks.staircase import Staircase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

__all__ = ["FullMask"]


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
