"""Masks: which keys each query attends to."""

from __future__ import annotations

from pebble.masks.band import BandMask
from pebble.masks.base import Mask
from pebble.masks.dense import DenseMask

__all__ = ["BandMask", "DenseMask", "Mask"]
