"""The sums of a DAG, found from its edges: trees of values that are used once, and the pairs that their steps read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.needed_part import Needed

__all__ = ["NONE", "Sums"]

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]

NONE = -1


class Sums:
    """Every computed vertex in one tree, and in each tree a chain with steps.

    A computed vertex with one successor, and no output, is in the tree of that successor; the others are *roots*:
    values that are kept for several uses. The *chain* of a tree goes back from its root to the predecessor with most
    of the tree behind it: the partial sums. A *step* is a vertex of the chain with the branches that hang on it; it
    *reads* what its vertices are computed from outside the tree. A step that reads two values with several uses, or
    more of them (then the two with the fewest), is an *event*, if the chain has others.

    Attributes
    ----------
    tree : array of int64, shape (n,)
        The root of the tree of each position of the part, NONE for inputs.
    on_chain : array of bool, shape (n,)
        Whether a vertex is on the chain of its tree, below an event: a segment can go on with it to one.
    first : array of int64, shape (n,)
        For each root, the first vertex of its chain.
    in_branch : array of bool, shape (n,)
        Whether a vertex is on a branch of an event.
    event, one, other : arrays of int64, shape (e,)
        For each event: the root of its tree, and the two values that it reads, the lesser position first.
    line : dict of int to list of int
        For each root whose chain reads an input that is used nowhere else: the vertices from that input on, the
        last such input, to the root.

    Notes
    -----
    Nothing depends on how vertices or predecessors are numbered, but for ties. Costs O(V + E).
    """

    def __init__(self, dag: Dag, part: Needed) -> None:
        self._part = part
        position = np.full(dag.n_vertices, NONE, dtype=np.int64)
        position[part.vertices] = np.arange(part.n)
        order = position[dag.topological_order()]
        self._order: list[int] = [v for v in order[order >= 0].tolist() if not part.is_input[v]]
        self._uses: list[int] = part.outdegree.tolist()
        self._joins: list[bool] = ((part.outdegree == 1) & ~part.is_input & ~part.is_output).tolist()
        self.tree = self._trees()
        self._heavy = self._heaviest()
        self.on_chain = np.zeros(part.n, dtype=np.bool_)
        self.first = np.full(part.n, NONE, dtype=np.int64)
        self.in_branch = np.zeros(part.n, dtype=np.bool_)
        self.line: dict[int, list[int]] = {}
        events: list[tuple[int, int, int]] = []
        for root in self._order:
            if not self._joins[root]:
                self._read(root, events)
        table = np.array(events, dtype=np.int64).reshape(-1, 3)
        self.event, self.one, self.other = table[:, 0], table[:, 1], table[:, 2]

    def _trees(self) -> _Ints:
        tree = [NONE] * self._part.n
        successors = self._part.successors
        for v in reversed(self._order):
            tree[v] = tree[successors[v][0]] if self._joins[v] else v
        return np.array(tree, dtype=np.int64)

    def _heaviest(self) -> list[int]:
        """Return for each vertex the predecessor in its tree with the most vertices behind it, or NONE."""
        heavy, size = [NONE] * self._part.n, [1] * self._part.n
        for v in self._order:
            inside = [p for p in self._part.predecessors[v] if self._joins[p]]
            if inside:
                heavy[v] = max(inside, key=size.__getitem__)
                size[v] += sum(size[p] for p in inside)
        return heavy

    def _read(self, root: int, events: list[tuple[int, int, int]]) -> None:
        """Go down the chain of a root."""
        is_input, uses = self._part.is_input, self._uses
        chain, found, hung = list[int](), list[tuple[int, int, int]](), list[int]()
        top = NONE
        v = root
        while v != NONE:
            chain.append(v)
            read, branches = self._step(v)
            own = [u for u in self._part.predecessors[v] if is_input[u] and uses[u] == 1]
            if own:
                self.line.setdefault(root, [own[0], *chain])
            kept = sorted({u for u in read if uses[u] > 1}, key=lambda u: (uses[u], u))[:2]
            if len(kept) == 2:
                top = len(chain) if top == NONE else top
                found.append((root, min(kept), max(kept)))
                hung += branches
            v = self._heavy[v]
        if len(found) > 1:
            events += found
            self.in_branch[hung] = True
        if top != NONE:
            self.on_chain[chain[top:]] = True
        self.first[root] = chain[-1]

    def _step(self, v: int) -> tuple[list[int], list[int]]:
        """Return what a step reads, from outside the tree, and the vertices of its branches."""
        read, branches, below = [], [], self._heavy[v]
        stack = [p for p in self._part.predecessors[v] if p != below]
        while stack:
            p = stack.pop()
            if self._joins[p]:
                branches.append(p)
                stack += self._part.predecessors[p]
            else:
                read.append(p)
        return read, branches
