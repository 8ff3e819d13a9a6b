"""The exact optimum of small DAGs: proved least I/O, with a pebbling that reaches it."""

from __future__ import annotations

from pebble.solvers.optimum.optimum import Optimum, optimal

__all__ = ["Optimum", "optimal"]
