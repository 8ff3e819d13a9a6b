"""The order of operands: which factor of a product is which, where the rows of predecessors do not tell."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.needed_graph import NeededGraph

_AGREE = 0.8
"""Part of the products whose factors must come in the order that was found out; then all rows are left as they are."""
_LARGEST = 500_000
"""Vertices and edges of the largest graph that is looked at."""
_VOTES = 5
"""Cones that say which factors of two kinds of product belong together."""


def with_ordered_operands(graph: NeededGraph) -> NeededGraph:
    """Return the graph with rows in which equal operands of equal operations have equal places, where they had not.

    In C = A·B a product takes one value of A and one of B. A value of A never meets another value of A, so products
    that share values fall into two sides. Sides of different products belong together if their values are used by
    the same cones: two elements of one row of A are, an element of A and one of B hardly ever. Where a value stands
    on both sides, as in A = L·Lᵀ, sides are found for each cone alone. What is computed earlier comes first.
    Very large graphs are left as they are.

    Notes
    -----
    Costs O(E) and the intersection of some sets of cones for each two products that follow each other.
    """
    if graph.n + graph.dag.n_edges > _LARGEST:
        return graph
    pairs = _OperandPairs(graph)
    if not pairs.vertices:
        return graph
    first = pairs.first_operands()
    agree = [both[0] == one for both, one in zip(pairs.operands, first, strict=True)]
    if pairs.agreement(agree) >= _AGREE:
        return graph
    rows = [pairs.sorted_row(v) for v in range(graph.n)]
    for v, (a, b), one in zip(pairs.vertices, pairs.operands, first, strict=True):
        rows[v] = [*(p for p in rows[v] if p not in (a, b)), one, a + b - one]
    for v, row in pairs.first_products(first).items():
        rows[v] = row
    flat = np.array([p for row in rows for p in row], dtype=np.int64)
    return NeededGraph(Dag(graph.dag.predecessor_start, flat, outputs=graph.dag.outputs))


class _OperandPairs:
    """The vertices with two operands of the same kind, and which of these is the first.

    Attributes
    ----------
    vertices : list of int
    operands : list of (int, int)
        The two values that each of them takes from outside its cone, as the row of predecessors has them.
    cone : list of int
        The cone of each of them.
    """

    def __init__(self, graph: NeededGraph) -> None:
        cones = Cones(graph)
        self._graph, self._of, self._leaves = graph, cones.of, cones.leaves
        self._users = [set(users) for users in cones.users]
        self.vertices: list[int] = []
        self.operands: list[tuple[int, int]] = []
        self.cone: list[int] = []
        for cone, members in enumerate(cones.members):
            for v in members:
                row = [p for p in graph.predecessors[v] if cones.of[p] != cone and len(self._users[p]) > 1]
                if len(row) == 2:
                    self.vertices.append(v)
                    self.operands.append((row[0], row[1]))
                    self.cone.append(cone)
        self._side: dict[int, int] = {}
        self._part: dict[int, int] = {}
        self._parts, self._mixed = self._two_sides()

    def sorted_row(self, v: int) -> list[int]:
        """Return the predecessors of a vertex: those of its own cone first, the latest before, then the earliest."""
        of, level = self._of, self._graph.level
        return sorted(
            self._graph.predecessors[v],
            key=lambda p: (of[p] != of[v], -level[p] if of[p] == of[v] else level[p]),
        )

    def first_operands(self) -> list[int]:
        """Return the first operand of each pair."""
        flip = self._flips()
        first = [a if self._side[a] == flip[self._part[a]] else b for a, b in self.operands]
        groups: dict[int, list[int]] = {}
        for at, (a, _) in enumerate(self.operands):
            if self._part[a] in self._mixed:
                groups.setdefault(self.cone[at], []).append(at)
        for cone, places in groups.items():
            for at, one in zip(places, self._of_cone(cone, places), strict=True):
                first[at] = one
        return first

    def agreement(self, agree: list[bool]) -> float:
        """Return how far the given order is that which was found, or its opposite, part by part."""
        groups: dict[tuple[bool, int], list[bool]] = {}
        for at, same in enumerate(agree):
            part = self._part[self.operands[at][0]]
            mixed = part in self._mixed
            groups.setdefault((mixed, self.cone[at] if mixed else part), []).append(same)
        return sum(max(sum(same), len(same) - sum(same)) for same in groups.values()) / len(agree)

    def first_products(self, first: list[int]) -> dict[int, list[int]]:
        """Return rows for the sums of two products, in which these have the same order in all cones alike.

        Cones whose two products share two values with two others, one each, have these in the same order.
        """
        at = {v: place for place, v in enumerate(self.vertices)}
        keys: dict[int, list[tuple[int, int]]] = {}
        sums: dict[tuple[int, int], list[int]] = {}
        rows = self._graph.predecessors
        for v in self._graph.todo.tolist():
            row = rows[v]
            if len(row) == 2 and all(p in at for p in row):
                ones = [first[at[p]] for p in row]
                others = [sum(self.operands[at[p]]) - one for p, one in zip(row, ones, strict=True)]
                keys[v] = [(ones[0], ones[1]), (others[0], others[1])]
                for a, b in keys[v]:
                    sums.setdefault((min(a, b), max(a, b)), []).append(v)
        turned: dict[int, bool] = {}
        for start in keys:
            if start in turned:
                continue
            turned[start] = False
            queue = deque([start])
            while queue:
                v = queue.popleft()
                for side, (a, b) in enumerate(keys[v]):
                    for w in sums.pop((min(a, b), max(a, b)), ()):
                        if w not in turned:
                            turned[w] = turned[v] ^ (keys[w][side] != (a, b))
                            queue.append(w)
        return {v: rows[v][::-1] if turn else list(rows[v]) for v, turn in turned.items()}

    def _two_sides(self) -> tuple[int, set[int]]:
        """Give each value a part and a side, so that factors are on different ones; also say where that fails."""
        meets: dict[int, list[int]] = {}
        for a, b in self.operands:
            meets.setdefault(a, []).append(b)
            meets.setdefault(b, []).append(a)
        parts, mixed = 0, set[int]()
        for start in meets:
            if start in self._side:
                continue
            self._side[start], self._part[start] = 0, parts
            queue = deque([start])
            while queue:
                a = queue.popleft()
                for b in meets[a]:
                    if b not in self._side:
                        self._side[b], self._part[b] = 1 - self._side[a], parts
                        queue.append(b)
                    elif self._side[b] == self._side[a]:
                        mixed.add(parts)
            parts += 1
        return parts, mixed

    def _likeness(self, one: tuple[int, int], other: tuple[int, int]) -> int:
        """Return how many more cones share the first and the second operands than the crossed ones."""
        users = self._users
        (a, b), (c, d) = one, other
        straight = len(users[a] & users[c]) + len(users[b] & users[d])
        return straight - len(users[a] & users[d]) - len(users[b] & users[c])

    def _flips(self) -> list[int]:
        """Return for each part which side comes first, so that the sides of all parts suit each other."""
        near: list[dict[int, int]] = [{} for _ in range(self._parts)]
        votes: dict[tuple[int, int], int] = {}
        for one, other in pairwise(range(len(self.vertices))):
            p, q = self._part[self.operands[one][0]], self._part[self.operands[other][0]]
            if p == q or self.cone[one] != self.cone[other] or votes.get((p, q), 0) >= _VOTES:
                continue
            votes[p, q] = votes.get((p, q), 0) + 1
            like = self._likeness(self._by_side(one), self._by_side(other))
            near[p][q] = near[q][p] = near[p].get(q, 0) + like
        flip = [-1] * self._parts
        weight = self._weights()
        for start in range(self._parts):
            if flip[start] >= 0:
                continue
            flip[start] = 0
            group, queue = [start], deque([start])
            while queue:
                p = queue.popleft()
                for q, like in near[p].items():
                    if flip[q] < 0 and like:
                        flip[q] = flip[p] ^ (like < 0)
                        queue.append(q)
                        group.append(q)
            ahead = [
                sum(weight[p][side ^ flip[p]][which] for p in group) for which in (0, 1) for side in (0, 1)
            ]
            if (ahead[0], ahead[2]) > (ahead[1], ahead[3]):
                for p in group:
                    flip[p] ^= 1
        return flip

    def _weights(self) -> list[list[list[int]]]:
        """Return for each part and side the sum of the levels of its operands, and of the numbers of their users."""
        weight = [[[0, 0], [0, 0]] for _ in range(self._parts)]
        level = self._graph.level
        for pair in self.operands:
            for p in pair:
                of = weight[self._part[p]][self._side[p]]
                of[0] += level[p]
                of[1] += len(self._users[p])
        return weight

    def _by_side(self, at: int) -> tuple[int, int]:
        a, b = self.operands[at]
        return (a, b) if self._side[a] == 0 else (b, a)

    def _of_cone(self, cone: int, places: list[int]) -> list[int]:
        """Return the first operands of the pairs of one cone; its other operands are like the second ones."""
        straight = [self.operands[places[0]]]
        for at in places[1:]:
            a, b = self.operands[at]
            straight.append((b, a) if self._likeness(straight[0], (a, b)) < 0 else (a, b))
        mine = {p for at in places for p in self.operands[at]}
        lead = 0
        for p in self._leaves[cone]:
            if p not in mine:
                lead += sum(
                    len(self._users[a] & self._users[p]) - len(self._users[b] & self._users[p])
                    for a, b in straight
                )
        return [b if lead > 0 else a for a, b in straight]
