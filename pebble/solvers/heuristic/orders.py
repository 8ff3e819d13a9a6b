"""Simple orders of computation: given, depth-first, breadth-first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["breadth_first", "depth_first", "given"]


def given(graph: NeededGraph) -> NDArray[np.int64]:
    """Return the DAG's own topological order: by number, where the numbering allows it."""
    return graph.todo


def breadth_first(graph: NeededGraph) -> NDArray[np.int64]:
    """Order by level, the longest path from an input, and by number inside a level. Costs O(E + V log V)."""
    level = np.array(graph.level, dtype=np.int64)[graph.todo]
    return graph.todo[np.lexsort((graph.todo, level))]


def depth_first(graph: NeededGraph) -> NDArray[np.int64]:
    """Complete one output after another, each by finishing its predecessors one by one. Costs O(E).

    Outputs are taken by number, predecessors in the order of their row; the stack is explicit.
    """
    predecessors, wanted = graph.predecessors, graph.wanted
    state = bytearray(graph.n)
    order: list[int] = []
    for root in graph.dag.outputs.tolist():
        stack = [root]
        while stack:
            v = stack[-1]
            if state[v] == 0 and wanted[v]:
                state[v] = 1
                stack += [p for p in reversed(predecessors[v]) if wanted[p] and not state[p]]
                continue
            stack.pop()
            if state[v] == 1:
                state[v] = 2
                order.append(v)
    return np.array(order, dtype=np.int64)
