"""The page on which to explore what schedules move, at every stop of its sliders."""

from __future__ import annotations

from pebble.lab.explorer.page import ExplorerPage, explore

__all__ = ["ExplorerPage", "explore"]
