"""Tiled orders of a graph whose vertices have integer coordinates, and the search for a good one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import combinations, product
from math import ceil, prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

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
    """Return the tile sizes that cut an extent into parts as equal as possible.

    >>> equal_sizes(10)
    [1, 2, 3, 4, 5, 10]
    """
    return sorted({ceil(extent / many) for many in range(1, extent + 1)})


_PARENTS = 8
_GROUPS = 3
_MANY = 60
"""Trials from which on the first tilings are improved in groups that know nothing of each other."""
_ROOM = 3
"""Words beside the sums of a tile and one row of an operand: a value of the other one, a product, a new sum."""
_LEAST_FULL = 0.3
"""Part of fast memory that a box fills at least."""
_PART_OF_BOXES = 4
"""One in this many trials may be a box."""
_MOST_USES = 10_000
"""Uses of values that are looked at for a box."""
_IDLE = 200
"""Changes in a row that give nothing new, after which the search ends."""

T = TypeVar("T")


def better_tilings(
    graph: NeededGraph,
    coordinates: NDArray[np.int64],
    M: int,
    cost: Callable[[NDArray[np.int64]], int],
    trials: int,
    seed: int = 0,
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield tiled orders, each better than those before it, with their costs; at least one.

    Tilings that suit M are tried first; then the best ones are changed a little, again and again: another tile
    size, loops exchanged, a loop more or less.

    Parameters
    ----------
    graph : NeededGraph
    coordinates : array of int64, shape (V, d)
        See :func:`~pebble.solvers.heuristic.tiling_search.sorted_places`.
    M : int
        Words of fast memory.
    cost : callable
        From an order to its I/O.
    trials : int
        Orders that may be priced, at least 1.
    seed : int
        Of the changes that are drawn.
    """
    return TilingSearch(graph, coordinates, M, cost, trials, seed).run()


def _turned(tiling: Tiling) -> Tiling:
    return replace(tiling, turning=not tiling.turning)


class TilingSearch:
    """The search of :func:`better_tilings`, which says what its arguments mean.

    Attributes
    ----------
    price : dict of Tiling to int
        What each tiling that was tried costs.
    """

    def __init__(
        self,
        graph: NeededGraph,
        coordinates: NDArray[np.int64],
        M: int,
        cost: Callable[[NDArray[np.int64]], int],
        trials: int,
        seed: int = 0,
    ) -> None:
        self.graph, self.M, self.cost = graph, M, cost
        self.left = max(trials, 1)
        self.rng = np.random.default_rng(seed)
        self.coordinates, self.here = coordinates, coordinates[graph.todo]
        self.extent = [int(n) for n in self.here.max(axis=0, initial=0) + 1]
        self.axes = [axis for axis, n in enumerate(self.extent) if n > 1]
        self._is_input = np.array(graph.is_input)
        self._uses = self._some_uses()
        self.price: dict[Tiling, int] = {}
        self._priced: dict[int, int] = {}
        self._least = -1

    def run(self) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield better and better orders."""
        starts = [*self._boxes(), *self._drawn_starts()]
        for tiling in starts:
            yield from self._try(tiling)
        if not self.axes:
            return
        groups = [starts[at::_GROUPS] for at in range(_GROUPS)] if self.left >= _MANY else []
        for at, group in enumerate(groups):
            yield from self._improve(group, self.left // (_GROUPS + 1 - at))
        yield from self._improve(list(self.price), self.left)

    def _drawn_starts(self) -> list[Tiling]:
        """Return which tilings are tried first: square tiles, a part of the others that suit M, some at random."""
        plain, *fitting = self._starts()
        if self.left < _MANY:
            return fitting[: max(1, 2 * self.left // 3)] if fitting else [plain]
        third = self.left // 3
        some = [fitting[at] for at in self.rng.permutation(len(fitting))[:third]]
        return [plain, *some, *(self._random() for _ in range(third // 2 if self.axes else 0))]

    def _improve(self, tilings: list[Tiling], trials: int) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Change the best of these tilings, for a number of trials."""
        pool = [(self.price[tiling], at, tiling) for at, tiling in enumerate(tilings) if tiling in self.price]
        end, idle = self.left - trials, 0
        while pool and self.left > end and idle < _IDLE:
            pool = sorted(pool, key=lambda one: one[:2])[:_PARENTS]
            parent = pool[min(int(self.rng.geometric(0.35)), len(pool)) - 1][2]
            child = self._changed(parent)
            before = self.left
            if child not in self.price:
                yield from self._try(child)
            if child in self.price and all(child != one for *_, one in pool):
                pool.append((self.price[child], len(self.price), child))
            idle = idle + 1 if self.left == before else 0

    def _try(self, tiling: Tiling) -> Iterator[tuple[NDArray[np.int64], int]]:
        if tiling in self.price or not self.left:
            return
        places = sorted_places(self.here, tiling)
        digest = hash(places.tobytes())
        if digest in self._priced:
            self.price[tiling] = self._priced[digest]
            return
        self.left -= 1
        order = repaired(self.graph, self.graph.todo[places])
        cost = self.price[tiling] = self._priced[digest] = self.cost(order)
        if self._least < 0 or cost < self._least:
            self._least = cost
            yield order, cost

    def _some_uses(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return all uses of every few values: the value, its places, the places of who uses it."""
        dag = self.graph.dag
        head = np.repeat(np.arange(dag.n_vertices), dag.indegree)
        mark = np.random.default_rng(0).permutation(dag.n_vertices)[dag.predecessors]
        chosen = np.array(self.graph.wanted)[head] & (mark % (1 + dag.n_edges // _MOST_USES) == 0)
        value = dag.predecessors[chosen]
        return value, self.coordinates[value], self.coordinates[head[chosen]]

    def _boxes(self) -> list[Tiling]:
        """Return tilings by boxes that nearly fill fast memory with one array; first those that fewest values enter.

        A box on the axes of the outputs keeps sums in fast memory; one that is whole on an axis keeps rows, as queries
        while keys go by. Inside a box each of the other axes is streamed in turn.
        """
        found: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        for axes in (axes for many in (1, 2, 3) for axes in combinations(self.axes, many)):
            for sizes in product(*(equal_sizes(self.extent[axis]) for axis in axes)):
                words = prod(sizes)
                if _LEAST_FULL * self.M <= words + min(sizes) + _ROOM <= self.M:
                    tiles = tuple(zip(axes, sizes, strict=True))
                    found.append((self._entering(tiles), tiles))
        tilings: dict[Tiling, None] = {}
        for _, tiles in sorted(found):
            box = [axis for axis, _ in tiles]
            others = [axis for axis in self.axes if axis not in box]
            for stream in others or box[:1]:
                for rest in (others, others[::-1]):
                    points = dict.fromkeys((stream, *rest, *box))
                    tilings[Tiling(tuple(t for t in tiles if t[1] < self.extent[t[0]]), tuple(points))] = None
            if len(tilings) >= self.left // _PART_OF_BOXES:
                break
        best = list(tilings)[: max(1, self.left // _PART_OF_BOXES)]
        return [*best[:1], *(_turned(tiling) for tiling in best[:1]), *best[1:]]

    def _entering(self, tiles: tuple[tuple[int, int], ...]) -> int:
        """Return how many of some values enter tiles from outside, each counted once for each tile."""
        value, made, used = self._uses
        tile, home = np.zeros(len(value), dtype=np.int64), np.zeros(len(value), dtype=np.int64)
        for axis, size in tiles:
            tile, home = (
                number * (self.extent[axis] + 2) + places[:, axis] // size + 1
                for number, places in ((tile, used), (home, made))
            )
        outside = self._is_input[value] | (tile != home)
        return len(np.unique(tile[outside] * self.graph.n + value[outside]))

    def _starts(self) -> Iterator[Tiling]:
        """Yield tilings whose tiles leave about M values of an array in fast memory."""
        axes = self.axes
        yield Tiling((), tuple(axes))
        root = max(1, int(self.M**0.5))
        fitting = (root - 1, self.M // 2, self.M // 4, root, root // 2 + 1, self.M // 8, 2, 3)
        sizes = list(dict.fromkeys(max(1, size) for size in fitting))
        for many, size in product((2, 1, 3), sizes):
            for loops in combinations(axes, many):
                for stream in axes:
                    if stream not in loops or many == len(axes):
                        points = (stream, *(axis for axis in (*loops, *axes) if axis != stream))
                        yield Tiling(tuple((axis, size) for axis in loops), tuple(dict.fromkeys(points)))

    def _random(self) -> Tiling:
        many = int(self.rng.integers(1, 1 + min(3, len(self.axes))))
        sizes = [size for size in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64) if size <= self.M]
        loops = self.rng.permutation(self.axes)[:many].tolist()
        tiles = tuple((axis, int(self.rng.choice(sizes))) for axis in loops)
        return Tiling(tiles, tuple(self.rng.permutation(self.axes).tolist()))

    def _changed(self, tiling: Tiling) -> Tiling:
        changes = (
            self._resized,
            self._resized,
            self._exchanged,
            self._rotated,
            self._longer,
            self._shorter,
            _turned,
        )
        for _ in range(1 + int(self.rng.random() < 0.4)):
            tiling = changes[int(self.rng.integers(len(changes)))](tiling)
        return tiling

    def _resized(self, tiling: Tiling) -> Tiling:
        if not tiling.tiles:
            return self._longer(tiling)
        at = int(self.rng.integers(len(tiling.tiles)))
        axis, size = tiling.tiles[at]
        near = {
            size - 1,
            size + 1,
            size + 2,
            size // 2,
            size * 2,
            size * 3 // 4,
            size * 5 // 4,
            self.extent[axis],
        }
        allowed = sorted(s for s in near if 1 <= s <= self.extent[axis])
        chosen = (axis, int(self.rng.choice(allowed)))
        return replace(tiling, tiles=(*tiling.tiles[:at], chosen, *tiling.tiles[at + 1 :]))

    def _exchanged(self, tiling: Tiling) -> Tiling:
        """Exchange two tile loops or two point loops."""
        if len(tiling.tiles) > 1 and self.rng.random() < 0.5:
            return replace(tiling, tiles=tuple(self._swapped(list(tiling.tiles))))
        return replace(tiling, points=tuple(self._swapped(list(tiling.points))))

    def _swapped(self, loops: list[T]) -> list[T]:
        if len(loops) > 1:
            i, j = self.rng.choice(len(loops), 2, replace=False)
            loops[i], loops[j] = loops[j], loops[i]
        return loops

    def _rotated(self, tiling: Tiling) -> Tiling:
        """Bring one point loop to the outside."""
        axis = int(self.rng.choice(tiling.points))
        return replace(tiling, points=(axis, *(other for other in tiling.points if other != axis)))

    def _longer(self, tiling: Tiling) -> Tiling:
        unused = [axis for axis in self.axes if all(axis != used for used, _ in tiling.tiles)]
        if not unused:
            return self._shorter(tiling)
        axis = int(self.rng.choice(unused))
        root = max(1, int(self.M**0.5))
        size = int(self.rng.choice([1, 2, 3, root, max(1, self.M // 4), max(1, self.M // 2)]))
        at = int(self.rng.integers(len(tiling.tiles) + 1))
        return replace(tiling, tiles=(*tiling.tiles[:at], (axis, size), *tiling.tiles[at:]))

    def _shorter(self, tiling: Tiling) -> Tiling:
        if not tiling.tiles:
            return tiling
        at = int(self.rng.integers(len(tiling.tiles)))
        return replace(tiling, tiles=tiling.tiles[:at] + tiling.tiles[at + 1 :])
