"""Local search over orders of small graphs: two uses of a value are brought together."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["local_search"]

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
