"""Evictions: which value leaves fast memory when a word is needed, for computations in a fixed order.

All of them compute every vertex once, delete a value at once after its last use, store a value at most once
and only if it is needed again (outputs as soon as they are computed), and never store an input. They differ
only in the choice of the victim. Each is a generator of moves ``vertex << 2 | op``, in lists.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import check_time
from pebble.solvers.heuristic.belady import NEVER, Uses, belady, belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph

Eviction: TypeAlias = "Callable[[NeededGraph, int, NDArray[np.int64]], Iterator[list[int]]]"

_LOAD, _STORE, _COMPUTE, _DELETE = range(4)
_CHUNK = 1 << 16


def lru(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict the value that was placed or used least recently. Costs O(E)."""
    return _queue(graph, M, order, renew=True)


def fifo(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict the value that has been in fast memory for the longest time. Costs O(E)."""
    return _queue(graph, M, order, renew=False)


def _queue(graph: NeededGraph, M: int, order: NDArray[np.int64], renew: bool) -> Iterator[list[int]]:
    """Evict from the front of a queue; a use moves a value to the back if ``renew``."""
    uses, is_output = Uses(graph, order), graph.is_output
    start, value, after, first = (a.tolist() for a in (uses.start, uses.value, uses.after, uses.first))
    blue, red = bytearray(graph.is_input), bytearray(graph.n)
    queue: OrderedDict[int, None] = OrderedDict()
    needed, passed = [-1] * graph.n, list[int]()
    free, log = M, list[int]()

    def evict(t: int) -> None:
        victim = queue.popitem(last=False)[0]
        while needed[victim] == t:
            passed.append(victim)
            victim = queue.popitem(last=False)[0]
        if not blue[victim]:
            blue[victim] = 1
            log.append(victim << 2 | _STORE)
        red[victim] = 0
        log.append(victim << 2 | _DELETE)

    for t, v in enumerate(order.tolist()):
        a, b = start[t], start[t + 1]
        for p in value[a:b]:
            needed[p] = t
            if renew and red[p]:
                queue.move_to_end(p)
        for p in value[a:b]:
            if not red[p]:
                if free:
                    free -= 1
                else:
                    evict(t)
                log.append(p << 2 | _LOAD)
                red[p] = 1
                queue[p] = None
        if free:
            free -= 1
        else:
            evict(t)
        log.append(v << 2 | _COMPUTE)
        while passed:
            p = passed.pop()
            queue[p] = None
            queue.move_to_end(p, last=False)
        for i in range(a, b):
            if after[i] == NEVER:
                p = value[i]
                del queue[p]
                red[p] = 0
                free += 1
                log.append(p << 2 | _DELETE)
        if is_output[v]:
            blue[v] = 1
            log.append(v << 2 | _STORE)
        if first[v] == NEVER:
            free += 1
            log.append(v << 2 | _DELETE)
        else:
            red[v] = 1
            queue[v] = None
        if len(log) >= _CHUNK:
            yield log
            log = []
    yield log


EVICTIONS: dict[str, Eviction] = {"belady": belady, "lru": lru, "fifo": fifo}
"""The evictions by name."""


def io_of(graph: NeededGraph, M: int, order: NDArray[np.int64], eviction: Eviction = belady) -> int:
    """Return the loads plus stores of an order; M must be at least the DAG's ``least_M``."""
    if eviction is belady:
        return belady_io(graph, M, order)
    io = 0
    for log in eviction(graph, M, order):
        check_time()
        io += int(np.count_nonzero(np.array(log, dtype=np.int64) & 3 <= _STORE))
    return io
