"""Sweeps: counting schedules over a grid of problems, on any number of workers, resumable."""

from __future__ import annotations

from pebble.sweeping.grid import SweepGrid, sweep_grid
from pebble.sweeping.point import COLUMNS, Point, count_point
from pebble.sweeping.running import Sweep, run_sweep, sweep

__all__ = ["COLUMNS", "Point", "Sweep", "SweepGrid", "count_point", "run_sweep", "sweep", "sweep_grid"]
