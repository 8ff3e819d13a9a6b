"""Masks: which keys each query attends to."""

from __future__ import annotations

from pebble.computations.masks.arrays import mask_from_array, mask_from_predicate
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.band_patterns import (
    causal_mask,
    document_mask,
    equal_documents_mask,
    window_mask,
)
from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.grouped_mask import grouped_mask
from pebble.computations.masks.kinds import make_mask, mask_kinds
from pebble.computations.masks.mask import Mask, check_rows
from pebble.computations.masks.mask_kind import MaskKind
from pebble.computations.masks.mask_parts import mask_parts
from pebble.computations.masks.sparse_patterns import (
    block_mask,
    random_blocks_mask,
)
from pebble.computations.masks.union_mask import UnionMask

__all__ = [
    "BandMask",
    "BlockMask",
    "BlockToeplitzMask",
    "DenseMask",
    "Mask",
    "MaskKind",
    "UnionMask",
    "block_mask",
    "causal_mask",
    "check_rows",
    "document_mask",
    "equal_documents_mask",
    "grouped_mask",
    "make_mask",
    "mask_from_array",
    "mask_from_predicate",
    "mask_kinds",
    "mask_parts",
    "random_blocks_mask",
    "window_mask",
]
