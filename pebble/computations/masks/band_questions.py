"""The six questions to a band, answered from the pieces of its ends; nothing costs in proportion to its lines."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_runs import band_runs
from pebble.computations.masks.intervals import Intervals
from pebble.computations.masks.questions import Questions, Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.band_mask import BandMask
    from pebble.computations.masks.staircase import Staircase

    Whole = NDArray[np.int64]

__all__ = ["BandQuestions"]


class BandQuestions(Questions):
    """The answers of a band; lines may be without pairs.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> asked = BandQuestions(causal_mask(10**9, 10**9))
    >>> low, high = np.array([0, 10**8]), np.array([10**8, 10**9])
    >>> asked.pairs("i", low, high, low, high).tolist()
    [5000000050000000, 405000000450000000]
    """

    rises = partners_rise = True

    def __init__(self, mask: BandMask) -> None:
        super().__init__(mask.extents)
        self._mask = mask

    @cached_property
    def _present(self) -> dict[str, Staircase | None]:
        """Number of lines with any pair before each place of an axis; None where all have some."""
        taken = {axis: self._mask.present_lines(axis) for axis in self.extents}
        return {
            axis: None if taken[axis] == Intervals.all(extent) else taken[axis].counting(extent)
            for axis, extent in self.extents.items()
        }

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        low, high, first, behind = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        total = np.zeros_like(low)
        # A query has key - start pairs before a key, less key - stop, where above 0: take them of q and of p.
        for ends, sign in zip(self._mask.ends("i"), (1, -1), strict=True):
            for key, times in ((behind, sign), (first, -sign)):
                upto = np.minimum(np.maximum(ends.below(key), low), high)
                total += times * ((upto - low) * key - ends.sum_before(upto))
        return total

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        present = self._present[axis]
        return x1 - x0 if present is None else present.at(x1) - present.at(x0)

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines that have begun before a place: those with pairs among the first ones."""
        return self.present(axis, x0, self._beginning(axis, x0, x1, place))

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line that begins in [p, q)."""
        low, high = self._beginning(axis, x0, x1, p), self._beginning(axis, x0, x1, q)
        if (present := self._present[axis]) is not None:
            high = present.below(present.at(high))
        return np.where(low < high, high, x0)

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair."""
        return self.lines_seen(axis, x0, x1, p, q) > 0

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines with a partner in [p, q): those that end behind p and begin before q."""
        start, stop = self._mask.ends(axis)
        low, high = np.maximum(stop.upto(p), x0), np.minimum(start.below(q), x1)
        return np.where((p < q) & (low < high), self.present(axis, low, np.maximum(low, high)), 0)

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles that see [p, q), in runs between the places where anything changes."""
        return band_runs((self._mask,), axis, w0, w1, tile, p, q)

    def _beginning(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Return up to where the lines of [x0, x1) that have pairs begin before a place."""
        return np.minimum(np.maximum(self._mask.ends(axis)[0].below(place), x0), x1)
