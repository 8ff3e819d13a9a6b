"""An estimate of the I/O of an order, quick enough to compare hundreds of orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["estimated_io"]


def estimated_io(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> int:
    """Estimate loads plus stores, were a value to leave fast memory when it has not been used for a while.

    The while is that with which M words are held on average.

    Notes
    -----
    Costs a sort of the edges; no step of the computation is looked at by itself.

    References
    ----------
    P. J. Denning, "The working set model for program behavior", Communications of the ACM 1968.
    """
    dag = graph.dag
    time = np.full(graph.n, -1, dtype=np.int64)
    time[order] = np.arange(len(order))
    degree = dag.indegree[order]
    start = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(degree, out=start[1:])
    row = np.repeat(np.arange(len(order)), degree)
    value = dag.predecessors[np.arange(len(row)) + (dag.predecessor_start[order] - start[:-1])[row]]
    # A value that is computed is there from then on.
    values, times = np.concatenate([order, value]), np.concatenate([time[order], row])
    by_value = np.lexsort((times, values))
    values, times = values[by_value], times[by_value]
    same = values[1:] == values[:-1]
    gaps, whose = (times[1:] - times[:-1])[same], values[1:][same]
    ordered = np.sort(gaps)
    held = np.cumsum(ordered) + ordered * np.arange(len(ordered) - 1, -1, -1)
    at = int(np.searchsorted(held, M * len(order), side="right"))
    longest = int(ordered[at - 1]) if at else 0
    missed = gaps > longest
    is_input = np.array(graph.is_input, dtype=np.bool_)
    inputs = len(np.unique(values[is_input[values]]))
    stored = np.zeros(graph.n, dtype=np.bool_)
    stored[whose[missed]] = True
    stored |= np.array(graph.is_output, dtype=np.bool_)
    return inputs + int(missed.sum()) + int((stored & ~is_input).sum())
