"""Masks that are unions of bands without a pair in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_mask import BandMask, steady_runs
from pebble.computations.masks.band_parts import band_parts
from pebble.computations.masks.band_questions import band_runs
from pebble.computations.masks.mask import Interval, RegularPart
from pebble.computations.masks.piecewise_mask import LinePieces, PiecewiseMask, PiecewiseQuestions
from pebble.computations.masks.questions import Runs
from pebble.computations.masks.staircase import union, where_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

__all__ = ["UnionMask", "UnionQuestions"]

_MOST_INTERVALS = 64
"""Intervals of lines with pairs, of all bands; where there are more, lines are looked at one by one."""


class UnionMask(PiecewiseMask):
    """A union of bands that have no pair in common, each perhaps with lines that have none.

    Memory, and the cost of a question, follow the number of pieces of all the bands' ends.

    Parameters
    ----------
    spec : str
    bands : sequence of BandMask
        At least one, all of the same numbers of queries and keys.

    Raises
    ------
    ValueError
        If the bands are not of one size, or two of them share a pair.

    Examples
    --------
    >>> first = BandMask("first", 4, np.array([0, 0, 0]), np.array([1, 1, 1]))
    >>> own = BandMask("own", 4, np.array([1, 2, 3]), np.array([2, 3, 4]))
    >>> mask = UnionMask("both", [first, own])
    >>> mask, mask.ends_of("i", np.array([2])).ravel().tolist()
    (<Mask both: 6 of 12 pairs>, [0, 1, 3, 4])
    """

    banded = True

    def __init__(self, spec: str, bands: Sequence[BandMask]) -> None:
        if not bands or any(band.extents != bands[0].extents for band in bands):
            raise ValueError("a union is of at least one band, all of one size")
        super().__init__(spec, bands[0].Nq, bands[0].Nk)
        self.bands = tuple(bands)
        for one, other in combinations(bands, 2):
            if _overlap(one, other):
                raise ValueError(f"the bands of a union share no pair; {one!r} and {other!r} do")

    def _pieces_of(self, axis: str) -> LinePieces:
        extent = self.extents[axis]
        marks = union(*(band_marks(band, axis) for band in self.bands))
        return LinePieces(
            extent, extent, (0, 1), marks[marks < extent], lambda lines: self._both(axis, lines)
        )

    def _both(self, axis: str, lines: Whole) -> tuple[Whole, Whole]:
        """Return first and last partners from those of all bands."""
        first = np.min([band.first_of(axis, lines) for band in self.bands], axis=0)
        return first, np.max([band.last_of(axis, lines) for band in self.bands], axis=0)

    def ends_of(self, axis: str, lines: Whole) -> Whole:
        """Return for every band the first partner of chosen lines and the one behind the last, shape (2n, lines)."""
        return np.concatenate([band.ends_of(axis, lines) for band in self.bands])

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        return np.asarray(np.any([band.matrix(queries, keys) for band in self.bands], axis=0))

    def _answers(self) -> Questions:
        return UnionQuestions(self)

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which each end of each band stays or moves by one."""
        return steady_runs([end for band in self.bands for end in band.ends(axis)])

    @cached_property
    def connected(self) -> bool:
        """Whether a band that is one part has all queries that have pairs, or all such keys: the rest hang on these."""
        return any(
            band_parts(*band.ends("i")).repeats.tolist() == [1]
            and any(band.present(axis) == self.present(axis) for axis in self.extents)
            for band in self.bands
        )

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        return np.asarray(sum(band.degrees(axis, partners) for band in self.bands))

    def _identity(self) -> object:
        return tuple(band._identity() for band in self.bands)


def band_marks(band: BandMask, axis: str) -> Whole:
    """Return the places, from 0 to the length of an axis, between which both ends of a band go on alike."""
    start, stop = band.ends(axis)
    taken = where_apart(start, stop, 1)
    return union(start.starts, stop.starts, taken.begins, taken.ends)


def _overlap(one: BandMask, other: BandMask) -> bool:
    (start, stop), (begin, end) = one.ends("i"), other.ends("i")
    both = where_apart(start, end, 1) & where_apart(begin, stop, 1)
    return len(both & where_apart(start, stop, 1) & where_apart(begin, end, 1)) > 0


class UnionQuestions(PiecewiseQuestions):
    """The answers of a union of bands: sums over bands, or over the pieces in which lines' first partners go on alike.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> asked = UnionQuestions(make_mask("longformer:window=4,global=1", 9, 9))
    >>> low, high = np.array([0, 3]), np.array([3, 9])
    >>> asked.pairs("i", low, high, low, high).tolist(), asked.begun("i", low, high, low + 1).tolist()
    ([9, 24], [3, 6])
    """

    rises = True

    def __init__(self, mask: UnionMask) -> None:
        super().__init__(mask)
        self._bands = mask.bands
        self._asked = [band.questions for band in mask.bands]

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        return np.asarray(sum(band.pairs(axis, x0, x1, p, q) for band in self._asked))

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair."""
        return np.asarray(np.any([band.has(axis, x0, x1, p, q) for band in self._asked], axis=0))

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals with a partner in [p, q): of every band some intervals, which may overlap."""
        present = [band.present_lines(axis) for band in self._bands]
        if sum(len(lines.begins) for lines in present) > _MOST_INTERVALS:
            return super().lines_seen(axis, x0, x1, p, q)
        parts = []
        for band, lines in zip(self._bands, present, strict=True):
            start, stop = band.ends(axis)
            low, high = np.maximum(stop.upto(p), x0), np.minimum(start.below(q), x1)
            parts += [
                (np.maximum(low, begin), np.minimum(high, end))
                for begin, end in zip(lines.begins, lines.ends, strict=True)
            ]
        found, behind = np.zeros_like(x0), x0.copy()
        starts, stops = np.array(parts, dtype=np.int64).reshape(-1, 2, len(x0)).transpose(1, 0, 2)
        order = np.argsort(starts, axis=0)
        for which in order:
            low, high = (np.take_along_axis(one, which[None], 0)[0] for one in (starts, stops))
            found += np.maximum(high - np.maximum(low, behind), 0)
            behind = np.where(low < high, np.maximum(behind, high), behind)
        return np.where(p < q, found, 0)

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles that see [p, q), in runs between the places where anything changes in any band."""
        return band_runs(self._bands, axis, w0, w1, tile, p, q)
