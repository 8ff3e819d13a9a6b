"""Evictions: which value leaves fast memory when a word is needed, for computations in a fixed order.

All of them compute every vertex once, delete a value at once after its last use, store a value at most once
and only if it is needed again (outputs as soon as they are computed), and never store an input. They differ
only in the choice of the victim. Each is a generator of moves ``vertex << 2 | op``, in lists.

The two loops look alike. One loop that calls the rule of choice for every use takes a third more time, and a local
search spends nearly all of its time here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.uses import NEVER, Uses

__all__ = ["EVICTIONS", "Eviction", "belady", "fifo", "io_of", "lru"]

Eviction: TypeAlias = "Callable[[NeededGraph, int, NDArray[np.int64]], Iterator[list[int]]]"

_LOAD, _STORE, _COMPUTE, _DELETE = range(4)
_CHUNK = 1 << 16


def belady(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict the value whose next use is farthest away; of two equally far, one that is blue already.

    Notes
    -----
    Costs O(E log E): a heap with one entry a use. Entries are not taken out when their use comes. That is no
    fault: such an entry has a time that is over, whereas the values that may be evicted are used later, so
    one of these is always on top. For the same reason no value that the current computation needs is evicted.

    References
    ----------
    L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 1966.
    """
    uses = Uses(graph, order)
    start, value, after, first = uses.start, uses.value, uses.after, uses.first
    n, is_output = graph.n, graph.is_output
    blue, red = bytearray(graph.is_input), bytearray(n)
    heap: list[int] = []
    free, log = M, list[int]()

    for t, v in enumerate(order.tolist()):
        a, b = start[t], start[t + 1]
        for p in value[a:b]:
            if not red[p]:
                if free:
                    free -= 1
                else:
                    _evict(-heappop(heap) % n, blue, red, log)
                log.append(p << 2 | _LOAD)
                red[p] = 1
        if free:
            free -= 1
        else:
            _evict(-heappop(heap) % n, blue, red, log)
        log.append(v << 2 | _COMPUTE)
        for i in range(a, b):
            p, time = value[i], after[i]
            if time == NEVER:
                red[p] = 0
                free += 1
                log.append(p << 2 | _DELETE)
            else:
                heappush(heap, -((time << 1 | blue[p]) * n + p))
        if is_output[v]:
            blue[v] = 1
            log.append(v << 2 | _STORE)
        time = first[v]
        if time == NEVER:
            free += 1
            log.append(v << 2 | _DELETE)
        else:
            red[v] = 1
            heappush(heap, -((time << 1 | blue[v]) * n + v))
        if len(log) >= _CHUNK:
            yield log
            log = []
    yield log


def _evict(victim: int, blue: bytearray, red: bytearray, log: list[int]) -> None:
    if not blue[victim]:
        blue[victim] = 1
        log.append(victim << 2 | _STORE)
    red[victim] = 0
    log.append(victim << 2 | _DELETE)


def lru(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict the value that was placed or used least recently. Costs O(E)."""
    return _queue(graph, M, order, renew=True)


def fifo(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict the value that has been in fast memory for the longest time. Costs O(E)."""
    return _queue(graph, M, order, renew=False)


def _queue(graph: NeededGraph, M: int, order: NDArray[np.int64], renew: bool) -> Iterator[list[int]]:
    """Evict from the front of a queue; a use moves a value to the back if ``renew``."""
    uses, is_output = Uses(graph, order), graph.is_output
    start, value, after, first = uses.start, uses.value, uses.after, uses.first
    blue, red = bytearray(graph.is_input), bytearray(graph.n)
    queue: OrderedDict[int, None] = OrderedDict()
    needed, passed = [-1] * graph.n, list[int]()
    free, log = M, list[int]()

    def evict(t: int) -> None:
        victim = queue.popitem(last=False)[0]
        while needed[victim] == t:
            passed.append(victim)
            victim = queue.popitem(last=False)[0]
        _evict(victim, blue, red, log)

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
    io = 0
    for log in eviction(graph, M, order):
        io += int(np.count_nonzero(np.array(log, dtype=np.int64) & 3 <= _STORE))
    return io
