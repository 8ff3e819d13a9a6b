"""The exact optimum of small DAGs: proved least I/O, with a pebbling that reaches it."""

from __future__ import annotations

from pebble.solvers.optimum.optimum import FEW_STATES, Optimum, optimal

__all__ = ["FEW_STATES", "Optimum", "optimal"]
