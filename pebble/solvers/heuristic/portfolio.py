"""The methods that find an order, by name, and the search that tries them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.greedy import WEIGHTS, Weights, changed_weights, greedy, random_weights
from pebble.solvers.heuristic.lattice import lattice_coordinates, lattice_orders
from pebble.solvers.heuristic.needed_graph import NeededGraph, breadth_first, depth_first, given
from pebble.solvers.heuristic.search import BestOrder, FoundOrder, OutOfSteps, Task, Watch

_WARMTH = 0.5
"""Words that a change may cost more, in the mean at the beginning."""


def local_search(
    graph: NeededGraph, M: int, start: NDArray[np.int64], rng: np.random.Generator, trials: int
) -> Iterator[NDArray[np.int64]]:
    """Yield orders that cost less and less: a use of a value moves to the place after the use before it.

    What it needs of the computations between comes along. What costs no more under Belady's eviction is kept; at the
    beginning also some of what costs a word or two more. Every trial counts the whole order.
    """
    random, order = Random(int(rng.integers(1 << 62))), start.tolist()
    now = least = belady_io(graph, M, start)
    for trial in range(trials if order else 0):
        until = random.randrange(len(order))
        value = random.choice(graph.predecessors[order[until]])
        near = {value, *graph.successors[value]}
        since = next((t for t in range(until - 1, -1, -1) if order[t] in near), until)
        between, needed = order[since + 1 : until + 1], {order[until]}
        for v in reversed(between):
            if v in needed:
                needed.update(graph.predecessors[v])
        first = [v for v in between if v in needed]
        if len(first) < len(between):
            rest = [v for v in between if v not in needed]
            changed = [*order[: since + 1], *first, *rest, *order[until + 1 :]]
            io = belady_io(graph, M, np.array(changed))
            if io <= now - int(_WARMTH * (1 - trial / trials) * log(1 - random.random())):
                order, now = changed, io
        if now < least:
            least = now
            yield np.array(order)


# A step takes about two microseconds; allowances in steps keep a result the same on any machine.
_STEPS = 3_500_000
"""What greedy orders may take on a graph of some thousand vertices."""
_STEPS_EACH = 20
"""What they may take for each vertex and edge of a larger one."""
_MOST_STEPS = 6_000_000
_RESTARTED = 60_000
"""Vertices and edges up to which tilings are searched anew with other random numbers."""
_RESTARTS = 2
_NEAR = 1.1
"""How many times as much as the best order the best tiled one may cost to be worth another search for tilings."""
_LARGE = 1_000_000
"""Vertices and edges from which on tiled orders come before greedy ones."""
_FAR_LESS = 0.7
"""Part of the I/O of all orders before it below which a tiled order ends the search for greedy ones."""
_SMALL = 3_000
"""Vertices and edges up to which a local search comes last."""
_SEARCHED = 1_000_000
"""Edges of all orders that it counts."""
_MOST_DRAWS = 256
"""Weights that are tried in one turn."""


def _simple(task: Task) -> Iterator[FoundOrder]:
    yield "given", given(task.graph)
    yield "depth-first", depth_first(task.graph)
    yield "breadth-first", breadth_first(task.graph)


def _allowed(task: Task) -> float:
    return min(max(_STEPS, _STEPS_EACH * task.size), _MOST_STEPS)


class _Draws:
    """Greedy orders: with given weights, with random ones, and with changes of the best."""

    def __init__(self, task: Task) -> None:
        self.task, self.rng = task, task.rng
        self.best: list[tuple[int, int, Weights]] = []
        self.tried = self.used = 0

    def order(self, weights: Weights, watch: Watch) -> NDArray[np.int64]:
        """Return the order of these weights, and remember what it costs."""
        task = self.task
        rank = task.given_rank if weights.given else task.depth_first_rank
        order = greedy(task.cones(weights.join), task.M, weights, task.graph.level, rank, watch)
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
            watch = self.task.watch("greedy", allowed - self.used)
            with suppress(OutOfSteps):
                yield "greedy", self.order(self.next_weights(), watch)
                longest = max(longest, watch.steps)
            self.used, n = self.used + watch.steps, n + 1


def _lattice(task: Task, coordinates: NDArray[np.int64], seed: int = 0) -> Iterator[FoundOrder]:
    """Yield tiled orders over the axes behind the graph, better and better ones; none without axes."""

    def price(order: NDArray[np.int64]) -> int:
        task.report("lattice", 0.0)
        return task.io(order)

    for order in lattice_orders(task.graph, task.M, coordinates, price, seed):
        yield "lattice", order


def _improved(task: Task, best: BestOrder) -> Iterator[FoundOrder]:
    """Yield what a local search makes of the best order of a small graph."""
    if best.found is not None and task.size <= _SMALL:
        trials = _SEARCHED // task.size
        for order in local_search(task.graph, task.M, best.found[1], task.rng, trials):
            yield "local-search", order


def _only_lattice(task: Task) -> Iterator[FoundOrder]:
    yield "given", given(task.graph)
    yield from _lattice(task, lattice_coordinates(task.graph))


def _everything(task: Task, best: BestOrder) -> Iterator[FoundOrder]:
    """Yield what all methods find; with a time budget, go on in rounds without end.

    What is tried, and in which order, does not depend on the time: more time only means to get farther. What gains most
    comes first.
    """
    yield from _simple(task)
    if not len(task.graph.todo):
        return
    yield from task.candidates
    allowed, draws = _allowed(task), _Draws(task)
    first = len(WEIGHTS) if task.size <= _LARGE else 0
    yield from draws.some(allowed, first)
    coordinates, before = lattice_coordinates(task.graph), best.io
    yield from _lattice(task, coordinates)
    if best.io >= _FAR_LESS * before:
        yield from draws.some(allowed - draws.used, _MOST_DRAWS - first)
    if best.least_of.get("lattice", float("inf")) <= _NEAR * best.io and task.size <= _RESTARTED:
        for restart in range(_RESTARTS):
            yield from _lattice(task, coordinates, restart + 1)
    yield from _improved(task, best)
    for turn in count(_RESTARTS + 1) if task.endless else ():
        yield from _lattice(task, coordinates, turn)
        yield from draws.some(allowed, _MOST_DRAWS)
        yield from _improved(task, best)


def _auto(task: Task) -> FoundOrder:
    best = BestOrder(task)
    return best.run(_everything(task, best))


ORDERS: dict[str, Callable[[Task], FoundOrder]] = {
    "auto": _auto,
    "given": lambda task: ("given", given(task.graph)),
    "depth-first": lambda task: ("depth-first", depth_first(task.graph)),
    "breadth-first": lambda task: ("breadth-first", breadth_first(task.graph)),
    "greedy": lambda task: BestOrder(task).run(_Draws(task).some(_allowed(task), _MOST_DRAWS)),
    "lattice": lambda task: BestOrder(task).run(_only_lattice(task)),
}
"""Every method by name: from a task to the name of what was used and an order."""
