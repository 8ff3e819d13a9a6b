"""Lower bounds on the I/O of any computation DAG; docs/proofs/graphs.md states and proves them.

Reading order: :mod:`.graph_bound` (a bound with what it was computed from), the bounds themselves (:mod:`.min_cut`,
:mod:`.spectral`, :mod:`.partition`, :mod:`.products`, :mod:`.butterfly`, :mod:`.forced_loads`,
:mod:`.family_bounds`), and :mod:`.graph_bound_table`, which asks all of them.
"""

from __future__ import annotations

from pebble.lower_bounds.graph.butterfly import butterfly
from pebble.lower_bounds.graph.family_bounds import compulsory, family_bounds
from pebble.lower_bounds.graph.forced_loads import forced_loads
from pebble.lower_bounds.graph.graph_bound import GraphBound
from pebble.lower_bounds.graph.graph_bound_table import DagBounds, dag_bounds
from pebble.lower_bounds.graph.min_cut import convex_min_cut, cuts_of_parts
from pebble.lower_bounds.graph.partition import hong_kung
from pebble.lower_bounds.graph.products import sums_of_products
from pebble.lower_bounds.graph.spectral import spectral

__all__ = [
    "DagBounds",
    "GraphBound",
    "butterfly",
    "compulsory",
    "convex_min_cut",
    "cuts_of_parts",
    "dag_bounds",
    "family_bounds",
    "forced_loads",
    "hong_kung",
    "spectral",
    "sums_of_products",
]
