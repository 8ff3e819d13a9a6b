"""The part of a DAG that has to be computed, as plain lists, and the simple orders of it."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.graph.order import heights


class NeededGraph:
    """What must be computed of a DAG, with rows of predecessors and successors as lists.

    Vertices that no output depends on are left out of ``todo`` and of ``successors``.

    Parameters
    ----------
    dag : Dag

    Examples
    --------
    >>> graph = NeededGraph(Dag.from_edges([(0, 2), (1, 2), (1, 3)], outputs=[2]))
    >>> graph.todo.tolist(), graph.predecessors[2], graph.successors[1]
    ([2], [0, 1], [2])
    """

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.n = dag.n_vertices
        wanted = dag.ancestors_of_outputs & (dag.indegree > 0)
        self.wanted: list[bool] = wanted.tolist()
        order = dag.topological_order()
        self.todo: NDArray[np.int64] = order[wanted[order]]
        self.is_input: list[bool] = (dag.indegree == 0).tolist()
        output = np.zeros(self.n, dtype=np.bool_)
        output[dag.outputs] = True
        self.is_output: list[bool] = output.tolist()

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """The predecessors of every vertex."""
        start, flat = self.dag.predecessor_start.tolist(), self.dag.predecessors.tolist()
        return [flat[a:b] for a, b in pairwise(start)]

    @cached_property
    def successors(self) -> list[list[int]]:
        """The successors of every vertex that have to be computed, ascending."""
        rows: list[list[int]] = [[] for _ in range(self.n)]
        predecessors, wanted = self.predecessors, self.wanted
        for v in range(self.n):
            if wanted[v]:
                for p in predecessors[v]:
                    rows[p].append(v)
        return rows

    @cached_property
    def needed_edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges between vertices that have to be computed, as (tails, heads)."""
        wanted = np.array(self.wanted, dtype=np.bool_)
        head = np.repeat(np.arange(self.n), self.dag.indegree)
        tail = self.dag.predecessors
        inside = wanted[head] & wanted[tail]
        return tail[inside], head[inside]

    @cached_property
    def level(self) -> list[int]:
        """Number of edges on the longest path that ends in each vertex that has to be computed."""
        return heights(self.dag.topological_order(), self.dag.predecessor_start, self.dag.predecessors)


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
