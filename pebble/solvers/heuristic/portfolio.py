"""The methods that find an order, by name, and the search that tries them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.blocks import blocks
from pebble.solvers.heuristic.closures import CLOSURE_STYLES, closures
from pebble.solvers.heuristic.greedy import greedy
from pebble.solvers.heuristic.growth import Style
from pebble.solvers.heuristic.lattice import Lattice, found_lattice, lattice_orders
from pebble.solvers.heuristic.local_search import local_search
from pebble.solvers.heuristic.orders import breadth_first, depth_first, given
from pebble.solvers.heuristic.search import BestOrder, FoundOrder, OutOfSteps, Task, Watch
from pebble.solvers.heuristic.sum_chains import with_chains
from pebble.solvers.heuristic.sum_trees import sum_tree_columns
from pebble.solvers.heuristic.weighted_greedy import (
    WEIGHTS,
    Weights,
    changed_weights,
    random_weights,
    weighted_greedy,
)

__all__ = ["ORDERS"]

# Steps of a method take about three microseconds each; allowances in steps keep a result the same on any machine.
_STEPS = 900_000
"""What each method may take on a graph of some thousand vertices."""
_STEPS_EACH = 20
"""What each method may take for each vertex and edge of a larger one."""
_BLOCK_STEPS = 1_200_000
"""What blocks may take without a time budget."""
_MOST_STEPS = 6_000_000
_SMALL = 6_000
"""Vertices and edges up to which tiled orders are changed by a local search without a time budget."""
_RESTARTED = 60_000
"""Vertices and edges up to which tilings are searched anew with other random numbers."""
_RESTARTS = 2
_NEAR = 1.1
"""How many times as much as the best order the best tiled one may cost to be worth another search for tilings."""
_LARGE = 1_000_000
"""Vertices and edges from which on one style of closures is tried in any case."""
_KEPT_COLUMNS = 5
"""Columns of a lattice that stay beside the two for trees of sums."""
_FAR_LESS = 0.5
"""Part of the I/O of all simple orders below which a tiled order of a large graph is the last that is tried."""
_LEAST_SEARCHED = 100
"""Edges that a local search may play for each vertex and edge of a very small graph."""
_FIRST_SEARCH_STEPS, _SEARCH_STEPS = 1_000_000, 2_500_000
"""Edges that a local search may play: from a simple order, and from the best."""
_MOST_DRAWS = 64
"""Weights that are tried in one turn."""
_FEW_DRAWS = 2
"""Weights that are tried first on a large graph."""

_WEIGHTS_STREAM, _STYLES_STREAM, _FIRST_SEARCH_STREAM, _SEARCH_STREAM = range(4)
"""Each method has random numbers of its own, so that what it finds alone is found among others too."""


def _simple(task: Task) -> Iterator[FoundOrder]:
    yield "given", given(task.graph)
    yield "depth-first", depth_first(task.graph)
    yield "breadth-first", breadth_first(task.graph)
    yield from _greedy(task)


def _greedy(task: Task) -> Iterator[FoundOrder]:
    yield "greedy", greedy(task.graph, task.M)


def _allowed(task: Task) -> float:
    return min(max(_STEPS, _STEPS_EACH * task.size), _MOST_STEPS)


def _most_draws(task: Task) -> int:
    return _MOST_DRAWS if task.size <= _LARGE else _FEW_DRAWS


def _closures(task: Task) -> Iterator[FoundOrder]:
    """Yield orders by closures, of several sizes."""
    styles = CLOSURE_STYLES if task.size <= _LARGE else CLOSURE_STYLES[:1]
    left = _allowed(task)
    for part, lowest_first in styles:
        watch = task.watch("closures", left)
        size = max(2, min(task.M // part, task.M - 2))
        with suppress(OutOfSteps):
            yield "closures", closures(task.graph, size, lowest_first, task.depth_first_rank, watch)
        left -= watch.steps


class _Draws:
    """Weighted greedy orders: with given weights, with random ones, and with changes of the best."""

    def __init__(self, task: Task) -> None:
        self.task, self.rng = task, task.stream(_WEIGHTS_STREAM)
        self.best: list[tuple[int, int, Weights]] = []
        self.tried = self.used = 0

    def order(self, weights: Weights, watch: Watch) -> NDArray[np.int64]:
        """Return the order of these weights, and remember what it costs."""
        task = self.task
        rank = task.given_rank if weights.given else task.depth_first_rank
        cones = task.cones(weights.join)
        order = weighted_greedy(cones, task.M, weights, task.graph.level, rank, watch)
        self.best.append((task.io(order), self.tried, weights))
        self.best = sorted(self.best)[:4]
        return order

    def next_weights(self) -> Weights:
        """Return the next weights of the list, or new ones: two of three are changes of one of the best four."""
        self.tried += 1
        if self.tried <= len(WEIGHTS):
            return WEIGHTS[self.tried - 1]
        rng = self.rng
        if not self.best or rng.random() < 1 / 3:
            return random_weights(rng)
        return changed_weights(self.best[int(rng.integers(len(self.best)))][2], rng)

    def some(self, allowed: float, most: int) -> Iterator[FoundOrder]:
        """Yield orders until the steps are used up, and count these; what takes too many of them is given up."""
        self.used, longest, n = 0, 0, 0
        while n < most and self.used + longest <= allowed:
            watch = self.task.watch("weighted-greedy", allowed - self.used)
            with suppress(OutOfSteps):
                yield "weighted-greedy", self.order(self.next_weights(), watch)
                longest = max(longest, watch.steps)
            self.used, n = self.used + watch.steps, n + 1


def _styles(task: Task) -> Iterator[Style]:
    """Yield ways to grow blocks: the plain ones first, then random ones without end."""
    yield Style()
    yield Style(candidates=16)
    yield Style(spread=1, whole=False)
    yield Style(spread=-1)
    yield Style(spread=-1, whole=False)
    rng = task.stream(_STYLES_STREAM)
    while True:
        jitter = float(rng.choice([0.003, 0.01, 0.03, 0.1]))
        spread = 1 if rng.random() < 0.7 else -1
        candidates = int(rng.choice([8, 16, 48]))
        yield Style(spread, bool(rng.random() < 0.7), candidates, jitter)


def _grown(task: Task, style: Style, allowed: float) -> Iterator[FoundOrder]:
    """Yield one order by blocks, nothing if it takes too many steps."""
    with suppress(OutOfSteps):
        yield "blocks", blocks(task.graph, task.M, (style,), task.rng, task.watch("blocks", allowed))


def _improved(
    task: Task, start: FoundOrder, rng: np.random.Generator, allowed: float
) -> Iterator[FoundOrder]:
    """Yield every improvement that a local search finds."""
    size = task.size
    steps = int(min(size * (_LEAST_SEARCHED + size / 4), allowed))
    name = start[0].removesuffix("+local-search") + "+local-search"
    for order in local_search(task.graph, task.M, start[1], rng, steps):
        task.report("local-search", 0.0)
        if order is not None:
            yield name, order


def _searched(task: Task) -> Iterator[FoundOrder]:
    """Yield the best of three simple orders, and what a local search makes of it."""
    orders = [order for name, order in _simple(task) if name != "breadth-first"]
    start = min(orders, key=task.io)
    yield "local-search", start
    rng = task.stream(_FIRST_SEARCH_STREAM)
    yield from _renamed(_improved(task, ("local-search", start), rng, _FIRST_SEARCH_STEPS))


def _renamed(found: Iterator[FoundOrder]) -> Iterator[FoundOrder]:
    return (("local-search", order) for _, order in found)


def _lattice(task: Task, lattice: Lattice, seed: int = 0) -> Iterator[FoundOrder]:
    """Yield tiled orders over the axes of the lattices behind the graph, better and better ones; none without axes."""

    def price(order: NDArray[np.int64]) -> int:
        task.report("lattice", 0.0)
        return task.io(order)

    for order in lattice_orders(task.graph, task.M, lattice, price, seed):
        yield "lattice", order


def _tree_lattices(task: Task, lattice: Lattice) -> list[Lattice]:
    """Return two lattices for sums that are added up as trees, none where there are no trees.

    The first has columns for the sums and their terms beside those of the given one; the other is what would be
    recognised if the terms were added one after the other.
    """
    columns = sum_tree_columns(task.graph) if task.size <= _LARGE else None
    if columns is None:
        return []
    chained, like = with_chains(task.graph, columns[:, 1])
    read = found_lattice(chained)
    beside = np.concatenate([lattice.coordinates[:, :_KEPT_COLUMNS], columns], axis=1)
    return [Lattice(beside), Lattice(read.coordinates[like], read.kind)]


class _Least:
    """Orders that go through, and the least I/O among them; infinite before there is one."""

    def __init__(self, task: Task, orders: Iterator[FoundOrder]) -> None:
        self.task, self.orders, self.io = task, orders, float("inf")

    def __iter__(self) -> Iterator[FoundOrder]:
        for found in self.orders:
            yield found
            self.io = min(self.io, self.task.io(found[1]))


def _only_lattice(task: Task) -> Iterator[FoundOrder]:
    yield "given", given(task.graph)
    lattice = found_lattice(task.graph)
    yield from _lattice(task, lattice)
    for trees in _tree_lattices(task, lattice):
        yield from _lattice(task, trees)


def _everything(task: Task, best: BestOrder) -> Iterator[FoundOrder]:
    """Yield what all methods find; with a time budget, go on in rounds without end.

    What is tried, and in which order, does not depend on the time: more time only means to get farther. What gains most
    comes first, and a local search, which gains the less the longer it runs, after what it may begin from.
    """
    yield from _simple(task)
    if not len(task.graph.todo):
        return
    yield from task.candidates
    allowed, many = _allowed(task), _most_draws(task)
    draws, styles = _Draws(task), _styles(task)
    first = min(len(WEIGHTS), many) if task.size <= _LARGE else 0
    if first:
        yield from _closures(task)
        yield from draws.some(allowed, first)
    lattice = found_lattice(task.graph)
    before = best.io
    tiled = _Least(task, _lattice(task, lattice))
    yield from tiled
    for trees in _tree_lattices(task, lattice):
        tiled_trees = _Least(task, _lattice(task, trees))
        yield from tiled_trees
        if tiled_trees.io < tiled.io:
            tiled, lattice = tiled_trees, trees
    if not task.endless and task.size > _LARGE and best.io < _FAR_LESS * before:
        return
    if not first:
        yield from _closures(task)
    yield from draws.some(allowed - draws.used, many - first)
    yield from _searched(task)
    yield from _grown(task, next(styles), _BLOCK_STEPS)
    if tiled.io <= _NEAR * best.io and task.size <= _RESTARTED:
        for restart in range(_RESTARTS):
            yield from _lattice(task, lattice, restart + 1)
    rng = task.stream(_SEARCH_STREAM)
    if best.found is not None and (task.size <= _SMALL or best.found[0] != "lattice"):
        yield from _improved(task, best.found, rng, _SEARCH_STEPS)
    for turn in count():
        if not task.endless or best.found is None:
            return
        yield from _lattice(task, lattice, turn + 1 + _RESTARTS)
        yield from draws.some(allowed, _MOST_DRAWS)
        yield from _improved(task, best.found, rng, _SEARCH_STEPS * 2 ** min(turn, 20))
        yield from _grown(task, next(styles), allowed * 2 ** min(turn, 20))


def _auto(task: Task) -> FoundOrder:
    best = BestOrder(task)
    return best.run(_everything(task, best))


def _local_search(task: Task) -> FoundOrder:
    best, rng = BestOrder(task), task.stream(_SEARCH_STREAM)

    def search() -> Iterator[FoundOrder]:
        yield from _searched(task)
        for turn in count():
            if not task.endless or best.found is None:
                return
            yield from _renamed(_improved(task, best.found, rng, _SEARCH_STEPS * 2 ** min(turn, 20)))

    return best.run(search())


def _alone(task: Task, search: Iterator[FoundOrder]) -> FoundOrder:
    return BestOrder(task).run(search)


def _block_steps(task: Task) -> float:
    return float("inf") if task.endless else _BLOCK_STEPS


ORDERS: dict[str, Callable[[Task], FoundOrder]] = {
    "auto": _auto,
    "given": lambda task: ("given", given(task.graph)),
    "depth-first": lambda task: ("depth-first", depth_first(task.graph)),
    "breadth-first": lambda task: ("breadth-first", breadth_first(task.graph)),
    "greedy": lambda task: _alone(task, _greedy(task)),
    "weighted-greedy": lambda task: _alone(task, _Draws(task).some(_allowed(task), _most_draws(task))),
    "closures": lambda task: _alone(task, _closures(task)),
    "blocks": lambda task: _alone(task, _grown(task, Style(), _block_steps(task))),
    "lattice": lambda task: _alone(task, _only_lattice(task)),
    "local-search": _local_search,
}
"""Every method by name: from a task to the name of what was used and an order."""
