"""Sweeps: schedules counted over a grid of problems, on any number of workers, resumable."""

from __future__ import annotations

from pebble.lab.sweep.grid import SweepGrid, sweep_grid
from pebble.lab.sweep.point import COLUMNS, Point, count_point
from pebble.lab.sweep.running import Sweep, run_sweep, sweep

__all__ = ["COLUMNS", "Point", "Sweep", "SweepGrid", "count_point", "run_sweep", "sweep", "sweep_grid"]
