"""The search for a good tiling: loop order, tile sizes, skew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from math import ceil
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import Tiling, equal_sizes, repaired, sorted_places

__all__ = ["TilingSearch", "best_tiling", "better_tilings"]

_PARENTS = 8
_GROUPS = 3
_MANY = 60
"""Trials from which on the first tilings are improved in groups that know nothing of each other."""
_ROOM = 3
"""Words beside the sums of a tile and one row of an operand: a value of the other one, a product, a new sum."""
_MOST_BALANCED = 12
_IDLE = 200
"""Changes in a row that give nothing new, after which the search ends."""

T = TypeVar("T")


def best_tiling(
    graph: NeededGraph,
    coordinates: NDArray[np.int64],
    M: int,
    cost: Callable[[NDArray[np.int64]], int],
    trials: int,
    seed: int = 0,
) -> tuple[NDArray[np.int64], int]:
    """Return the best tiled order found, and its cost.

    Parameters
    ----------
    graph, coordinates, M, cost, trials, seed
        As for :func:`better_tilings`.
    """
    *_, best = better_tilings(graph, coordinates, M, cost, trials, seed)
    return best


def better_tilings(
    graph: NeededGraph,
    coordinates: NDArray[np.int64],
    M: int,
    cost: Callable[[NDArray[np.int64]], int],
    trials: int,
    seed: int = 0,
    suggested: Sequence[Tiling] = (),
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield tiled orders, each better than those before it, with their costs; at least one.

    Tilings that suit M are tried first; then the best ones are changed a little, again and again: another tile
    size, loops exchanged, a loop more or less.

    Parameters
    ----------
    graph, coordinates
        As for :func:`~pebble.solvers.heuristic.tiled_orders.tiled_order`.
    M : int
        Words of fast memory.
    cost : callable
        From an order to its I/O.
    trials : int
        Orders that may be priced, at least 1.
    seed : int
        Of the changes that are drawn.
    suggested : sequence of Tiling
        Tilings that are tried before all others, for up to half of the trials.
    """
    return TilingSearch(graph, coordinates, M, cost, trials, seed, suggested).run()


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
        suggested: Sequence[Tiling] = (),
    ) -> None:
        self.graph, self.M, self.cost = graph, M, cost
        self.left = max(trials, 1)
        self.suggested = suggested[: max(1, self.left // 2)]
        self.rng = np.random.default_rng(seed)
        self.coordinates, self.here = coordinates, coordinates[graph.todo]
        self.extent = [int(n) for n in self.here.max(axis=0, initial=0) + 1]
        self.axes = [axis for axis, n in enumerate(self.extent) if n > 1]
        self.price: dict[Tiling, int] = {}
        self._priced: dict[int, int] = {}
        self._least = -1

    def run(self) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield better and better orders."""
        known = self.suggested or self._blocks_of_rows()
        starts = [*known, *self._balanced(), *self._drawn_starts()]
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
        left = self.left - len(self.suggested)
        if self.left < _MANY:
            return fitting[: max(1, 2 * left // 3)] if fitting else [plain]
        third = left // 3
        some = [fitting[at] for at in self.rng.permutation(len(fitting))[:third]]
        return [plain, *some, *(self._random() for _ in range(third // 2 if self.axes else 0))]

    def _improve(self, tilings: list[Tiling], trials: int) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Change the best of these tilings for so many trials."""
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

    def _balanced(self) -> list[Tiling]:
        """Return a few tilings with tiles on two axes that are equal and nearly fill fast memory; fewest loads first.

        A third axis is streamed. Best is one along which sums go: then they stay in fast memory.
        """
        moved = self._moved()
        found: list[tuple[float, Tiling]] = []
        for i, j in combinations(self.axes, 2):
            for stream in self.axes:
                if stream in (i, j):
                    continue
                others = tuple(axis for axis in self.axes if axis not in (i, j, stream))
                for a in equal_sizes(self.extent[i]):
                    fitting = [b for b in equal_sizes(self.extent[j]) if a * b + min(a, b) + _ROOM <= self.M]
                    if fitting:
                        b = max(fitting)
                        loads = self.extent[stream] * (
                            ceil(self.extent[i] / a) * self.extent[j]
                            + ceil(self.extent[j] / b) * self.extent[i]
                        )
                        tiling = Tiling(((i, a), (j, b)), (stream, i, j, *others))
                        found.append((loads * (2 - moved[stream]), tiling))
        found.sort(key=lambda one: one[0])
        best = [tiling for _, tiling in found[: max(1, min(_MOST_BALANCED, self.left // 6))]]
        return [*best[:1], *(replace(tiling, turning=True) for tiling in best[:1]), *best[1:]]

    def _blocks_of_rows(self) -> list[Tiling]:
        """Return tilings with tiles on one axis while a second one is streamed, first the two longest axes.

        As many rows as fit stay in fast memory with all that they have on a third axis, once, twice or three times:
        queries and outputs, while keys and values go by.
        """
        found = []
        for rows, stream in permutations(self.axes, 2):
            others = [axis for axis in self.axes if axis not in (rows, stream)]
            for times, kept in product((2, 3, 1), others):
                size = self.M // (times * self.extent[kept])
                if 1 <= size < self.extent[rows]:
                    length = self.extent[rows] * self.extent[stream]
                    found += [
                        (-length, Tiling(((rows, size),), (stream, *inner, rows)))
                        for inner in dict.fromkeys((tuple(others), tuple(reversed(others))))
                    ]
        found.sort(key=lambda one: one[0])
        return list(dict.fromkeys(tiling for _, tiling in found))[: self.left // 6]

    def _moved(self) -> list[float]:
        """Return for each axis which part of the edges between two places goes along it alone."""
        tail, head = self.graph.needed_edges
        differ = self.coordinates[tail] != self.coordinates[head]
        alone = differ[differ.sum(axis=1) == 1]
        return [float(x) for x in alone.mean(axis=0)] if len(alone) else [0.0] * differ.shape[1]

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
