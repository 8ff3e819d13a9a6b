"""Cones: a DAG cut into pieces from each of which only one value goes out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pebble.solvers.heuristic.needed_graph import NeededGraph

Join: TypeAlias = Literal["single-use", "first-level", "none"]
"""Which values join their only user: all, those made of inputs alone, none."""


class Cones:
    """The fanout-free cones of a graph: a value with a single use, which is no output, joins its user.

    Parameters
    ----------
    graph : NeededGraph
    join : {"single-use", "first-level", "none"}
        With ``first-level`` only values made of inputs alone join their users; with ``none`` every vertex is a cone.

    Nothing but the last vertex of a cone, its root, is used outside it, so a cone can be finished without
    leaving more than one value behind; and cones depend on each other without a cycle. The partial sums of a
    dot product are one cone, a butterfly is a cone of its own.

    Attributes
    ----------
    of : list of int, length V
        The cone of each vertex that has to be computed, -1 for the others.
    members : list of list of int
        The vertices of each cone, in topological order; the root is the last.
    leaves : list of list of int
        The values that each cone takes from outside, each once.
    users : list of list of int, length V
        The cones that take each value from outside.

    Notes
    -----
    Cones are numbered in topological order of their roots. Costs O(E).

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> cones = Cones(NeededGraph(Dag.from_edges([(0, 3), (1, 3), (3, 4), (2, 4)])))
    >>> cones.members, cones.leaves
    ([[3, 4]], [[0, 1, 2]])
    """

    def __init__(self, graph: NeededGraph, join: Join = "single-use") -> None:
        todo: list[int] = graph.todo.tolist()
        root = list(range(graph.n)) if join == "none" else _roots(graph, todo, join == "first-level")
        self.of = [-1] * graph.n
        self.members: list[list[int]] = []
        for v in todo:
            if root[v] == v:
                self.of[v] = len(self.members)
                self.members.append([])
        for v in todo:
            self.of[v] = self.of[root[v]]
            self.members[self.of[v]].append(v)
        self.leaves: list[list[int]] = []
        self.users: list[list[int]] = [[] for _ in range(graph.n)]
        for cone, members in enumerate(self.members):
            outside = {p: None for v in members for p in graph.predecessors[v] if self.of[p] != cone}
            self.leaves.append(list(outside))
            for p in outside:
                self.users[p].append(cone)

    def __len__(self) -> int:
        return len(self.members)


def _roots(graph: NeededGraph, todo: list[int], first_level: bool) -> list[int]:
    root, is_input = list(range(graph.n)), graph.is_input
    for v in reversed(todo):
        users = graph.successors[v]
        joins = len(users) == 1 and not graph.is_output[v]
        if joins and not (first_level and not all(is_input[p] for p in graph.predecessors[v])):
            root[v] = root[users[0]]
    return root
