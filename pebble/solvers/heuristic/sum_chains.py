"""A graph whose sums are added up as trees, read as if its terms were added one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["with_chains"]

_FEWEST = 3
"""Additions from which on a tree differs from a chain."""


def with_chains(graph: NeededGraph, place: NDArray[np.int64]) -> tuple[NeededGraph, NDArray[np.int64]]:
    """Return the graph with a chain in place of every tree of additions, and which of its vertices each one is like.

    An addition takes two values of its own cone. The leaves of a tree of additions become the terms of a chain, in
    order of their places; the additions of the chain are those of the tree, of which the root stays the last.
    An addition of the tree is like that of the chain which adds the last of its terms. So whatever is
    recognised in sums that are chains says where the vertices of the tree belong.

    Parameters
    ----------
    graph : NeededGraph
    place : array of int64, shape (V,)
        The place of each term in its sum, see :func:`~pebble.solvers.heuristic.sum_trees.sum_tree_columns`.

    Returns
    -------
    NeededGraph
        With the same vertices and as many edges.
    array of int64, shape (V,)

    Notes
    -----
    Costs O(E log E).
    """
    cones = Cones(graph)
    row = [list(predecessors) for predecessors in graph.predecessors]
    like = np.arange(graph.n)
    for members in cones.members:
        additions = {
            v
            for v in members
            if len(graph.predecessors[v]) == 2
            and all(cones.of[p] == cones.of[v] for p in graph.predecessors[v])
        }
        for root in reversed(members):
            if root in additions:
                tree, terms = _tree(graph, root, additions)
                additions.difference_update(tree)
                if len(tree) >= _FEWEST:
                    terms.sort(key=lambda v: int(place[v]))
                    _make_chain(graph, tree, terms, row, like)
    edges = [(p, v) for v, predecessors in enumerate(row) for p in predecessors]
    outputs = [v for v in range(graph.n) if graph.is_output[v]]
    return NeededGraph(Dag.from_edges(np.array(edges), n_vertices=graph.n, outputs=outputs)), like


def _tree(graph: NeededGraph, root: int, additions: set[int]) -> tuple[list[int], list[int]]:
    """Return the additions below a root, each after those that it takes, and their terms."""
    tree, terms, stack = [], list[int](), [root]
    while stack:
        v = stack.pop()
        if v in additions:
            tree.append(v)
            stack += graph.predecessors[v]
        else:
            terms.append(v)
    return tree[::-1], terms


def _make_chain(
    graph: NeededGraph, tree: list[int], terms: list[int], row: list[list[int]], like: NDArray[np.int64]
) -> None:
    """Give the additions of a tree the predecessors that they have in a chain, and say which each one is like."""
    last = {term: at for at, term in enumerate(terms)}
    for v in tree:
        last[v] = max(last[p] for p in graph.predecessors[v])
    # The root takes the last term and comes after all others with it, for its level is the highest.
    chain = sorted(tree, key=lambda v: (last[v], graph.level[v]))
    before = terms[0]
    for v, term in zip(chain, terms[1:], strict=True):
        row[v] = [before, term]
        before = v
    for v in tree:
        like[v] = chain[last[v] - 1]
