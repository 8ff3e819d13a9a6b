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
    dag, steps = graph.dag, len(order)
    degree = dag.indegree[order]
    start = np.zeros(steps + 1, dtype=np.int64)
    np.cumsum(degree, out=start[1:])
    row = np.repeat(np.arange(steps), degree)
    value = dag.predecessors[np.arange(len(row)) + (dag.predecessor_start[order] - start[:-1])[row]]
    # A value that is computed is there from then on; one number says which value and when, so that one sort will do.
    events = np.sort(np.concatenate([order * steps + np.arange(steps), value * steps + row]))
    values, times = np.divmod(events, steps)
    same = values[1:] == values[:-1]
    gaps, whose = (times[1:] - times[:-1])[same], values[1:][same]
    often = np.bincount(gaps, minlength=1)
    spans = np.arange(len(often))
    held = np.cumsum(often * spans) + spans * (len(gaps) - np.cumsum(often))
    longest = int(np.searchsorted(held, M * steps, side="right")) - 1
    missed = gaps > longest
    is_input = dag.indegree == 0
    stored = np.zeros(graph.n, dtype=np.bool_)
    stored[whose[missed]] = True
    stored[dag.outputs] = True
    used = np.zeros(graph.n, dtype=np.bool_)
    used[value] = True
    return int((used & is_input).sum()) + int(missed.sum()) + int((stored & ~is_input).sum())
