"""How sums over the blocks that a loop nest visits are taken: by the kind of mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.computations import masks
from pebble.program.closed_forms.band_counts import BandCounts
from pebble.program.closed_forms.block_counts import BlockCounts
from pebble.program.closed_forms.butterfly_counts import ButterflyCounts
from pebble.program.closed_forms.grid_counts import GridCounts
from pebble.program.closed_forms.zone_counts import ZoneCounts

if TYPE_CHECKING:
    from pebble.program.closed_forms.blocks import Blocks, PairCounts

__all__ = ["counts_of", "has_rule"]


def has_rule(mask: masks.Mask) -> bool:
    """Whether what stands for all follows from the mask itself, whatever the tiles."""
    return isinstance(mask, masks.BandMask | masks.UnionMask | masks.BlockToeplitzMask | masks.EqualBlocks)


def counts_of(mask: masks.Mask, blocks: Blocks) -> PairCounts:
    """Return what counts the pairs in blocks, and finds those that are visited."""
    if isinstance(mask, masks.BandMask):
        return BandCounts(mask)
    if isinstance(mask, masks.UnionMask | masks.BlockToeplitzMask):
        return ZoneCounts(mask)
    if isinstance(mask, masks.BlockMask):
        return BlockCounts(mask)
    if isinstance(mask, masks.ButterflyMask):
        return ButterflyCounts(mask)
    return GridCounts(mask, blocks)
