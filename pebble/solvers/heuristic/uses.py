"""When each value is used, and used next, by the computations of an order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["NEVER", "Uses"]

NEVER = 1 << 60
"""The time of a use that does not come."""


class Uses:
    """Which values the computations of an order use, and when each value is used next.

    Parameters
    ----------
    graph : NeededGraph
    order : array of int64, shape (n,)
        Computed vertices, every one after its predecessors.

    Attributes
    ----------
    start : array of int64, shape (n + 1,)
        The uses by the t-th computation are numbers ``start[t]`` to ``start[t + 1] - 1``.
    value : array of int64, shape (E,)
        The value of each use.
    after : array of int64, shape (E,)
        The time of the next use of the same value, or :data:`NEVER`.
    first : array of int64, shape (V,)
        The time of the first use of each value, or :data:`NEVER`.

    Notes
    -----
    Costs O(E log E) in array operations.
    """

    def __init__(self, graph: NeededGraph, order: NDArray[np.int64]) -> None:
        dag = graph.dag
        degree = dag.indegree[order]
        start = np.zeros(len(order) + 1, dtype=np.int64)
        np.cumsum(degree, out=start[1:])
        row = np.repeat(np.arange(len(order)), degree)
        edge = np.arange(len(row)) + (dag.predecessor_start[order] - start[:-1])[row]
        value = dag.predecessors[edge]
        by_value = np.argsort(value, kind="stable")
        sorted_value, sorted_time = value[by_value], row[by_value]
        same = sorted_value[1:] == sorted_value[:-1]
        after = np.full(len(row), NEVER, dtype=np.int64)
        after[by_value[:-1][same]] = sorted_time[1:][same]
        first = np.full(dag.n_vertices, NEVER, dtype=np.int64)
        first[value[::-1]] = row[::-1]
        self.start: NDArray[np.int64] = start
        self.value: NDArray[np.int64] = value
        self.after: NDArray[np.int64] = after
        self.first: NDArray[np.int64] = first
