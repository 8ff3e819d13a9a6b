"""The methods that find an order, by name, and the choice of the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.blocks import STYLES, blocks
from pebble.solvers.heuristic.eviction import EVICTIONS, io_of
from pebble.solvers.heuristic.greedy import greedy
from pebble.solvers.heuristic.growth import Style
from pebble.solvers.heuristic.lattice import lattice_orders
from pebble.solvers.heuristic.local_search import local_search
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.orders import breadth_first, depth_first, given

__all__ = ["ORDERS", "FoundOrder", "Task"]

FoundOrder: TypeAlias = "tuple[str, NDArray[np.int64]]"
"""The name of the method that found an order, and the order."""

_LARGE = 60_000
"""Vertices and edges from which on blocks are tried only if there is a time budget, or by name."""
_SMALL = 4_000
"""Vertices and edges up to which several styles of blocks and a local search are tried in any case."""
_EVALUATED = 1_000_000
"""Vertices and edges that a local search without a time budget evaluates, over all its trials."""
_MOST_TRIALS = 1_000
_POLISHING = 0.7
"""Part of the time budget after which ``auto`` turns from new orders to a local search from the best."""


class _TimeUp(Exception):
    """The time budget is spent; never leaves this module."""


@dataclass
class Task:
    """What an order is wanted for, and how long the search may take."""

    graph: NeededGraph
    M: int
    eviction: str
    rng: np.random.Generator
    time_budget: float | None
    progress: Callable[[str, float, int], object] | None
    _begun: float = field(default_factory=time.monotonic)

    @property
    def size(self) -> int:
        """Vertices and edges."""
        return self.graph.n + self.graph.dag.n_edges

    def io(self, order: NDArray[np.int64]) -> int:
        """Return the I/O of an order under the task's eviction."""
        return io_of(self.graph, self.M, order, EVICTIONS[self.eviction])

    def spent(self) -> float:
        """Return the part of the time budget that is spent; 0 if there is none."""
        if self.time_budget is None:
            return 0.0
        return (time.monotonic() - self._begun) / max(self.time_budget, 1e-9)

    def report(self, what: str, part: float, io: int) -> None:
        """Tell whoever listens how far the search has got."""
        if self.progress is not None:
            self.progress(what, min(part, 1.0), io)

    def blocks(self, name: str, style: tuple[Style, ...], until: float, io: int = 0) -> NDArray[np.int64]:
        """Grow blocks, unless the time is up before they are complete."""

        def watch(part: float) -> None:
            self.report(name, part, io)
            if self.spent() > until:
                raise _TimeUp

        return blocks(self.graph, self.M, style, self.rng, watch)

    def search(self, start: NDArray[np.int64]) -> NDArray[np.int64]:
        """Search locally for the rest of the time, or for a fixed number of trials."""
        trials = min(_MOST_TRIALS, max(20, _EVALUATED // self.size))

        def go_on(trial: int, io: int) -> bool:
            timed = self.time_budget is not None
            part = self.spent() if timed else trial / trials
            self.report("local-search", part, io)
            return part < 1

        return local_search(self.graph, start, self.io, self.rng, go_on)


def _simple(task: Task) -> Iterator[FoundOrder]:
    yield "given", given(task.graph)
    yield "depth-first", depth_first(task.graph)
    yield "greedy", greedy(task.graph, task.M)


def _lattice(task: Task) -> Iterator[FoundOrder]:
    for order in lattice_orders(task.graph, task.M, task.io):
        yield "lattice", order


def _best(task: Task, found: Iterator[FoundOrder]) -> FoundOrder:
    """Return the order with the least I/O, the first of several."""
    return min(found, key=lambda one: task.io(one[1]))


def _local_search(task: Task) -> FoundOrder:
    return "local-search", task.search(_best(task, _simple(task))[1])


def _blocks(task: Task) -> FoundOrder:
    return "blocks", task.blocks("blocks", STYLES[:1], float("inf"))


def _styles(task: Task) -> Iterator[Style]:
    """Yield ways to grow blocks: the plain ones first, then random ones for as long as there is time."""
    if task.time_budget is None and task.size > _LARGE:
        return
    yield STYLES[0]
    yield Style(candidates=16)
    if task.time_budget is None and task.size > _SMALL:
        return
    yield Style(spread=1, whole=False)
    yield Style(spread=-1)
    yield Style(spread=-1, whole=False)
    draws = 4
    while draws > 0 or task.time_budget is not None:
        draws -= 1
        jitter = float(task.rng.choice([0.003, 0.01, 0.03, 0.1]))
        spread = 1 if task.rng.random() < 0.7 else -1
        candidates = int(task.rng.choice([8, 16, 48]))
        yield Style(spread, bool(task.rng.random() < 0.7), candidates, jitter)


def _auto(task: Task) -> FoundOrder:
    """Take the best of the simple orders and of blocks, and improve it by a local search."""
    best = _best(task, chain(_simple(task), _lattice(task)))
    least = task.io(best[1])
    try:
        for style in _styles(task):
            if task.spent() > _POLISHING:
                break
            order = task.blocks("blocks", (style,), _POLISHING, least)
            io = task.io(order)
            if io < least:
                best, least = ("blocks", order), io
    except _TimeUp:
        pass
    if task.time_budget is None and task.size > _SMALL:
        return best
    improved = task.search(best[1])
    return (f"{best[0]}+local-search", improved) if task.io(improved) < least else best


ORDERS: dict[str, Callable[[Task], FoundOrder]] = {
    "auto": _auto,
    "given": lambda task: ("given", given(task.graph)),
    "depth-first": lambda task: ("depth-first", depth_first(task.graph)),
    "breadth-first": lambda task: ("breadth-first", breadth_first(task.graph)),
    "greedy": lambda task: ("greedy", greedy(task.graph, task.M)),
    "blocks": _blocks,
    "lattice": lambda task: _best(task, chain([("given", given(task.graph))], _lattice(task))),
    "local-search": _local_search,
}
"""Every method by name: from a task to the name of what was used and an order."""
