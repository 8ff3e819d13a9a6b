"""The task of finding an order: its limits in steps and in time, and the best order so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import TimeUp, check_time, time_spent, unlimited
from pebble.graph.statistics import compulsory_io
from pebble.solvers.heuristic.cones import Cones, Join
from pebble.solvers.heuristic.eviction import EVICTIONS, io_of
from pebble.solvers.heuristic.needed_graph import NeededGraph, depth_first, given

FoundOrder: TypeAlias = "tuple[str, NDArray[np.int64]]"
"""The name of the method that found an order, and the order."""

_REPLAY = 1.5
"""How many times as long as the count of an order its replay takes."""
_FORECAST = 0.1
"""Part of an order from which on it is foreseen whether it will be complete within its steps."""


class OutOfSteps(Exception):
    """One method would need more steps than it may have; never leaves the search."""


@dataclass
class Task:
    """What an order is wanted for, and how long the search may take.

    Attributes
    ----------
    graph : NeededGraph
    M : int
        Words of fast memory.
    eviction : str
    rng : numpy Generator
    endless : bool
        Whether the search goes on until the time around it is up.
    progress : callable or None
        See :func:`~pebble.solvers.heuristic.schedule_dag`.
    candidates : iterable of (str, array)
        Orders that are known from elsewhere, with their names.
    stoppable : bool
        Whether an interruption ends the search with the best so far.
    interrupted : bool
        Whether it did.
    reserve : float
        Seconds that are left for the replay of the best order.
    """

    graph: NeededGraph
    M: int
    eviction: str
    rng: np.random.Generator
    endless: bool = False
    progress: Callable[[str, float, int], object] | None = None
    candidates: Iterable[FoundOrder] = ()
    stoppable: bool = False
    interrupted: bool = False
    least: int = 0
    reserve: float = 0.0
    _cones: dict[Join, Cones] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Vertices and edges."""
        return self.graph.n + self.graph.dag.n_edges

    @cached_property
    def compulsory(self) -> int:
        """Loads of the inputs that are needed, and stores of the outputs: no schedule has less I/O."""
        return sum(compulsory_io(self.graph.dag))

    @cached_property
    def depth_first_rank(self) -> list[int]:
        """Place of each vertex in the depth-first order."""
        return _rank(depth_first(self.graph), self.graph.n)

    @cached_property
    def given_rank(self) -> list[int]:
        """Place of each vertex in the DAG's own order."""
        return _rank(given(self.graph), self.graph.n)

    def cones(self, join: Join) -> Cones:
        """Return the cones of the graph, made once; those of a large graph are not kept for two ways of joining."""
        if join not in self._cones:
            if self.size > 1_000_000:
                self._cones.clear()
            self._cones[join] = Cones(self.graph, join)
        return self._cones[join]

    def io(self, order: NDArray[np.int64]) -> int:
        """Return the I/O of an order under the task's eviction; the first order is counted in any case."""
        with nullcontext() if self.least else unlimited():
            return io_of(self.graph, self.M, order, EVICTIONS[self.eviction])

    def watch(self, name: str, allowed: float = float("inf")) -> Watch:
        """Return what a method calls with the part that is done and its steps since the last call."""
        return Watch(self, name, allowed)

    def report(self, name: str, part: float) -> None:
        """Tell whoever listens how far the search has got; TimeUp if the time is up and an order is known."""
        if self.progress is not None:
            self.progress(name, min(time_spent() if self.endless else part, 1.0), self.least)
        if self.least:
            check_time(self.reserve)


class Watch:
    """Counts the steps of a method and ends it, if need be.

    A call raises :class:`TimeUp` if the time is up, and :class:`OutOfSteps` if the method has taken more
    than ``allowed`` steps or will have, at the rate so far.
    """

    def __init__(self, task: Task, name: str, allowed: float) -> None:
        self.task, self.name, self.allowed, self.steps = task, name, allowed, 0

    def __call__(self, part: float, steps: int) -> None:
        """Take note of the part that is done, and of the steps since the last call."""
        self.steps += steps
        self.task.report(self.name, part)
        if self.steps > self.allowed or (part > _FORECAST and self.steps > self.allowed * part):
            raise OutOfSteps


class BestOrder:
    """The order with the least I/O so far, the first of several, and the least I/O of each method."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.found: FoundOrder | None = None
        self.io = 0
        self.least_of: dict[str, int] = {}

    def offer(self, name: str, order: NDArray[np.int64]) -> int:
        """Count an order, keep it if it is better than those before it, and return its I/O."""
        begin = time.monotonic()
        io = self.task.io(order)
        if self.found is None:
            self.task.reserve = _REPLAY * (time.monotonic() - begin)
        self.least_of[name] = min(io, self.least_of.get(name, io))
        if self.found is None or io < self.io:
            self.found, self.io = (name, order), io
            self.task.least = io
        return io

    def run(self, search: Iterable[FoundOrder]) -> FoundOrder:
        """Return the best of what a search yields until it ends, the time is up, or someone interrupts it.

        It also ends when there is nothing but compulsory I/O. Where nothing has come, it is the depth-first order.
        """
        try:
            for name, order in search:
                self.offer(name, order)
                self.task.report(name, 1.0)
                if self.io == self.task.compulsory:
                    break
        except TimeUp:
            pass
        except KeyboardInterrupt:
            if self.found is None or not self.task.stoppable:
                raise
            self.task.interrupted = True
        return self.found or ("depth-first", depth_first(self.task.graph))


def _rank(order: NDArray[np.int64], n: int) -> list[int]:
    rank = np.zeros(n, dtype=np.int64)
    rank[order] = np.arange(len(order))
    places: list[int] = rank.tolist()
    return places
