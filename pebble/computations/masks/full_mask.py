"""The mask that allows every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FullMask"]


class FullMask(Mask):
    """Every query attends to every key. Nothing is stored, whatever the numbers of queries and keys.

    Examples
    --------
    >>> mask = FullMask(10**9, 10**9)
    >>> mask.pairs, mask.present("i"), mask.has_pairs("i", (5, 6), (0, 1))
    (1000000000000000000, 1000000000, True)
    """

    def __init__(self, Nq: int, Nk: int) -> None:
        super().__init__("full", Nq, Nk)

    def first(self, axis: str, lines: Interval | None = None) -> NDArray[np.int64]:
        """First partner of every line: 0."""
        return np.broadcast_to(np.int64(0), self._length(axis, lines))

    def last(self, axis: str, lines: Interval | None = None) -> NDArray[np.int64]:
        """Last partner of every line: the last line of the other axis."""
        return np.broadcast_to(np.int64(self.extents[OTHER_AXIS[axis]] - 1), self._length(axis, lines))

    def _length(self, axis: str, lines: Interval | None) -> int:
        return self.extents[axis] if lines is None else lines[1] - lines[0]

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of pairs in a box."""
        return max(queries[1] - queries[0], 0) * max(keys[1] - keys[0], 0)

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval."""
        return (self.extents[axis] if stop is None else stop) - start

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        return np.broadcast_to(np.True_, (queries[1] - queries[0], keys[1] - keys[0]))

    def _identity(self) -> object:
        return None
