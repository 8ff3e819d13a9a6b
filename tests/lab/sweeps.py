"""Grids that the tests of sweeps share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pebble.lab.sweep import SweepGrid, run_sweep, sweep_grid

PEBBLE = [sys.executable, "-m", "pebble"]
_OPTIONS = "-N 256,1Ki -d 16 -M 20:64Ki:12 --schedule flash-2,small-cache"
AXES = _OPTIONS.split()
GRID = sweep_grid("256,1Ki", 16, "20:64Ki:12", "flash-2,small-cache")
"""The grid of AXES: 24 points, long enough to be interrupted."""
SMALL = sweep_grid("4,6", 2, "4:40:4", "naive,flash-2")
"""Eight points that take no time."""
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


@cache
def expected(grid: SweepGrid) -> bytes:
    """Return the CSV file of a grid, counted here, one point after the other, without interruption."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sweep.csv"
        run_sweep(grid, path)
        return path.read_bytes()


class Stop(Exception):
    """What interrupts a sweep in these tests."""


def stop_after(points: int) -> Callable[[int, int], None]:
    """Return what interrupts a sweep when so many points are counted."""

    def progress(done: int, total: int) -> None:
        if done >= points:
            raise Stop

    return progress


def interrupted(path: Path, points: int = 5) -> Path:
    """Begin a sweep of the small grid, stop it, and return its journal."""
    with pytest.raises(Stop):
        run_sweep(SMALL, path, progress=stop_after(points))
    return path.with_name(f"{path.name}.partial")
