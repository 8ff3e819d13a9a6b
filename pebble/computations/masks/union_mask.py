"""Masks that are unions of bands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_algebra import covered
from pebble.computations.masks.band_mask import BandMask, steady_runs
from pebble.computations.masks.band_parts import band_parts
from pebble.computations.masks.band_questions import band_runs
from pebble.computations.masks.mask import OTHER_AXIS, Interval, RegularPart
from pebble.computations.masks.piecewise_mask import LinePieces, PiecewiseMask, PiecewiseQuestions
from pebble.computations.masks.questions import Runs
from pebble.computations.masks.staircase import Intervals, Staircase, union, where_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

_MOST_INTERVALS = 64
"""Intervals of lines with pairs, of all bands; where there are more, lines are looked at one by one."""


class UnionMask(PiecewiseMask):
    """A union of bands, each perhaps with lines that have no pair.

    It is kept as bands that share no pair, each with the keys of a query behind those of the band before. Memory, and
    the cost of a question, follow the number of pieces of all the bands' ends.

    Parameters
    ----------
    spec : str
    bands : sequence of BandMask
        At least one, all of the same numbers of queries and keys.

    Raises
    ------
    ValueError
        If the bands are not of one size.

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
        apart = covered([band.ends("i") for band in bands])
        self.bands = tuple(BandMask(spec, self.Nk, *ends) for ends in apart)

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


def combined_bands(spec: str, masks: Sequence[BandMask | UnionMask], least: int = 1) -> BandMask | UnionMask:
    """Return the pairs that at least ``least`` masks allow: 1 for their union, all for their intersection.

    >>> from pebble.computations.masks import causal_mask, window_mask
    >>> combined_bands("both", [causal_mask(4, 4), window_mask(4, 4, 0, 1)], 2)
    <Mask both: 4 of 16 pairs>
    """
    apart = covered([band.ends("i") for mask in masks for band in mask.bands], least)
    bands = [BandMask(spec, masks[0].Nk, *ends) for ends in apart]
    return bands[0] if len(bands) == 1 else UnionMask(spec, bands)


class UnionQuestions(PiecewiseQuestions):
    """The answers of a union of bands: sums over bands, or over the pieces in which lines' first partners go on alike.

    By axis, the bands are kept in the order of their partners.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> asked = UnionQuestions(make_mask("longformer:window=4,global=1", 9, 9))
    >>> low, high = np.array([0, 3]), np.array([3, 9])
    >>> asked.pairs("i", low, high, low, high).tolist(), asked.begun("i", low, high, low + 1).tolist()
    ([9, 24], [3, 6])
    """

    rises = partners_rise = True

    def __init__(self, mask: UnionMask) -> None:
        super().__init__(mask)
        self._bands = {"i": mask.bands, "j": mask.bands[::-1]}
        self._asked = [band.questions for band in mask.bands]

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        return np.asarray(sum(band.pairs(axis, x0, x1, p, q) for band in self._asked))

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair."""
        return np.asarray(np.any([band.has(axis, x0, x1, p, q) for band in self._asked], axis=0))

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals with a partner in [p, q): of every band some intervals, which may overlap."""
        bands, counting = self._bands[axis], self._counting[axis]
        if sum(map(len, counting)) > _MOST_INTERVALS:
            return super().lines_seen(axis, x0, x1, p, q)
        parts = []
        for band, lines in zip(bands, counting, strict=True):
            start, stop = band.ends(axis)
            low, high = np.maximum(stop.upto(p), x0), np.minimum(start.below(q), x1)
            for begin, end in zip(lines.begins, lines.ends, strict=True):
                parts.append((np.maximum(low, begin), np.minimum(high, end)))
        if any(lines != Intervals.all(self.extents[axis]) for lines in counting):
            starts, stops = np.array(parts, dtype=np.int64).reshape(-1, 2, len(x0)).transpose(1, 0, 2)
            order = np.argsort(-starts, axis=0)
            parts = [
                *zip(*(np.take_along_axis(ends, order, axis=0) for ends in (starts, stops)), strict=True)
            ]
        # The later bands are seen by the earlier lines.
        found, behind = np.zeros_like(x0), x0
        for low, high in reversed(parts):
            found += np.maximum(high - np.maximum(low, behind), 0)
            behind = np.maximum(behind, np.where(low < high, high, behind))
        return np.where(p < q, found, 0)

    @cached_property
    def _counting(self) -> dict[str, list[Intervals]]:
        """Of each band, the lines that have a pair with any partners between which and its ends there is no gap.

        Those are the lines that have a pair, and others with both ends at an end of the axis, or of a band beside it.
        """
        found = {}
        for axis, bands in self._bands.items():
            extent = self.extents[axis]
            edges = [(Staircase(extent, 0, end, 0),) * 2 for end in (0, self.extents[OTHER_AXIS[axis]])]
            ends = [edges[0], *(band.ends(axis) for band in bands), edges[1]]
            present = [
                Intervals.all(extent),
                *(band.present_lines(axis) for band in bands),
                Intervals.all(extent),
            ]
            found[axis] = [
                (
                    present[k].rest(extent)
                    & (present[k - 1] & where_apart(ends[k - 1][1], ends[k][0], 1).rest(extent)).rest(extent)
                    & (present[k + 1] & where_apart(ends[k][1], ends[k + 1][0], 1).rest(extent)).rest(extent)
                ).rest(extent)
                for k in range(1, len(bands) + 1)
            ]
        return found

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles that see [p, q), in runs between the places where anything changes in any band."""
        return band_runs(self._bands[axis], axis, w0, w1, tile, p, q)
