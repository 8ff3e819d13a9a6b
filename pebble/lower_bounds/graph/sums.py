"""The sums of a DAG, found from its edges: trees of values, and the steps that read two of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.graph.order import joined
from pebble.lower_bounds.graph.needed_part import Needed

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


class ProductSteps:
    """Some events of the sums of a DAG.

    The values are the vertices of a graph, the pairs that are read its edges; *component* means one of this graph.

    Attributes
    ----------
    root, one, other : array of int64, shape (e,)
        The sum and the two values of each.
    component : array of int64, shape (e,)
        The least value of the component.
    bipartite : array of bool, shape (e,)
        Whether it is bipartite.
    """

    def __init__(self, sums: Sums, chosen: _Ints) -> None:
        self.sums = sums
        self.chosen = chosen
        self.root, self.one, self.other = sums.event[chosen], sums.one[chosen], sums.other[chosen]
        n = len(sums.tree)
        # Each value twice, each pair from copy to copy: exactly in a bipartite component the copies fall apart.
        twice = joined(
            np.arange(2 * n),
            np.concatenate([self.one, self.one + n]),
            np.concatenate([self.other + n, self.other]),
        )
        self.component = np.minimum(twice[:n], twice[n:])[self.one]
        self.bipartite = (twice[:n] != twice[n:])[self.one]

    def __len__(self) -> int:
        return len(self.chosen)

    @cached_property
    def values(self) -> _Ints:
        """The values that are read."""
        return np.unique(np.concatenate([self.one, self.other]))

    @cached_property
    def roots(self) -> _Ints:
        """The sums."""
        return np.unique(self.root)

    @cached_property
    def in_one_sum(self) -> _Ints:
        """For each event, the most events of its component that are steps of one sum."""
        return _most(self.component, self.component, self.root)

    @cached_property
    def of_one_pair(self) -> _Ints:
        """For each event, the most events of its component that read one pair of values."""
        return _most(self.component, self.one, self.other)

    @cached_property
    def quadruple(self) -> _Ints:
        """For each event, 4·μ of its component: (events)² is at most μ · (sums near) · (values near)²."""
        found: _Ints = self.in_one_sum * self.of_one_pair * np.where(self.bipartite, 1, 2)
        return found

    @cached_property
    def family(self) -> _Ints:
        """For each event, the least component that sums and values connect it with."""
        n = len(self.sums.tree)
        return joined(np.arange(2 * n), self.component, self.root + n)[self.component]

    def where(self, inside: _Bools) -> ProductSteps:
        """Return those that a mask chooses."""
        return ProductSteps(self.sums, self.chosen[inside])

    def chain_words(self) -> _Bools:
        """Return the vertices that a segment can go on with in a sum, or begin it with."""
        sums = self.sums
        inside = np.zeros(len(sums.tree), dtype=np.bool_)
        inside[self.roots] = True
        words: _Bools = sums.on_chain & (sums.tree != NONE) & inside[sums.tree]
        words[self.roots] = False
        words[sums.first[self.roots]] = True
        return words

    def branch_words(self) -> _Bools:
        """Return the vertices on branches of these sums."""
        sums = self.sums
        inside = np.zeros(len(sums.tree), dtype=np.bool_)
        inside[self.roots] = True
        words: _Bools = sums.in_branch & inside[sums.tree]
        return words


def _most(component: _Ints, a: _Ints, b: _Ints) -> _Ints:
    """Return for each row the greatest number of equal (a, b) among the rows of its component."""
    if not len(component):
        return component
    pairs = np.stack([a, b])
    order = np.lexsort(pairs)
    new = np.concatenate([[True], np.diff(pairs[:, order], axis=1).any(axis=0)])
    starts = np.flatnonzero(new)
    most = np.zeros(int(component.max()) + 1, dtype=np.int64)
    np.maximum.at(most, component[order[starts]], np.diff([*starts, len(order)]))
    return most[component]
