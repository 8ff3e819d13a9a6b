"""Tiled orders of a graph whose vertices have integer coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import ceil

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = [
    "ABSENT",
    "Tiling",
    "equal_sizes",
    "repaired",
    "sorted_places",
    "topological_by_rank",
]

ABSENT = -1
"""The coordinate of a vertex on an axis that its statement does not have."""


@dataclass(frozen=True)
class Tiling:
    """Which tile loops run around which point loops.

    Attributes
    ----------
    tiles : tuple of (int, int)
        Axis and tile size of each tile loop, the outermost first; an axis may be left out.
    points : tuple of int
        The axes inside a tile, the outermost first.
    turning : bool
        Whether each tile loop but the first turns back at its end and does not begin anew, so that one tile shares
        a side with the next.
    """

    tiles: tuple[tuple[int, int], ...]
    points: tuple[int, ...]
    turning: bool = False


def sorted_places(here: NDArray[np.int64], tiling: Tiling) -> NDArray[np.int64]:
    """Return the order in which a tiling goes through places, one row each.

    A coordinate is at least 0, or :data:`ABSENT`, which comes before all places: a vertex that lacks an axis is
    computed as soon as it can be. What is at one place keeps its order.
    """
    keys = [here[:, axis] // size for axis, size in tiling.tiles]
    for at in range(1, len(keys) if tiling.turning else 0):
        keys[at] = np.where(keys[at - 1] % 2 == 1, keys[at].max() - keys[at], keys[at])
    keys += [here[:, axis] for axis in tiling.points]
    return np.lexsort(tuple(reversed(keys))) if keys else np.arange(len(here))


def repaired(graph: NeededGraph, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order of the needed vertices in which each comes after its predecessors, as near as may be."""
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    return topological_by_rank(graph, rank)


def topological_by_rank(graph: NeededGraph, rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a topological order of the needed vertices: always the ready one of least rank.

    Parameters
    ----------
    graph : NeededGraph
    rank : array of int64, shape (V,)
        Distinct for all needed vertices.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> graph = NeededGraph(Dag.from_edges([(0, 1), (1, 2), (0, 3)]))
    >>> topological_by_rank(graph, np.array([-1, 2, 0, 1])).tolist()
    [3, 1, 2]
    """
    by_rank = graph.todo[np.argsort(rank[graph.todo])]
    tail, head = graph.needed_edges
    if not np.any(rank[tail] > rank[head]):
        return by_rank
    successors, key, vertex = graph.successors, rank.tolist(), by_rank.tolist()
    place = {key[v]: v for v in vertex}
    waiting = np.bincount(head, minlength=graph.n).tolist()
    heap = [key[v] for v in vertex if not waiting[v]]
    heapify(heap)
    order: list[int] = []
    while heap:
        v = place[heappop(heap)]
        order.append(v)
        for w in successors[v]:
            waiting[w] -= 1
            if not waiting[w]:
                heappush(heap, key[w])
    return np.array(order, dtype=np.int64)


def equal_sizes(extent: int) -> list[int]:
    """Return the sizes of tiles that cut so many places into parts as equal as may be.

    >>> equal_sizes(10)
    [1, 2, 3, 4, 5, 10]
    """
    return sorted({ceil(extent / many) for many in range(1, extent + 1)})
