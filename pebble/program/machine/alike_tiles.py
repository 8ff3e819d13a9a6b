"""Tiles of a loop outside of all others that have the same pairs with partners that lie alike: one stands for all.

Under a band that falls apart, as of packed sequences, tiles that end anywhere are segments of themselves, if nothing is
asked of the lines outside of them; docs/induction.md proves it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.segments import SegmentRun, outlines
from pebble.program.steps import tile_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pebble.computations.masks.band_mask import BandMask
    from pebble.program.nodes import Interval

    Whole = NDArray[np.int64]

__all__ = ["runs_of_alike_tiles"]

_FEWEST = 16
"""Of fewer tiles each is executed."""
_MOST_OF_PART = 16
"""Where there are more runs for each part of the mask, rounds in the parts are better."""


def runs_of_alike_tiles(
    mask: BandMask, axis: str, whole: Interval, tile: int, grids: frozenset[int]
) -> list[SegmentRun]:
    """Return a loop's tiles in runs of those that are alike; none if few are, or many for each part of the mask.

    Parameters
    ----------
    mask : BandMask
        Every line has a pair.
    axis : str
        The loop's.
    whole : (int, int)
        What it runs over.
    tile : int
        Its tiles.
    grids : frozenset of int
        The tiles of loops over the other axis.

    Examples
    --------
    >>> from pebble.computations.masks import document_mask
    >>> mask = document_mask([9, 4, 3, 6, 3, 3, 9])
    >>> for run in runs_of_alike_tiles(mask, "i", (0, 37), 2, frozenset([1])):
    ...     print(run.lines, run.partners, run.times, run.kind is None)
    (0, 2) (0, 9) 4 False
    (8, 14) (0, 16) 1 True
    (14, 16) (13, 16) 1 False
    (16, 18) (16, 22) 3 False
    (22, 24) (22, 25) 1 False
    (24, 26) (22, 28) 1 True
    (26, 28) (25, 28) 1 False
    (28, 30) (28, 37) 4 False
    (36, 37) (28, 37) 1 True
    """
    if tile_count(*whole, tile) < _FEWEST:
        return []
    lines = np.append(np.arange(*whole, tile), whole[1])
    parts = np.array(mask.separations(axis), dtype=np.int64)
    inside = parts.searchsorted(whole[1]) - parts.searchsorted(whole[0], side="right")
    partners = _partners(mask, axis, lines, math.lcm(*grids))
    kinds = _kinds(mask, axis, lines, partners)
    often = Counter(kinds)
    if len(often) == len(kinds):
        return []
    found: list[SegmentRun] = []
    starts, stops, at = partners[0].tolist(), partners[1].tolist(), lines.tolist()
    for number, kind in enumerate(kinds):
        seen, before = (starts[number], stops[number]), found[-1] if found else None
        own = kind if often[kind] > 1 else None
        if before and own is None and before.kind is None:
            partners_of_both = before.partners[0], seen[1]
            found[-1] = SegmentRun((before.lines[0], at[number + 1]), partners_of_both, 1, None, False)
        elif before and before.kind == own and before.partners == seen:
            found[-1] = before._replace(times=before.times + 1)
        else:
            found.append(SegmentRun((at[number], at[number + 1]), seen, 1, own, False))
    return found if len(found) <= _MOST_OF_PART * inside else []


def _partners(mask: BandMask, axis: str, lines: Whole, grid: int) -> tuple[Whole, Whole]:
    """Return where the partners of tiles begin and end, in whole tiles of the loops over the other axis."""
    begins, ends = mask.ends(axis)
    first, behind = begins.at(lines[:-1]), ends.at(lines[1:] - 1)
    return first // grid * grid, np.minimum(-(-behind // grid) * grid, mask.extents[OTHER_AXIS[axis]])


def _kinds(mask: BandMask, axis: str, lines: Whole, partners: tuple[Whole, Whole]) -> Sequence[Hashable]:
    """Return for each tile its lengths and its pairs, told from where its partners begin."""
    begins, ends = mask.ends(axis)
    base = np.append(partners[0], 0)
    lengths = zip(np.diff(lines).tolist(), (partners[1] - partners[0]).tolist(), strict=True)
    return list(zip(lengths, outlines(begins, lines, base), outlines(ends, lines, base), strict=True))
