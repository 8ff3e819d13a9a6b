"""Vertices in tiles: whole tiles one after the other as far as dependences allow, whatever the order of the loops."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import Tiling, topological_by_rank

__all__ = ["order_in_tiles"]

_MOST_TILE_EDGES = 200_000
"""With more dependences between tiles than this, vertices are taken one by one."""


def order_in_tiles(
    graph: NeededGraph, places: NDArray[np.int64], tiling: Tiling
) -> tuple[NDArray[np.int64], bool]:
    """Return the needed vertices tile after tile, and whether they had to be taken one by one.

    Where a tile would come before one that it reads, it waits for that one, as a whole. Tiles that read each other are
    computed together, their vertices in the order of the loops as soon as they are ready.

    Parameters
    ----------
    graph : NeededGraph
    places : ndarray of int64, shape (V, d)
        The place of each vertex on each axis, at least -1.
    tiling : Tiling

    Notes
    -----
    Costs O(V log V) array operations, a sort of the edges where some dependence goes back, and O(E + V log V) steps
    where one inside a tile does.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> graph = NeededGraph(Dag.from_edges([(0, v) for v in (1, 2, 3, 4)] + [(4, 1), (1, 2)]))
    >>> order_in_tiles(graph, np.array([[-1], [0], [1], [2], [3]]), Tiling(((0, 2),), (0,)))
    (array([3, 4, 1, 2]), False)
    """
    todo = graph.todo
    here = places[todo]
    tiles = [here[:, axis] // size for axis, size in tiling.tiles]
    keys = [*tiles, *(here[:, axis] for axis in tiling.points)]
    by_place = np.lexsort(tuple(reversed(keys))) if keys else np.arange(len(here))
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[todo[by_place]] = np.arange(len(todo))
    tail, head = graph.needed_edges
    if not np.any(rank[tail] > rank[head]):
        return todo[by_place], False
    if tiles:
        tile = _tile_numbers([one[by_place] for one in tiles])
        of_vertex = np.zeros(graph.n, dtype=np.int64)
        of_vertex[todo[by_place]] = tile
        order = _order_of_tiles(of_vertex[tail], of_vertex[head], int(tile[-1]) + 1)
        if order is not None:
            by_place = by_place[np.argsort(order[tile], kind="stable")]
            rank[todo[by_place]] = np.arange(len(todo))
            if not np.any(rank[tail] > rank[head]):
                return todo[by_place], False
    return topological_by_rank(graph, rank), True


def _tile_numbers(tiles: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the number of each vertex's tile; the vertices are in the order of their tiles."""
    new = np.zeros(len(tiles[0]), dtype=np.bool_)
    for one in tiles:
        new[1:] |= one[1:] != one[:-1]
    return np.cumsum(new)


def _order_of_tiles(
    tails: NDArray[np.int64], heads: NDArray[np.int64], number: int
) -> NDArray[np.int64] | None:
    """Return the rank of each tile, equal for tiles that read each other; None if there are too many."""
    pairs = np.unique((tails * number + heads)[tails != heads])
    if len(pairs) > _MOST_TILE_EDGES:
        return None
    tail, head = np.divmod(pairs, number)
    together = np.arange(number)
    if np.any(tail > head):
        graph: nx.DiGraph[int] = nx.DiGraph(zip(tail.tolist(), head.tolist(), strict=True))
        for component in nx.strongly_connected_components(graph):
            if len(component) > 1:
                together[list(component)] = min(component)
    tail, head = together[tail], together[head]
    return _topological(tail[tail != head], head[tail != head], together, number)


def _topological(
    tails: NDArray[np.int64], heads: NDArray[np.int64], together: NDArray[np.int64], number: int
) -> NDArray[np.int64]:
    """Return the ranks of groups of tiles: always the ready one that stands first."""
    waiting = np.bincount(heads, minlength=number).tolist()
    readers: list[list[int]] = [[] for _ in range(number)]
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        readers[tail].append(head)
    ready = [one for one in np.unique(together).tolist() if not waiting[one]]
    heapify(ready)
    rank = np.zeros(number, dtype=np.int64)
    next_rank = 0
    while ready:
        one = heappop(ready)
        rank[one] = next_rank
        next_rank += 1
        for other in readers[one]:
            waiting[other] -= 1
            if not waiting[other]:
                heappush(ready, other)
    return rank[together]
