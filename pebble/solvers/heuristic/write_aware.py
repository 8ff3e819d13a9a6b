"""Eviction by the next use and by what it costs: a value that slow memory has needs no store."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import check_time
from pebble.solvers.heuristic.belady import belady, belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.uses import NEVER, Uses

__all__ = ["write_aware", "write_aware_io"]

_LOAD, _STORE, _COMPUTE, _DELETE = range(4)
_CHUNK = 1 << 14
"""Computations whose uses are lists at one time."""
_SPARE = 1 << 14
"""Uses that are over and may stay in the heap."""
_PINNED = 1
"""The key of a value that the current computation needs: no entry of the heap has it."""
_FACTORS = (1.5, 2.0)
"""How much farther away the next use of a blue value may be taken to be: its eviction needs no store."""


class _WeightedKeys:
    """What the loop below reads, chunk by chunk: computations, uses, and keys of the uses to come.

    The next use of the value p at the time t has the key ``-(2·t·n + p)``, less n if p is blue, so that the least
    key is that of the farthest next use, of two equally far that of a blue value; and p is what is left of minus the
    key modulo n. With a factor, the next use of a blue value counts as that many times as far away as it is. The
    key of a use that does not come is 1.
    """

    def __init__(self, graph: NeededGraph, order: NDArray[np.int64], factor: float) -> None:
        uses, self.order, self.twice_n = Uses(graph, order), order, 2 * graph.n
        self.start, self.value, self.factor = uses.start, uses.value, factor
        now = np.repeat(np.arange(len(order)), np.diff(uses.start))
        self.after, self.after_blue = self._keys(uses.after, uses.value, now)
        self.first, self.first_blue = self._keys(uses.first[order], order, np.arange(len(order)))

    def _keys(
        self, time: NDArray[np.int64], value: NDArray[np.int64], now: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        never, n = time == NEVER, self.twice_n // 2
        away = np.where(never, 0, time - now)
        red: NDArray[np.int64] = -((now + away) * self.twice_n + value)
        blue: NDArray[np.int64] = -((now + (away * self.factor).astype(np.int64)) * self.twice_n + value + n)
        red[never] = blue[never] = 1
        return red, blue

    def chunks(self) -> Iterator[tuple[Iterator[tuple[int, int, int, int]], list[int], list[int], list[int]]]:
        """Yield (computation, end of its uses, keys) one by one; the uses and their keys."""
        for low in range(0, len(self.order), _CHUNK):
            high = min(low + _CHUNK, len(self.order))
            a, b = int(self.start[low]), int(self.start[high])
            ends = (self.start[low + 1 : high + 1] - a).tolist()
            first = (keys[low:high].tolist() for keys in (self.first, self.first_blue))
            rows = zip(self.order[low:high].tolist(), ends, *first, strict=True)
            yield rows, self.value[a:b].tolist(), self.after[a:b].tolist(), self.after_blue[a:b].tolist()


def write_aware(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> Iterator[list[int]]:
    """Evict as :func:`belady`, but take the next use of a blue value to be farther away than it is.

    To give up a blue value costs one load, another value a store besides. With two factors, 1.5 and 2, and as
    :func:`belady` itself: what has the least I/O is taken.

    References
    ----------
    N. Beckmann, P. B. Gibbons, B. Haeupler & C. McGuffey, "Writeback-aware caching", APOCS 2020.
    """
    factor = min(_FACTORS, key=lambda factor: _io(graph, M, order, factor))
    if belady_io(graph, M, order) <= _io(graph, M, order, factor):
        yield from belady(graph, M, order)
    else:
        yield from (log for log, _ in _played(graph, M, order, factor))


def write_aware_io(graph: NeededGraph, M: int, order: NDArray[np.int64]) -> int:
    """Return the loads plus stores of :func:`write_aware`."""
    return min(belady_io(graph, M, order), *(_io(graph, M, order, factor) for factor in _FACTORS))


def _io(graph: NeededGraph, M: int, order: NDArray[np.int64], factor: float) -> int:
    total = 0
    for _, io in _played(graph, M, order, factor):
        check_time()
        total += io
    return total


def _played(
    graph: NeededGraph, M: int, order: NDArray[np.int64], factor: float
) -> Iterator[tuple[list[int], int]]:
    """Yield moves, and how many of them are loads and stores.

    Notes
    -----
    Costs O(E log M): a heap with one entry a use. Entries are not taken out when their use comes: an entry counts only
    while it is the key of its value, and a value that the current computation needs has none.
    """
    keys = _WeightedKeys(graph, order, factor)
    n, is_output = graph.n, graph.is_output
    blue, red = bytearray(graph.is_input), [0] * n
    heap: list[int] = []
    free, log, io = M, list[int](), 0

    def evict() -> int:
        key = heappop(heap)
        while red[-key % n] != key:
            key = heappop(heap)
        victim = -key % n
        red[victim] = 0
        if blue[victim]:
            log.append(victim << 2 | _DELETE)
            return 0
        blue[victim] = 1
        log.append(victim << 2 | _STORE)
        log.append(victim << 2 | _DELETE)
        return 1

    for rows, values, after, after_blue in keys.chunks():
        a = 0
        for v, b, first, first_blue in rows:
            row = values[a:b]
            lacks = [p for p in row if not red[p]]
            for p in row:
                red[p] = _PINNED
            for p in lacks:
                if free:
                    free -= 1
                else:
                    io += evict()
                io += 1
                log.append(p << 2 | _LOAD)
            if free:
                free -= 1
            else:
                io += evict()
            log.append(v << 2 | _COMPUTE)
            for p, key, key_blue in zip(row, after[a:b], after_blue[a:b], strict=True):
                if key > 0:
                    red[p] = 0
                    free += 1
                    log.append(p << 2 | _DELETE)
                else:
                    if blue[p]:
                        key = key_blue
                    red[p] = key
                    heappush(heap, key)
            a = b
            if is_output[v]:
                blue[v] = 1
                io += 1
                log.append(v << 2 | _STORE)
            if first > 0:
                free += 1
                log.append(v << 2 | _DELETE)
            else:
                red[v] = first_blue if blue[v] else first
                heappush(heap, red[v])
        yield log, io
        log, io = [], 0
        if len(heap) > 2 * M + _SPARE:
            heap[:] = [key for key in heap if red[-key % n] == key]
            heapify(heap)
