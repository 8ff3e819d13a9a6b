"""Orders of blocks, each of which is all that a few values suffice to compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["CLOSURE_STYLES", "closures"]

_REACH = 64
"""Users of one value that are looked at."""
_PRICED = 8
"""Candidates that are priced before one is taken in."""
_TRIED = 64
"""Candidates that are looked at, if most of them cost too much."""

CLOSURE_STYLES = ((2, True), (1, False), (4, True), (1, True), (2, False), (4, False), (8, False))
"""M divided by the size of a block's boundary, and whether blocks of the lowest level come first."""


def closures(
    graph: NeededGraph,
    size: int,
    lowest_first: bool,
    rank: Sequence[int],
    progress: Callable[[float, int], object] | None = None,
) -> NDArray[np.int64]:
    """Order by blocks that are closures: everything that at most ``size`` values suffice to compute.

    A block begins with the predecessors of a vertex that is ready. Then that candidate is taken in which
    needs the fewest values more, with these values and all that they allow to compute, until there would be more
    than ``size``. In a butterfly the blocks become the smaller butterflies of a few levels that are computed in one
    pass.

    Parameters
    ----------
    graph : NeededGraph
    size : int
        The most values that a block begins from; for a block that stays in fast memory at most M - 2.
    lowest_first : bool
        Whether the next block begins at the lowest level, or with the first vertex of the depth-first order.
    rank : sequence of int, length V
        Place of each vertex in the depth-first order.
    progress : callable, optional
        Called now and then with the part that is done and the number of steps since the last call.

    Notes
    -----
    The blocks are convex: each is computed from values that were there before it. A vertex is looked at a few times
    for each block it is in or next to; over all, butterflies cost O(V log size).
    """
    search = _Closures(graph, size, lowest_first, rank)
    while search.ready:
        search.step()
        if progress is not None and search.work >= 4096:
            progress(len(search.order) / len(graph.todo), search.work)
            search.work = 0
    if progress is not None:
        progress(1.0, search.work)
    return np.array(search.order, dtype=np.int64)


class _Closures:
    def __init__(self, graph: NeededGraph, size: int, lowest_first: bool, rank: Sequence[int]) -> None:
        self.size, self.lowest_first, self.rank, self.level = size, lowest_first, rank, graph.level
        self.predecessors, self.successors = graph.predecessors, graph.successors
        self.there = bytearray(graph.is_input)
        self.waiting = [0] * graph.n
        self.order: list[int] = []
        self.work = 0
        self.ready: list[tuple[int, int, int]] = []
        for v in graph.todo.tolist():
            self.waiting[v] = sum(not graph.is_input[p] for p in self.predecessors[v])
            if not self.waiting[v]:
                self.ready.append(self._key(v))
        heapify(self.ready)

    def _key(self, v: int) -> tuple[int, int, int]:
        return self.level[v] if self.lowest_first else 0, self.rank[v], v

    def step(self) -> None:
        """Grow one block and carry it out; nothing if the vertex on top has been computed."""
        seed = heappop(self.ready)[2]
        if self.there[seed]:
            return
        block = _Block(self, seed)
        block.grow()
        vertices = sorted(block.inside, key=lambda v: (self.level[v], self.rank[v]))
        for v in vertices:
            self.there[v] = 1
        self.order += vertices
        for v in vertices:
            for w in self.successors[v]:
                self.waiting[w] -= 1
                if not self.waiting[w] and not self.there[w]:
                    heappush(self.ready, self._key(w))


class _Block:
    """A block that grows: the values it begins from, and the vertices that these suffice to compute."""

    def __init__(self, state: _Closures, seed: int) -> None:
        self.state = state
        self.start: set[int] = set()
        self.inside: dict[int, None] = {}
        self.lacks: dict[int, int] = {}
        self.candidates: dict[int, None] = {}
        self._add(state.predecessors[seed])
        self.inside[seed] = None

    def grow(self) -> None:
        while len(self.start) < self.state.size and self.candidates:
            found = self._cheapest()
            if found is not None:
                self._add(found)

    def _cheapest(self) -> set[int] | None:
        """Return the values that the cheapest of some candidates needs; those that need too many are dropped."""
        best: set[int] | None = None
        chosen, priced, dropped = -1, 0, []
        for w in islice(reversed(self.candidates), _TRIED):
            needs = self._needs(w)
            if not needs:
                dropped.append(w)
                continue
            priced += 1
            if best is None or len(needs) < len(best):
                best, chosen = needs, w
            if priced >= _PRICED or len(needs) == 1:
                break
        for w in dropped:
            del self.candidates[w]
        if best is not None:
            self.candidates.pop(chosen, None)
        return best

    def _needs(self, w: int) -> set[int] | None:
        """Return the values outside the block that suffice for w together with it; None if they are too many."""
        state, start, inside = self.state, self.start, self.inside
        predecessors, there = state.predecessors, state.there
        room, steps = state.size - len(start), 16 * state.size + 64
        found: set[int] = set()
        seen, stack = {w}, [w]
        while stack:
            row = predecessors[stack.pop()]
            state.work += len(row)
            for p in row:
                if p in seen or p in inside:
                    continue
                seen.add(p)
                if not there[p]:
                    stack.append(p)
                elif p not in start:
                    found.add(p)
            if len(found) > room or len(seen) > steps:
                return None
        return found

    def _add(self, values: set[int] | list[int]) -> None:
        """Add values to begin from, and all that can then be computed."""
        state, inside, lacks, candidates = self.state, self.inside, self.lacks, self.candidates
        predecessors, successors, there = state.predecessors, state.successors, state.there
        stack = list(values)
        while stack:
            x = stack.pop()
            if there[x]:
                self.start.add(x)
            row = successors[x]
            for w in row if len(row) <= _REACH else row[:_REACH]:
                if there[w] or w in inside:
                    continue
                lacks[w] = lacks.get(w, len(predecessors[w])) - 1
                if lacks[w]:
                    candidates[w] = None
                else:
                    inside[w] = None
                    candidates.pop(w, None)
                    stack.append(w)
            state.work += len(row)
