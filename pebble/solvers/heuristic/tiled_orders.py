"""Tiled orders of a graph whose vertices have integer coordinates: loop order, tile sizes, skew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["ABSENT", "Tiling", "best_tiling", "tiled_order", "topological_by_rank"]

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
    """

    tiles: tuple[tuple[int, int], ...]
    points: tuple[int, ...]


def tiled_order(graph: NeededGraph, coordinates: NDArray[np.int64], tiling: Tiling) -> NDArray[np.int64]:
    """Return the needed vertices tile after tile, repaired where that would put one before a predecessor.

    Parameters
    ----------
    graph : NeededGraph
    coordinates : array of int64, shape (V, d)
        The place of each vertex on each axis, at least 0, or :data:`ABSENT`, which comes before all places: a vertex
        that lacks an axis is computed as soon as it can be. Vertices at one place keep their topological order.
    tiling : Tiling

    Notes
    -----
    Costs O(V log V) array operations, and O(E + V log V) steps where a repair is needed.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> graph = NeededGraph(Dag.from_edges([(0, v) for v in (1, 2, 3, 4)]))
    >>> places = np.array([[-1, -1], [0, 0], [0, 1], [1, 0], [1, 1]])
    >>> tiled_order(graph, places, Tiling(((1, 1),), (0,))).tolist()
    [1, 3, 2, 4]
    """
    here = coordinates[graph.todo]
    keys = [here[:, axis] // size for axis, size in tiling.tiles]
    keys += [here[:, axis] for axis in tiling.points]
    by_key = np.lexsort(tuple(reversed(keys))) if keys else np.arange(len(here))
    rank = np.full(graph.n, -1, dtype=np.int64)
    rank[graph.todo[by_key]] = np.arange(len(by_key))
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


def best_tiling(
    graph: NeededGraph,
    coordinates: NDArray[np.int64],
    M: int,
    cost: Callable[[NDArray[np.int64]], int],
    trials: int,
) -> tuple[NDArray[np.int64], int]:
    """Return the best tiled order found, and its cost.

    Tilings that suit M are tried first; then the best ones are improved by one change after the other: another tile
    size, other loops exchanged.

    Parameters
    ----------
    graph, coordinates
        As for :func:`tiled_order`.
    M : int
        Words of fast memory.
    cost : callable
        From an order to its I/O.
    trials : int
        Orders that may be priced, at least 1.
    """
    return _TilingSearch(graph, coordinates, M, cost, trials).run()


class _TilingSearch:
    def __init__(
        self,
        graph: NeededGraph,
        coordinates: NDArray[np.int64],
        M: int,
        cost: Callable[[NDArray[np.int64]], int],
        trials: int,
    ) -> None:
        self.graph, self.coordinates, self.M, self.cost = graph, coordinates, M, cost
        self.left = max(trials, 1)
        here = coordinates[graph.todo]
        self.extent = [int(n) for n in here.max(axis=0, initial=0) + 1]
        self.axes = [axis for axis, n in enumerate(self.extent) if n > 1]
        self.price: dict[Tiling, int] = {}
        self.orders: dict[bytes, int] = {}
        self.best: tuple[int, NDArray[np.int64]] | None = None

    def run(self) -> tuple[NDArray[np.int64], int]:
        for tiling in self._starts():
            if self._price(tiling) is None:
                break
        for start in sorted(self.price, key=self.price.__getitem__)[:3]:
            self._climb(start)
        assert self.best is not None
        return self.best[1], self.best[0]

    def _price(self, tiling: Tiling) -> int | None:
        """Return the cost of a tiling; None if there are no trials left."""
        if tiling in self.price:
            return self.price[tiling]
        if not self.left:
            return None
        order = tiled_order(self.graph, self.coordinates, tiling)
        digest = order.tobytes()
        if digest not in self.orders:
            self.left -= 1
            self.orders[digest] = self.cost(order)
        cost = self.price[tiling] = self.orders[digest]
        if self.best is None or cost < self.best[0]:
            self.best = cost, order
        return cost

    def _starts(self) -> Iterator[Tiling]:
        """Yield tilings whose tiles leave about M values of an array in fast memory."""
        axes = self.axes
        yield Tiling((), tuple(axes))
        root = max(1, int(self.M**0.5))
        for stream in axes:
            others = [axis for axis in axes if axis != stream]
            for size in sorted({root, max(1, root - 1), max(1, self.M // 2), max(1, self.M // 4)}):
                for loops in permutations(others) if len(others) < 4 else [tuple(others)]:
                    yield Tiling(tuple((axis, size) for axis in loops), (stream, *loops))

    def _climb(self, tiling: Tiling) -> None:
        cost = self.price[tiling]
        improved = True
        while improved:
            improved = False
            for near in self._near(tiling):
                price = self._price(near)
                if price is None:
                    return
                if price < cost:
                    tiling, cost, improved = near, price, True
                    break

    def _near(self, tiling: Tiling) -> Iterator[Tiling]:
        """Yield the tilings one change away."""
        tiles = tiling.tiles
        for at, (axis, size) in enumerate(tiles):
            for other in _sizes_near(size, self.extent[axis]):
                yield replace(tiling, tiles=(*tiles[:at], (axis, other), *tiles[at + 1 :]))
        for at in range(len(tiles)):
            yield replace(tiling, tiles=tiles[:at] + tiles[at + 1 :])
        for at in range(len(tiles) - 1):
            yield replace(tiling, tiles=(*tiles[:at], tiles[at + 1], tiles[at], *tiles[at + 2 :]))
        points = tiling.points
        for i in range(len(points)):
            for j in range(i + 1, len(points)):
                changed = list(points)
                changed[i], changed[j] = points[j], points[i]
                yield replace(tiling, points=tuple(changed))
        for axis in self.axes:
            if all(axis != used for used, _ in tiles):
                size = min(self.extent[axis] - 1, max(2, int(self.M**0.5)))
                yield replace(tiling, tiles=((axis, size), *tiles))
                yield replace(tiling, tiles=(*tiles, (axis, size)))


def _sizes_near(size: int, extent: int) -> list[int]:
    near = {size - 1, size + 1, size // 2, size * 2, size * 3 // 4, size * 5 // 4, extent}
    return sorted((s for s in near if 1 <= s <= extent and s != size), key=lambda s: abs(s - size))
