"""Belady's eviction with stores, for computations in a fixed order: its moves, and its count alone."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import check_time
from pebble.solvers.heuristic.needed_graph import NeededGraph

NEVER = 1 << 60
"""The time of a use that does not come."""


class Uses:
    """Which values the computations of an order use, and when each value is used next.

    Parameters
    ----------
    graph : NeededGraph
    order : array of int64, shape (n,)
        Computed vertices, every one after its predecessors.

    Attributes
    ----------
    start : array of int64, shape (n + 1,)
        The uses by the t-th computation are numbers ``start[t]`` to ``start[t + 1] - 1``.
    value : array of int64, shape (E,)
        The value of each use.
    after : array of int64, shape (E,)
        The time of the next use of the same value, or :data:`NEVER`.
    first : array of int64, shape (V,)
        The time of the first use of each value, or :data:`NEVER`.

    Notes
    -----
    Costs O(E log E) in array operations.
    """

    def __init__(self, graph: NeededGraph, order: NDArray[np.int64]) -> None:
        dag = graph.dag
        degree = dag.indegree[order]
        start = np.zeros(len(order) + 1, dtype=np.int64)
        np.cumsum(degree, out=start[1:])
        row = np.repeat(np.arange(len(order)), degree)
        edge = np.arange(len(row)) + (dag.predecessor_start[order] - start[:-1])[row]
        value = dag.predecessors[edge]
        by_value = np.argsort(value, kind="stable")
        sorted_value, sorted_time = value[by_value], row[by_value]
        same = sorted_value[1:] == sorted_value[:-1]
        after = np.full(len(row), NEVER, dtype=np.int64)
        after[by_value[:-1][same]] = sorted_time[1:][same]
        first = np.full(dag.n_vertices, NEVER, dtype=np.int64)
        first[value[::-1]] = row[::-1]
        self.start: NDArray[np.int64] = start
        self.value: NDArray[np.int64] = value
        self.after: NDArray[np.int64] = after
        self.first: NDArray[np.int64] = first


_LOAD, _STORE, _COMPUTE, _DELETE = range(4)
_CHUNK = 1 << 14
"""Computations whose uses are lists at one time."""
_SPARE = 1 << 14
"""Uses that are over and may stay in the heap."""


class _Keys:
    """What the loops below read, chunk by chunk: computations, uses, and a key for each use to come.

    The next use of the value p at the time t has the key ``-(2·t·n + p)``, less n if p is blue, so that the least
    key is that of the farthest next use, of two equally far that of a blue value; and p is what is left of minus the
    key modulo n. The key of a use that does not come is 1.
    """

    def __init__(self, graph: NeededGraph, order: NDArray[np.int64]) -> None:
        uses, self.order, self.twice_n = Uses(graph, order), order, 2 * graph.n
        self.start, self.value = uses.start, uses.value
        self.after = self._keys(uses.after, uses.value)
        self.first = self._keys(uses.first[order], order)

    def _keys(self, time: NDArray[np.int64], value: NDArray[np.int64]) -> NDArray[np.int64]:
        never = time == NEVER
        keys: NDArray[np.int64] = -(np.where(never, 0, time) * self.twice_n + value)
        keys[never] = 1
        return keys

    def chunks(self) -> Iterator[tuple[Iterator[tuple[int, int, int]], list[int], list[int], int]]:
        """Yield (computation, end of its uses, key) one by one; the uses and their keys; the time after them."""
        for low in range(0, len(self.order), _CHUNK):
            high = min(low + _CHUNK, len(self.order))
            a, b = int(self.start[low]), int(self.start[high])
            ends = (self.start[low + 1 : high + 1] - a).tolist()
            rows = zip(self.order[low:high].tolist(), ends, self.first[low:high].tolist(), strict=True)
            yield rows, self.value[a:b].tolist(), self.after[a:b].tolist(), high

    def without_past(self, heap: list[int], M: int, now: int) -> list[int]:
        """Return the heap; without the uses that are over, if there may be many of them."""
        if len(heap) <= 2 * M + _SPARE:
            return heap
        heap = [key for key in heap if key <= -now * self.twice_n]
        heapify(heap)
        return heap


def belady(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict the value whose next use is farthest away; of two equally far, one that is blue already.

    Notes
    -----
    Costs O(E log M): a heap with one entry a use. Entries are not taken out when their use comes. That is no
    fault: such an entry has a time that is over, whereas the values that may be evicted are used later, so
    one of these is always on top. For the same reason no value that the current computation needs is evicted.

    References
    ----------
    L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 1966.
    """
    return (log for log, _ in _played(graph, M, order, written=True))


def belady_io(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> int:
    """Return the loads plus stores of :func:`belady`; no move is written down, for searches count very many orders."""
    total = 0
    for _, io in _played(graph, M, order, written=False):
        check_time()
        total += io
    return total


def _played(
    graph: NeededGraph, M: int, order: NDArray[np.int64], written: bool
) -> Iterator[tuple[list[int], int]]:
    """Yield the moves, if they are to be written, and the number of loads and stores, chunk by chunk."""
    keys = _Keys(graph, order)
    n, is_output = graph.n, graph.is_output
    blue, red = bytearray(graph.is_input), bytearray(n)
    heap: list[int] = []
    free, io, log = M, 0, list[int]()

    def evict() -> int:
        victim = -heappop(heap) % n
        red[victim] = 0
        stored = blue[victim]
        blue[victim] = 1
        if written:
            if not stored:
                log.append(victim << 2 | _STORE)
            log.append(victim << 2 | _DELETE)
        return 1 - stored

    for rows, values, after, now in keys.chunks():
        a = 0
        for v, b, first in rows:
            row = values[a:b]
            for p in row:
                if not red[p]:
                    if free:
                        free -= 1
                    else:
                        io += evict()
                    io += 1
                    red[p] = 1
                    if written:
                        log.append(p << 2 | _LOAD)
            if free:
                free -= 1
            else:
                io += evict()
            if written:
                log.append(v << 2 | _COMPUTE)
            for p, key in zip(row, after[a:b], strict=True):
                if key > 0:
                    red[p] = 0
                    free += 1
                    if written:
                        log.append(p << 2 | _DELETE)
                else:
                    heappush(heap, key - n if blue[p] else key)
            a = b
            if is_output[v]:
                blue[v] = 1
                io += 1
                if written:
                    log.append(v << 2 | _STORE)
            if first > 0:
                free += 1
                if written:
                    log.append(v << 2 | _DELETE)
            else:
                red[v] = 1
                heappush(heap, first - n if blue[v] else first)
        yield log, io
        log, io = [], 0
        heap = keys.without_past(heap, M, now)
