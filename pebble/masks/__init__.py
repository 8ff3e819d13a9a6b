"""Masks: which keys each query attends to."""

from __future__ import annotations

from pebble.masks.arrays import mask_from_array, mask_from_predicate
from pebble.masks.band import BandMask
from pebble.masks.bands import causal_mask, document_mask, prefix_mask, window_mask
from pebble.masks.base import Mask
from pebble.masks.dense import DenseMask
from pebble.masks.grouped import grouped_mask
from pebble.masks.kinds import MaskKind, make_mask, mask_kinds
from pebble.masks.patterns import (
    block_mask,
    butterfly_mask,
    fixed_mask,
    longformer_mask,
    n_of_m_mask,
    random_blocks_mask,
    strided_mask,
)
from pebble.masks.rows import check_rows

__all__ = [
    "BandMask",
    "DenseMask",
    "Mask",
    "MaskKind",
    "block_mask",
    "butterfly_mask",
    "causal_mask",
    "check_rows",
    "document_mask",
    "fixed_mask",
    "grouped_mask",
    "longformer_mask",
    "make_mask",
    "mask_from_array",
    "mask_from_predicate",
    "mask_kinds",
    "n_of_m_mask",
    "prefix_mask",
    "random_blocks_mask",
    "strided_mask",
    "window_mask",
]
