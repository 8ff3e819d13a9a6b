"""Devices and models that exist: how large fast memory is on them, and the shapes of attention heads."""

from __future__ import annotations

from pebble.lab.hardware.device import LEVELS, MEMORY_LEVELS, Device, device, devices
from pebble.lab.hardware.model import Model, model, models

__all__ = ["LEVELS", "MEMORY_LEVELS", "Device", "Model", "device", "devices", "model", "models"]
