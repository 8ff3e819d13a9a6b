"""Places of the terms of sums that are added up as trees, not one after the other."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["sum_tree_columns"]

_LEAST_PART = 0.05
"""Part of all vertices that must add two sums; fewer are the ends of something else."""


def sum_tree_columns(graph: NeededGraph) -> NDArray[np.int64] | None:
    """Return for each vertex the number of its sum and the place of its last term there; None if there are no trees.

    A sum is a cone: nothing but its root is used outside. Its terms are the vertices that take something from
    outside, in the order of its tree, the larger part first, so that equal parts of a sum are subtrees. Two sums with
    equally many terms that take one value take it at the same place; so places go from sum to sum, as the factors of a
    matrix product share their inner index. A vertex that adds terms has the place of the last of them.

    Returns
    -------
    array of int64, shape (V, 2), or None
        -1 for vertices that are not computed.

    Notes
    -----
    Costs O(E log E).
    """
    cones = Cones(graph)
    inside = _inside(graph, cones)
    size = [0] * graph.n
    joining = 0
    for v in graph.todo.tolist():
        size[v] = sum(size[p] for p in inside[v]) or 1
        joining += sum(size[p] > 1 for p in inside[v]) > 1
    if joining < _LEAST_PART * max(len(graph.todo), 1):
        return None
    terms = [_terms(graph, members[-1], inside, size) for members in cones.members]
    place = _Places(graph, cones, terms).of_terms()
    for v in graph.todo.tolist():
        place[v] = max([place[v], *(place[p] for p in inside[v])])
    return np.array([cones.of, place], dtype=np.int64).T


def _inside(graph: NeededGraph, cones: Cones) -> list[list[int]]:
    """Return the predecessors of each vertex that belong to its cone."""
    inside: list[list[int]] = [[] for _ in range(graph.n)]
    for v in graph.todo.tolist():
        inside[v] = [p for p in graph.predecessors[v] if cones.of[p] == cones.of[v]]
    return inside


def _terms(graph: NeededGraph, root: int, inside: list[list[int]], size: list[int]) -> list[int]:
    """Return the vertices of a cone that take something from outside, the larger part of each sum first."""
    found, stack = [], [root]
    while stack:
        v = stack.pop()
        if len(inside[v]) < len(graph.predecessors[v]):
            found.append(v)
        stack += sorted(inside[v], key=size.__getitem__)
    return found


class _Places:
    """Places of terms, which spread from a sum to those that share values with it."""

    def __init__(self, graph: NeededGraph, cones: Cones, terms: list[list[int]]) -> None:
        self.terms = terms
        self.outside = [
            [[p for p in graph.predecessors[v] if cones.of[p] != cone] for v in row]
            for cone, row in enumerate(terms)
        ]
        self.users: dict[tuple[int, int], list[int]] = {}
        for cone, row in enumerate(self.outside):
            for p in (p for taken in row for p in taken):
                self.users.setdefault((p, len(row)), []).append(cone)
        self.of_value: dict[tuple[int, int], int] = {}
        self.place = [-1] * graph.n

    def of_terms(self) -> list[int]:
        """Return the place of every term, -1 for other vertices; long sums give theirs first."""
        done = [False] * len(self.terms)
        for first in sorted(range(len(self.terms)), key=lambda cone: -len(self.terms[cone])):
            queue = deque([] if done[first] else [first])
            done[first] = True
            while queue:
                for cone in self._spread(queue.popleft()):
                    if not done[cone]:
                        done[cone] = True
                        queue.append(cone)
        return self.place

    def _spread(self, cone: int) -> list[int]:
        """Give the terms of a sum places, and their values; return the sums that take these values too."""
        length = len(self.terms[cone])
        known = [
            min([self.of_value[p, length] for p in taken if (p, length) in self.of_value], default=-1)
            for taken in self.outside[cone]
        ]
        fresh, here, reached = max(known) < 0, 0, list[int]()
        for at, (term, taken) in enumerate(zip(self.terms[cone], self.outside[cone], strict=True)):
            if fresh:
                here = at
            elif known[at] >= 0:
                here = known[at]
            self.place[term] = here
            for p in taken:
                self.of_value.setdefault((p, length), here)
                reached += self.users.pop((p, length), ())
        return reached
