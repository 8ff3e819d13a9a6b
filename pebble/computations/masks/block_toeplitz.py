"""Masks of square blocks in which a block's pattern depends on how many blocks it is below the diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.mask import OTHER_AXIS, Interval
from pebble.computations.masks.piecewise_mask import LinePieces, PiecewiseMask
from pebble.computations.masks.staircase import Intervals, union, where_apart
from pebble.computations.masks.toeplitz_questions import ToeplitzQuestions
from pebble.computations.masks.union_mask import UnionMask, band_marks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]
    Bands = tuple[BandMask, ...]


class BlockToeplitzMask(PiecewiseMask):
    """Blocks of ``period`` queries and keys, each with a pattern that its distance from the diagonal decides.

    The block of block row I and block column J has no pair for I < J, the pattern ``near[I - J]`` if there is one, and
    ``far`` if not. The last block row and column are cut where the lines end. Memory, and the cost of a question,
    follow the number of pieces of the patterns' ends, whatever the period and the number of lines.

    Parameters
    ----------
    spec : str
    N : int
        Number of queries and of keys.
    period : int
        Length of a block's side.
    near : sequence of BandMask or UnionMask
        Patterns of the blocks on the diagonal, and of those 1, 2, … below it; at least one.
    far : BandMask or UnionMask
        Pattern of all blocks further below. All patterns have ``period`` queries and keys.

    Raises
    ------
    ValueError
        If a pattern has another size, or there is none for the diagonal.

    Examples
    --------
    The strided pattern: causal on the diagonal, a window into the block before, and keys at a fixed stride.

    >>> own, rows = np.arange(2), np.zeros(2, dtype=int)
    >>> near = BandMask("own", 2, rows, own + 1), BandMask("before", 2, own, rows + 2)
    >>> mask = BlockToeplitzMask("strided", 6, 2, near, BandMask("far", 2, own, own + 1))
    >>> mask.matrix((4, 6), (0, 6)).astype(int).tolist()
    [[1, 0, 1, 1, 1, 0], [0, 1, 0, 1, 1, 1]]
    """

    def __init__(
        self,
        spec: str,
        N: int,
        period: int,
        near: Sequence[BandMask | UnionMask],
        far: BandMask | UnionMask,
    ) -> None:
        if not near or any(set(mask.extents.values()) != {period} for mask in (*near, far)):
            raise ValueError(
                f"every pattern is a mask of {period} queries and keys, and the diagonal has one"
            )
        super().__init__(spec, N, N)
        self.period, self.depth = period, len(near)
        self.patterns: tuple[Bands, ...] = tuple(mask.bands for mask in (*near, far))

    @property
    def block(self) -> BandMask | None:
        """The mask of each block on the diagonal, where all are whole and no other has a pair; else None."""
        own, *others = self.patterns
        apart = not any(band.pairs for bands in others for band in bands)
        return own[0] if apart and len(own) == 1 and self.Nq % self.period == 0 else None

    def _answers(self) -> Questions:
        return ToeplitzQuestions(self, self.period, self.patterns)

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        row, i = np.divmod(np.arange(*queries, dtype=np.int64), self.period)
        column, j = np.divmod(np.arange(*keys, dtype=np.int64), self.period)
        offset = np.minimum(row[:, None] - column, self.depth)
        found = np.zeros(offset.shape, dtype=bool)
        for number, bands in enumerate(self.patterns):
            here = offset == number
            for band in bands if here.any() else ():
                start, stop = (ends.at(i)[:, None] for ends in band.ends("i"))
                found |= here & (start <= j) & (j < stop)
        return found

    def _run(self, axis: str) -> Interval:
        """Return the blocks with at least one whole far block in which nothing is cut."""
        whole = self.extents[axis] // self.period
        return (self.depth, whole) if axis == "i" else (0, whole - self.depth)

    def _pieces_of(self, axis: str) -> LinePieces:
        rest = np.array([self.extents[axis] % self.period])
        marks = [np.array([0]), rest]
        for bands in self.patterns:
            for band in bands:
                marks += [band_marks(band, axis), *(ends.below(rest) for ends in band.ends(axis))]
        places = union(*marks)
        begin, end = self._run(axis)
        run = (begin, end) if begin < end else (0, 1)
        return LinePieces(
            self.extents[axis],
            self.period,
            run,
            places[places < self.period],
            lambda lines: self._both(axis, lines),
        )

    def _both(self, axis: str, lines: Whole) -> tuple[Whole, Whole]:
        """Return first and last partners from the zones of each line."""
        N, period = self.extents[OTHER_AXIS[axis]], self.period
        block, place = np.divmod(lines, period)
        first, last = np.full(lines.shape, N), np.full(lines.shape, -1)
        for number, bands in enumerate(self.patterns):
            begin, end = (block - number, block - number) if axis == "i" else (block + number, block + number)
            if number == self.depth:
                begin, end = (block * 0, end) if axis == "i" else (begin, block * 0 + (N - 1) // period)
            for band in bands:
                start, stop = (ends.at(place) for ends in band.ends(axis))
                found = (start < stop) & (begin <= end) & (end >= 0) & (begin * period + start < N)
                # The last block may be cut before the first partner in it: then it is the block before.
                final = np.where(end * period + start < N, end, end - 1)
                first = np.where(found, np.minimum(first, begin * period + start), first)
                last = np.where(found, np.maximum(last, np.minimum(final * period + stop, N) - 1), last)
        return first, last

    @cached_property
    def connected(self) -> bool:
        """Whether each block's queries share its first key, and its first query has a key of the block before.

        That key must be one that the block before has a query for; the other keys hang on the queries.
        """
        own, before = self.patterns[0], self.patterns[1]
        first = np.zeros(1, dtype=np.int64)
        shared = any(band.ends_of("j", first).ravel().tolist() == [0, self.period] for band in own)
        known = [where_apart(*band.ends("j"), 1) for band in own]
        linked = any(
            len(seen & Intervals(*band.ends_of("i", first))) > 0 for band in before for seen in known
        )
        return shared and (linked or self.Nq <= self.period)

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        L, extent = self.period, self.extents[axis]
        blocks = -(-extent // L)
        sums = np.zeros((blocks, L + 1), dtype=np.int64)
        padded = np.zeros(blocks * L, dtype=bool)
        padded[: len(partners)] = partners
        np.cumsum(padded.reshape(blocks, L), axis=1, out=sums[:, 1:])
        found = np.zeros(extent, dtype=np.int64)
        for number, bands in enumerate(self.patterns):
            seen = np.zeros_like(sums)
            if number < blocks:
                if number == self.depth:
                    sums = np.cumsum(sums if axis == "i" else sums[::-1], axis=0)[:: 1 if axis == "i" else -1]
                if axis == "i":
                    seen[number:] = sums[: blocks - number]
                else:
                    seen[: blocks - number] = sums[number:]
            for band in bands:
                start, stop = (ends.values(0, L) for ends in band.ends(axis))
                found += (seen[:, stop] - seen[:, start]).reshape(-1)[:extent]
        return found

    def _identity(self) -> object:
        return self.period, tuple(tuple(band._identity() for band in bands) for bands in self.patterns)
