"""Cones read as reductions: which values each step of a cone takes, and in which role."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from pebble.solvers.heuristic.needed_graph import NeededGraph

Shape: TypeAlias = "tuple[Shape, ...] | str"
"""A tree of operations: its predecessors' shapes, or what a leaf is."""

_LEAF, _ONCE, _DEEP = "leaf", "once", "deep"
_LONG = 3
"""Vertices above which what is below a step is a cone of its own, not a part of the step."""
_DEEPEST = 20
"""Side trees deeper than this are not looked into."""


class ConeSteps:
    """The steps of every cone from the bottom to its root, and the uses of values by them.

    The spine of a cone follows the predecessor that has most vertices below it: the accumulator of a reduction. What
    else a vertex of the spine takes is one step: the product that is added, the divisor. The role of a value is its
    place in the step, after the accumulator is left out; so the factors of the products have two roles, in the
    first product too. If one is an input and the other is computed, that tells them apart, and the place does not
    matter. Values with a single use play no part.

    Attributes
    ----------
    cone, value, position, role : arrays of int64, shape (U,)
        For each use: the cone, the value, the number of the step in its cone and the role.
    step : array of int64, shape (V,)
        The number of the step to which each computed vertex belongs, -1 for the others.
    family : array of int64, length of the cones
        Cones whose steps have the same roles are of one family, if they have one step or if they have several.
    of : array of int64, shape (V,)
        The cone of each vertex, -1 for those that are not computed.
    root : array of int64, length of the cones

    Notes
    -----
    Costs O(E).
    """

    def __init__(self, graph: NeededGraph) -> None:
        self._graph = graph
        self._joins = [
            len(users) == 1 and wanted and not output
            for users, wanted, output in zip(graph.successors, graph.wanted, graph.is_output, strict=True)
        ]
        self._heavy = self._heaviest()
        self._of, roots = self._cones()
        self._several = [
            of >= 0 or len({self._of[user] for user in users}) > 1
            for of, users in zip(self._of, graph.successors, strict=True)
        ]
        self.of = np.array(self._of, dtype=np.int64)
        self.root = np.array(roots, dtype=np.int64)
        spines = [self._spine(int(root)) for root in self.root]
        self._upper = {shape for spine in spines for _, shape in spine[1:]}
        step = [-1] * graph.n
        self._roles: dict[tuple[Shape, tuple[int, ...], bool], int] = {}
        uses: list[tuple[int, int, int, int]] = []
        families: dict[tuple[frozenset[int], bool], int] = {}
        self.family = np.zeros(len(spines), dtype=np.int64)
        for cone, spine in enumerate(spines):
            first = len(uses)
            self._read(cone, spine, step, uses)
            roles = frozenset(role for *_, role in uses[first:])
            reduces = len({position for _, _, position, _ in uses[first:]}) > 1
            self.family[cone] = families.setdefault((roles, reduces), len(families))
        table = np.array(uses, dtype=np.int64).reshape(-1, 4)
        self.cone, self.value, self.position, self.role = table.T
        self.step = np.array(step, dtype=np.int64)

    def _heaviest(self) -> list[int]:
        """Return for each vertex the accumulator: the single-use predecessor with the most vertices below it.

        Of several that are long, it is the one most like the vertex itself, of these the first: a sum goes on from a
        sum, not from a product with a value that happens to have no other use. What is long below the others becomes a
        cone of its own.
        """
        graph, joins = self._graph, self._joins
        heavy, size = [-1] * graph.n, [1] * graph.n
        for v in graph.todo.tolist():
            inside = [p for p in graph.predecessors[v] if joins[p]]
            if not inside:
                continue
            long = [p for p in inside if size[p] > _LONG]
            if len(long) > 1:
                long.sort(key=lambda p: self._differs(p, v))
            heavy[v] = long[0] if long else max(inside, key=size.__getitem__)
            for p in long[1:]:
                for q in graph.predecessors[p]:
                    if joins[q] and size[q] > _LONG:
                        joins[q] = False
                        size[p] -= size[q]
                        if heavy[p] == q:
                            heavy[p] = -1
            size[v] += sum(size[p] for p in inside)
        return heavy

    def _differs(self, p: int, v: int) -> tuple[bool, bool]:
        """Return whether two vertices differ in their predecessors, and in how many of these have no other use."""
        one, other = self._graph.predecessors[p], self._graph.predecessors[v]
        single = [sum(self._joins[q] for q in row) for row in (one, other)]
        return len(one) != len(other), single[0] != single[1]

    def _cones(self) -> tuple[list[int], list[int]]:
        """Return the cone of each vertex, -1 for those not computed, and the root of each cone."""
        graph = self._graph
        of, roots = [-1] * graph.n, list[int]()
        for v in reversed(graph.todo.tolist()):
            if self._joins[v]:
                of[v] = of[graph.successors[v][0]]
            else:
                of[v] = len(roots)
                roots.append(v)
        last = len(roots) - 1
        return [last - cone if cone >= 0 else -1 for cone in of], roots[::-1]

    def _spine(self, root: int) -> list[tuple[int, tuple[Shape, ...]]]:
        """Return the vertices of the spine from the bottom, each with the shapes of what it takes besides."""
        spine = []
        v = root
        while v >= 0:
            below = self._heavy[v]
            row = self._graph.predecessors[v]
            spine.append((v, tuple(self._shape(p, v, 0) for p in row if p != below)))
            v = below
        return spine[::-1]

    def _shape(self, p: int, user: int, depth: int) -> Shape:
        of = self._of
        if of[p] < 0 or of[p] != of[user]:
            return _LEAF if self._several[p] else _ONCE
        if depth > _DEEPEST:
            return _DEEP
        return tuple(self._shape(q, p, depth + 1) for q in self._graph.predecessors[p])

    def _read(
        self,
        cone: int,
        spine: list[tuple[int, tuple[Shape, ...]]],
        step: list[int],
        uses: list[tuple[int, int, int, int]],
    ) -> None:
        position = 0
        upper = {shape for _, shape in spine[1:]}
        for at, (v, shape) in enumerate(spine):
            below = self._heavy[v]
            found = list[tuple[int, tuple[int, ...]]]()
            row = [p for p in self._graph.predecessors[v] if p != below]
            for place, p in enumerate(row):
                self._collect(p, v, (place,), position, step, found)
            step[v] = position
            if at == 0 and shape not in upper:
                bare = len(shape) == 2 and shape[0] == _LEAF and shape[1:] in upper and len(found) == 2
                if (shape,) in upper or ((shape,) in self._upper and not (bare and len(upper) == 1)):
                    shape, found = (shape,), [(p, (0, *path)) for p, path in found]
                elif bare:
                    uses.append((cone, found[0][0], position, self._role(shape[1:], (0,), found[0][0])))
                    position += 1
                    shape, found = shape[1:], [(found[1][0], (0,))]
            known_by_kind = self._known_by_kind(found)
            for p, path in found:
                role = self._role(shape, () if known_by_kind else path, p)
                uses.append((cone, p, position, role))
            position += bool(found)

    def _known_by_kind(self, found: list[tuple[int, tuple[int, ...]]]) -> bool:
        """Return whether a step takes one input and one computed value: then it does not matter which comes first."""
        return len(found) == 2 and self._graph.is_input[found[0][0]] != self._graph.is_input[found[1][0]]

    def _collect(
        self,
        p: int,
        user: int,
        path: tuple[int, ...],
        position: int,
        step: list[int],
        found: list[tuple[int, tuple[int, ...]]],
    ) -> None:
        """Find the values that a side tree takes, each with the path to it."""
        of = self._of
        stack = [(p, user, path)]
        while stack:
            p, user, path = stack.pop()
            if of[p] < 0 or of[p] != of[user]:
                if self._several[p]:
                    found.append((p, path))
                continue
            step[p] = position
            row = self._graph.predecessors[p]
            deep = len(path) > _DEEPEST
            stack += [(q, p, path if deep else (*path, i)) for i, q in reversed(list(enumerate(row)))]

    def _role(self, shape: Shape, path: tuple[int, ...], value: int) -> int:
        key = (shape, path, self._graph.is_input[value])
        return self._roles.setdefault(key, len(self._roles))
