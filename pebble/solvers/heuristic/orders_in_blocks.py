"""Orders of the computations in a block: cone after cone, cone after cone by reuse, all cones in step."""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush

from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["cone_by_cone", "in_step", "reuse_first"]

_MANY = 8
"""Vertices that lack this many values or more are not told apart."""


def cone_by_cone(graph: NeededGraph, cones: Cones, block: list[int]) -> list[int]:
    """Finish one cone after the other, in the order in which they are given."""
    return [v for cone in block for v in cones.members[cone]]


def reuse_first(graph: NeededGraph, cones: Cones, block: list[int]) -> list[int]:
    """Finish one cone after the other; next the one that brings in the fewest values not seen before.

    Of several, the one whose new values have the most uses in the block. A product of few rows with many
    columns then loads all its rows first and passes the columns by them.
    """
    inside = set(block)
    users: dict[int, list[int]] = {}
    for cone in block:
        for p in cones.leaves[cone]:
            users.setdefault(p, []).append(cone)
    new = {cone: len(cones.leaves[cone]) for cone in block}
    uses = {cone: sum(len(users[p]) for p in cones.leaves[cone]) for cone in block}
    waiting = {cone: sum(cones.of[p] in inside for p in cones.leaves[cone]) for cone in block}
    place = {cone: i for i, cone in enumerate(block)}
    heap = [(new[c], -uses[c], place[c]) for c in block if not waiting[c]]
    heapify(heap)
    seen: set[int] = set()
    done: set[int] = set()
    order: list[int] = []
    while heap:
        lacks, _, at = heappop(heap)
        cone = block[at]
        if cone in done or lacks != new[cone]:
            continue
        done.add(cone)
        order += cones.members[cone]
        root = order[-1]
        touched: set[int] = set()
        for c in users.get(root, ()):
            waiting[c] -= 1
            touched.add(c)
        for p in (*cones.leaves[cone], root):
            if p not in seen:
                seen.add(p)
                for c in users.get(p, ()):
                    new[c] -= 1
                    uses[c] -= len(users[p])
                    touched.add(c)
        for c in touched:
            if not waiting[c] and c not in done:
                heappush(heap, (new[c], -uses[c], place[c]))
    return order


def in_step(graph: NeededGraph, cones: Cones, block: list[int]) -> list[int]:
    """Advance all cones together: compute whatever the values seen so far allow, then let in the fewest new.

    A tile of dot products is computed in this way by one column and one row after the other.
    """
    return _InStep(graph, cone_by_cone(graph, cones, block)).run()


class _InStep:
    def __init__(self, graph: NeededGraph, vertices: list[int]) -> None:
        self.predecessors = graph.predecessors
        self.vertices, inside = vertices, set(vertices)
        self.users: dict[int, list[int]] = {}
        self.waiting: dict[int, int] = {}
        self.lacks: dict[int, int] = {}
        self.queues: list[deque[int]] = [deque() for _ in range(_MANY + 1)]
        for v in vertices:
            row = self.predecessors[v]
            self.waiting[v] = n = sum(p in inside for p in row)
            self.lacks[v] = len(row) - n
            for p in row:
                self.users.setdefault(p, []).append(v)
            if not n:
                self._push(v)

    def run(self) -> list[int]:
        seen, order = set(self.vertices), list[int]()
        done: set[int] = set()
        while len(order) < len(self.vertices):
            v = self._next(done)
            done.add(v)
            order.append(v)
            for p in self.predecessors[v]:
                if p not in seen:
                    seen.add(p)
                    for w in self.users[p]:
                        self.lacks[w] -= 1
                        if not self.waiting[w]:
                            self._push(w)
            for w in self.users.get(v, ()):
                self.waiting[w] -= 1
                if not self.waiting[w]:
                    self._push(w)
        return order

    def _push(self, v: int) -> None:
        self.queues[min(self.lacks[v], _MANY)].append(v)

    def _next(self, done: set[int]) -> int:
        """Return the latest vertex that lacks nothing, else the earliest of those that lack the least."""
        for lacks, queue in enumerate(self.queues):
            while queue:
                v = queue.popleft() if lacks else queue.pop()
                if v not in done and min(self.lacks[v], _MANY) == lacks:
                    return v
        raise AssertionError("a block is no part of a DAG without its ancestors")
