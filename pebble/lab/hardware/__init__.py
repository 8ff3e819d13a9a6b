"""Devices and model shapes as data: how large M is, and what d is, on things that exist."""

from __future__ import annotations

from pebble.lab.hardware.device import LEVELS, Device, device, devices
from pebble.lab.hardware.model import Model, model, models

__all__ = ["LEVELS", "Device", "Model", "device", "devices", "model", "models"]
