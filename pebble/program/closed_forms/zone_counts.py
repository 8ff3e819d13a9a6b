"""Counting in many boxes of a mask that has zones, and choosing few blocks that stand for all of a loop nest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks import BlockToeplitzMask, UnionMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.band_counts import finest_blocks
from pebble.program.closed_forms.blocks import Block, Blocks, Bounds, all_blocks
from pebble.program.closed_forms.limits import check_blocks
from pebble.program.closed_forms.zone_tiles import Nest
from pebble.program.closed_forms.zones import BandZones, PeriodicZones

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.closed_forms.blocks import Whole

__all__ = ["ZoneCounts"]

_CHUNK = 2**19
_FEW = 2**9
"""So many blocks are looked at one by one."""


class ZoneCounts:
    """PairCounts for a mask whose pairs repeat in zones.

    Parameters
    ----------
    mask : UnionMask or BlockToeplitzMask
    """

    def __init__(self, mask: UnionMask | BlockToeplitzMask) -> None:
        self._mask = mask
        self._zones = BandZones.of(mask.bands) if isinstance(mask, UnionMask) else PeriodicZones.of(mask)

    def pairs(self, queries: Bounds, keys: Bounds) -> Whole:
        """Allowed pairs in each of many boxes."""
        return self._mask.counts(queries, keys)

    def any(self, queries: Bounds, keys: Bounds) -> NDArray[np.bool_]:
        """Whether there is an allowed pair in each of many boxes."""
        some = (queries[0] < queries[1]) & (keys[0] < keys[1])
        queries, keys = ((np.minimum(low, high), high) for low, high in (queries, keys))
        return np.asarray(some & (self.pairs(queries, keys) > 0))

    def lines(self, axis: str, lines: Bounds) -> Whole:
        """Lines of intervals of an axis that have any pair."""
        return self._mask.present_before(axis, lines[1]) - self._mask.present_before(axis, lines[0])

    def begun(self, axis: str, lines: Bounds, before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""
        return self._mask.begun(axis, lines, before)

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield all blocks if they are few; else some that stand for all."""
        few = blocks.i.count * blocks.j.count <= _FEW
        if few or any(blocks[axis].marks and not blocks[axis].uncut for axis in "ij"):
            yield from all_blocks(blocks)
            return
        check_blocks(max(blocks.i.per_cell, blocks.j.per_cell))
        # Pairs with a given interval of the outer axis would not be the same in cells a period apart.
        axes = [axis for axis in "ij" if not blocks[axis].marks] or ["i"]
        nests = [Nest(blocks[axis], blocks[OTHER_AXIS[axis]], self._zones) for axis in axes]
        n_blocks, _, nest = min((nest.n_blocks(), nest.outer.axis, nest) for nest in nests)
        check_blocks(n_blocks)
        tiles, halves = nest.tiles()
        step = max(1, _CHUNK * len(tiles) // max(n_blocks, 1))
        for start in range(0, len(tiles), step):
            some = tiles[start : start + step]
            entries, cells, times = nest.cells(some)
            times *= halves[start : start + step][entries]
            a, b, entries = finest_blocks(nest.outer, some[entries], nest.inner, cells)
            yield ((a, b) if nest.outer.axis == "i" else (b, a)), times[entries]
