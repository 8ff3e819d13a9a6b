"""The six questions to a union of disjoint bands, answered from the pieces of the bands' ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_runs import band_runs
from pebble.computations.masks.piecewise_mask import PiecewiseQuestions
from pebble.computations.masks.questions import Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.union_mask import UnionMask

    Whole = NDArray[np.int64]

__all__ = ["UnionQuestions"]

_MOST_INTERVALS = 64
"""Intervals of lines with pairs, of all bands; where there are more, lines are looked at one by one."""


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
