"""A greedy order: compute next what needs the fewest loads."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import check_time
from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["greedy"]

_CHECKED = 1 << 12
"""Vertices between two looks at the clock."""
_REACH = 64
"""Successors looked at when a value is loaded; keeps the cost down where one value has very many."""


def greedy(graph: NeededGraph, M: int) -> NDArray[np.int64]:
    """Compute next a vertex with the fewest predecessors outside fast memory; the latest to become one first.

    Fast memory is imitated with dead values dropped and the least recently used evicted, since the next use is
    not known before the order is.

    Notes
    -----
    Ready vertices lie on one stack for each number of missing predecessors. A vertex is put on a stack when it
    becomes ready, and again when one of its predecessors is loaded (for at most 64 successors of that one,
    of indegree at most 64); an entry that has become too optimistic is noticed when it comes up. The number of
    steps is O(E) for the computations and O(64²) at worst for each load.
    """
    return _Greedy(graph, M).run()


class _Greedy:
    def __init__(self, graph: NeededGraph, M: int) -> None:
        self.graph, self.M = graph, M
        self.predecessors, self.successors = graph.predecessors, graph.successors
        self.waiting = [0] * graph.n
        self.uses = [len(row) for row in self.successors]
        self.done = bytearray(graph.n)
        self.passed = [0] * graph.n
        self.red: OrderedDict[int, None] = OrderedDict()
        self.stacks: list[list[int]] = [[] for _ in range(graph.dag.max_indegree + 1)]
        self.order: list[int] = []

    def run(self) -> NDArray[np.int64]:
        is_input = self.graph.is_input
        for v in reversed(self.graph.todo.tolist()):
            self.waiting[v] = sum(not is_input[p] for p in self.predecessors[v])
            if not self.waiting[v]:
                self.stacks[len(self.predecessors[v])].append(v)
        while True:
            v = self._next()
            if not len(self.order) % _CHECKED:
                check_time()
            if v < 0:
                return np.array(self.order, dtype=np.int64)
            self._compute(v)

    def _next(self) -> int:
        for missing, stack in enumerate(self.stacks):
            while stack:
                v = stack.pop()
                if self.done[v]:
                    continue
                now = self._missing(v)
                if now <= missing:
                    return v
                self.stacks[now].append(v)
        return -1

    def _compute(self, v: int) -> None:
        self.done[v] = 1
        self.order.append(v)
        entering = []
        for p in self.predecessors[v]:
            if p in self.red:
                self.red.move_to_end(p)
            else:
                self.red[p] = None
                entering.append(p)
            self.uses[p] -= 1
        while len(self.red) >= self.M:
            self.red.popitem(last=False)
        for p in self.predecessors[v]:
            if not self.uses[p]:
                self.red.pop(p, None)
        if self.uses[v]:
            self.red[v] = None
        for p in entering:
            self._offer(p)
        for w in reversed(self.successors[v]):
            self.waiting[w] -= 1
            if not self.waiting[w]:
                self._push(w)

    def _offer(self, p: int) -> None:
        """Put the ready successors of a value that has entered fast memory on the stacks they belong to."""
        row, at = self.successors[p], self.passed[p]
        while at < len(row) and self.done[row[at]]:
            at += 1
        self.passed[p] = at
        for w in reversed(row[at : at + _REACH]):
            if not self.done[w] and not self.waiting[w] and len(self.predecessors[w]) <= _REACH:
                self._push(w)

    def _push(self, w: int) -> None:
        self.stacks[self._missing(w)].append(w)

    def _missing(self, w: int) -> int:
        return sum(p not in self.red for p in self.predecessors[w])
