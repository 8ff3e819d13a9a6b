"""Lower bounds on I/O: what no pebbling can beat. Bounds know problems, not schedules.

Where to look: :func:`best_bound` and :func:`proved_bounds` for attention, :func:`matmul` and :func:`fft` for
the two classic computations, :func:`published_curves` for what the literature states without constants, and
docs/proofs/forward.md and docs/proofs/backward.md for the proofs.

A bound is asked with one copy of a problem (or a DAG, or sizes) and M, the words of fast memory. T are the words that a
segment reaches: red at its start, loaded in it, or begun in it. A bound raises ``InvalidInput`` if M or a size is no
positive whole number, and ``BoundDoesNotApply`` where it is not proved.
"""

from __future__ import annotations

from pebble.lower_bounds.attention.backward import b1, b2
from pebble.lower_bounds.attention.forward import t1, t2
from pebble.lower_bounds.bound import Bound, Status
from pebble.lower_bounds.matmul_fft import fft, matmul
from pebble.lower_bounds.proved import backward_bounds, best_bound, forward_bounds, proved_bounds
from pebble.lower_bounds.published import attenio_count, published_curves
from pebble.lower_bounds.table import Regime, regime

__all__ = [
    "Bound",
    "Regime",
    "Status",
    "attenio_count",
    "b1",
    "b2",
    "backward_bounds",
    "best_bound",
    "fft",
    "forward_bounds",
    "matmul",
    "proved_bounds",
    "published_curves",
    "regime",
    "t1",
    "t2",
]
