"""Counting the pairs of a mask whose blocks' patterns depend on their distance from the diagonal."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.band_mask import BandMask

    Whole = NDArray[np.int64]

__all__ = ["BlockPairs"]

_MOST_KEPT = 2**24
_FEW = 2**6
"""Corners for which no table is made."""


class BlockPairs:
    """Pairs before every corner: of the queries before one place with the keys before another.

    Whole blocks are counted by how many there are on a diagonal, in a row, in a column and in a triangle; what a corner
    cuts, from the pieces of the patterns' ends.

    Parameters
    ----------
    period : int
        Length of a block's side.
    patterns : tuple of tuple of BandMask
        Disjoint bands of the block on the diagonal, of those 1, 2, … below it, and at last of all others below.
    """

    def __init__(self, period: int, patterns: tuple[tuple[BandMask, ...], ...]) -> None:
        self.period, self.patterns, self.depth = period, patterns, len(patterns) - 1
        self._sizes = [sum(band.pairs for band in bands) for bands in patterns]

    def before(self, queries: Whole, keys: Whole) -> Whole:
        """Pairs of the queries before places with the keys before others."""
        row, r = np.divmod(queries, self.period)
        column, c = np.divmod(keys, self.period)
        total = np.zeros(np.broadcast_shapes(row.shape, column.shape), dtype=np.int64)
        for offset in range(self.depth):
            # Of the blocks on this diagonal so many are whole; the next one is cut in rows, columns or both.
            whole = np.minimum(row - offset, column)
            rows = np.where(row - offset <= column, r, self.period)
            columns = np.where(column <= row - offset, c, self.period)
            total += np.maximum(whole, 0) * self._sizes[offset]
            total += (whole >= 0) * self._upto(offset, rows, columns)
        rest, far, full = row - self.depth, self.depth, np.full_like(total, self.period)
        whole = np.maximum(np.minimum(rest, column), 0)
        total += (whole * rest - whole * (whole - 1) // 2) * self._sizes[far]
        total += np.maximum(np.minimum(rest + 1, column), 0) * self._upto(far, r, full)
        total += np.maximum(rest - column, 0) * self._upto(far, full, c)
        return np.asarray(total + (rest >= column) * self._upto(far, r, c))

    @cached_property
    def _tables(self) -> list[NDArray[np.int32]]:
        """Of every pattern the pairs of its first rows with its first columns; none where that is much."""
        L, found = self.period, []
        for bands in self.patterns if len(self.patterns) * L**2 <= _MOST_KEPT else ():
            allowed = sum(band.matrix((0, L), (0, L)).astype(np.int32) for band in bands)
            sums = np.zeros((L + 1, L + 1), dtype=np.int32)
            np.cumsum(np.cumsum(allowed, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
            found.append(sums.reshape(-1))
        return found

    def _upto(self, pattern: int, rows: Whole, columns: Whole) -> Whole:
        """Return the pairs of a pattern's first rows with its first columns."""
        rows, columns = np.broadcast_arrays(rows, columns)
        if rows.size > _FEW and self._tables:
            return np.asarray(self._tables[pattern][rows * (self.period + 1) + columns])
        none = np.zeros_like(rows)
        asked = [band.questions for band in self.patterns[pattern]]
        return np.asarray(sum(one.pairs("i", none, rows, none, columns) for one in asked))
