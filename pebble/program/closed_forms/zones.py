"""Zones of queries × keys in which a mask repeats itself along both axes, and the strips of diagonals between them.

*Fixed* lines of both axes and *strips*, sets of neighbouring diagonals, divide all pairs into zones. Within a zone a
pair is allowed if the one a period further along either axis is. Within a strip, between fixed lines, it is if the one
a period further along both axes is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.staircase import common_pieces
from pebble.program.closed_forms.cells import counted_from

if TYPE_CHECKING:
    from typing import Self

    from pebble.computations.masks import BandMask, BlockToeplitzMask
    from pebble.program.closed_forms.blocks import Bounds, Whole

__all__ = ["BandZones", "PeriodicZones", "Strip", "Zones"]

Strip = tuple[int, int]
"""The least and the greatest difference partner - line of the pairs of a strip."""


@dataclass(frozen=True)
class Zones:
    """Where a mask's zones are, and where in them a line's pairs begin and end.

    Attributes
    ----------
    bands : sequence of BandMask
        Of whose lines' intervals the pairs of a line consist, in a zone or a block.
    period : int
    fixed : mapping of str to ndarray of int
        The fixed lines of either axis.
    strips : mapping of str to sequence of (int, int)
        The strips, as seen from the lines of either axis.
    """

    bands: Sequence[BandMask]
    period: int
    fixed: Mapping[str, Whole]
    strips: Mapping[str, Sequence[Strip]]

    def ends(self, axis: str, lines: Whole) -> Whole:
        """Where the intervals of partners of some lines begin and end: an array of as many rows, and more columns."""
        return np.concatenate([end.at(lines) for band in self.bands for end in band.ends(axis)], axis=1)

    def within(self, ends: Whole, bounds: Bounds) -> tuple[Whole, Whole]:
        """Return where those of every row lie between two places, or more: the row, and the place."""
        del bounds
        return np.repeat(np.arange(len(ends)), ends.shape[1]), ends.reshape(-1)


class BandZones(Zones):
    """Zones of bands without a pair in common: each is allowed as a whole, or not at all."""

    @classmethod
    def of(cls, bands: Sequence[BandMask]) -> Self:
        """Find the zones between the ends of bands whose lines are not grouped."""
        fixed = {axis: [np.zeros(1, dtype=np.int64)] for axis in "ij"}
        diagonals: set[int] = set()
        for band in bands:
            for axis, other in (("i", "j"), ("j", "i")):
                pieces = common_pieces(*band.ends(axis))
                fixed[axis].append(pieces.starts)
                for heights, slopes in zip(pieces.heights, pieces.slopes, strict=True):
                    fixed[other] += [heights, heights + slopes * (pieces.lengths - 1)]
                    if axis == "i":
                        diagonals |= set((heights - pieces.starts)[slopes > 0].tolist())
        strips = [(place - 1, place) for place in sorted(diagonals)]
        return cls(
            bands,
            1,
            {axis: np.unique(np.concatenate(places)) for axis, places in fixed.items()},
            {"i": strips, "j": [(-high, -low) for low, high in strips]},
        )


class PeriodicZones(Zones):
    """Zones of a mask of square blocks, of which those far from the diagonal are all alike."""

    @classmethod
    def of(cls, mask: BlockToeplitzMask) -> Self:
        """Find the one strip: from the foremost key of a query's own block to the last block but the far ones."""
        ahead, back = 0, mask.depth * mask.period
        for band in mask.patterns[0]:
            pieces = common_pieces(*band.ends("i"))
            ahead = max(ahead, int((pieces.heights[1] - pieces.starts).max()))
        none = np.zeros(1, dtype=np.int64)
        bands = [band for pattern in mask.patterns for band in pattern]
        strips = {"i": [(-back, ahead)], "j": [(-ahead, back)]}
        return cls(bands, mask.period, {"i": none, "j": none}, strips)

    def ends(self, axis: str, lines: Whole) -> Whole:
        """Where in a block intervals of partners of some lines begin and end, or turn: as many rows, more columns."""
        found = [np.zeros((len(lines), 1), dtype=np.int64), super().ends(axis, lines % self.period)]
        for band in self.bands:
            starts = common_pieces(*band.ends(axis)).starts
            turns = np.concatenate([starts, starts[1:] - 1, [self.period - 1]])
            found += [np.broadcast_to(end.at(turns), (len(lines), len(turns))) for end in band.ends(axis)]
        return _different(np.concatenate(found, axis=1) % self.period)

    def within(self, ends: Whole, bounds: Bounds) -> tuple[Whole, Whole]:
        """Return where those of every row lie between two places, or more: the row, and the place."""
        first = bounds[0] // self.period
        rows, block = counted_from(first, bounds[1] // self.period - first + 1)
        places = ends[rows] + (block * self.period)[:, None]
        return np.repeat(rows, ends.shape[1]), places.reshape(-1)


def _different(ends: Whole) -> Whole:
    """Return the different ones of every row first, in as few columns as that takes."""
    ends = np.sort(ends, axis=1)
    again = np.zeros(ends.shape, dtype=bool)
    again[:, 1:] = ends[:, 1:] == ends[:, :-1]
    width = ends.shape[1] - int(again.sum(axis=1).min(initial=ends.shape[1] - 1))
    order = np.argsort(again, axis=1, kind="stable")
    return np.take_along_axis(ends, order[:, :width], axis=1)
