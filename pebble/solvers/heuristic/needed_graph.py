"""The part of a DAG that has to be computed, as plain lists: what every order and every eviction reads."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag

__all__ = ["NEVER", "Accesses", "Graph"]

NEVER = 1 << 60
"""The time of a use that does not come."""


class Accesses:
    """Which values the computations of an order look at, and when each value is looked at next.

    Parameters
    ----------
    graph : Graph
    order : array of int64, shape (n,)
        Computed vertices, every one after its predecessors.

    Attributes
    ----------
    start : list of int, length n + 1
        The looks of the t-th computation are numbers ``start[t]`` to ``start[t + 1] - 1``.
    value : list of int, length E
        The value looked at.
    after : list of int, length E
        The time of the next look at the same value, or :data:`NEVER`.
    first : list of int, length V
        The time of the first look at each value, or :data:`NEVER`.

    Notes
    -----
    Costs O(E log E) in array operations.
    """

    def __init__(self, graph: Graph, order: NDArray[np.int64]) -> None:
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
        self.start: list[int] = start.tolist()
        self.value: list[int] = value.tolist()
        self.after: list[int] = after.tolist()
        self.first: list[int] = first.tolist()


class Graph:
    """What must be computed of a DAG, with rows of predecessors and successors as lists.

    Vertices that no output depends on are left out of ``todo`` and of ``successors``.

    Parameters
    ----------
    dag : Dag

    Examples
    --------
    >>> graph = Graph(Dag.from_edges([(0, 2), (1, 2), (1, 3)], outputs=[2]))
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
    def level(self) -> list[int]:
        """Number of edges on the longest path that ends in each vertex that has to be computed."""
        level, predecessors = [0] * self.n, self.predecessors
        for v in self.todo.tolist():
            level[v] = 1 + max([level[p] for p in predecessors[v]])
        return level
