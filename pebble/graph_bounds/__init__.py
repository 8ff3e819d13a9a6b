"""Lower bounds on the I/O of any computation DAG; docs/graph-bounds.md states and proves them.

Reading order: :mod:`~pebble.graph_bounds.base` (a bound with what it was computed from), the bounds themselves
(:mod:`~pebble.graph_bounds.compulsory`, :mod:`~pebble.graph_bounds.mincut`, :mod:`~pebble.graph_bounds.spectral`,
:mod:`~pebble.graph_bounds.partition`, :mod:`~pebble.graph_bounds.named`), and
:mod:`~pebble.graph_bounds.table`, which asks all of them.
"""

from __future__ import annotations

from pebble.graph_bounds.base import GraphBound
from pebble.graph_bounds.compulsory import compulsory
from pebble.graph_bounds.mincut import convex_min_cut
from pebble.graph_bounds.named import family_bounds
from pebble.graph_bounds.partition import hong_kung
from pebble.graph_bounds.spectral import spectral, spectral_above_compulsory
from pebble.graph_bounds.table import DagBounds, dag_bounds

__all__ = [
    "DagBounds",
    "GraphBound",
    "compulsory",
    "convex_min_cut",
    "dag_bounds",
    "family_bounds",
    "hong_kung",
    "spectral",
    "spectral_above_compulsory",
]
