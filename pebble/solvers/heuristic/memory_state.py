"""What fast memory holds between two blocks, and what a block would cost from there."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["MemoryState"]

_FAR = 1 << 40
"""Time of a use after the block; of values used longer ago the next use is taken to be later still."""


class MemoryState:
    """Fast memory between two blocks: the values in it, and how many uses each value of the graph has left.

    Attributes
    ----------
    red : dict of int to int
        The values in fast memory, the least recently used first. Each is mapped to what its eviction takes: 0 for
        nothing, 1 for a store that has been charged already, 2 for a store that has not.
    left : list of int, length V
        How many computations to come use each value.
    """

    def __init__(self, graph: NeededGraph, M: int) -> None:
        self.graph, self.M = graph, M
        self.red: dict[int, int] = {}
        self.left = [len(row) for row in graph.successors]

    def cost(self, order: list[int]) -> int:
        """Return the I/O of computing these vertices next; see :meth:`play`."""
        return self._play(order)[0]

    def play(self, order: list[int]) -> int:
        """Compute these vertices, and return what they cost.

        The cost counts loads and stores. A new value that is used after the block is charged its store at once, even
        if it stays in fast memory; if its last use comes before it is evicted, the store is taken back: minus one.
        The victim is the value with the farthest next use in the block.
        """
        cost, self.red = self._play(order)
        for v in order:
            for p in self.graph.predecessors[v]:
                self.left[p] -= 1
        return cost

    def _play(self, order: list[int]) -> tuple[int, dict[int, int]]:
        predecessors, is_output, left, M = self.graph.predecessors, self.graph.is_output, self.left, self.M
        after, soon, dying = self._uses(order)
        red, late = dict(self.red), 2 * _FAR - M
        coming = {x: soon.get(x, 2 * _FAR - i) for i, x in enumerate(red)}
        heap = [(-time, x) for x, time in coming.items()]
        heapify(heap)
        cost, at = 0, len(after)

        def evict() -> int:
            while True:
                time, x = heappop(heap)
                if x in red and coming[x] == -time:
                    return red.pop(x) >> 1

        for t, v in enumerate(order):
            row = predecessors[v]
            for p in row:
                if p not in red:
                    if len(red) >= M:
                        cost += evict()
                    cost += 1
                    red[p] = 0
                coming[p] = t
            if len(red) >= M:
                cost += evict()
            for p in row:
                at -= 1
                time = after[at]
                if time < _FAR:
                    coming[p] = time
                elif p in dying:
                    cost -= red.pop(p) & 1
                    continue
                else:
                    coming[p] = time = late - t
                    red[p] = red.pop(p)
                heappush(heap, (-time, p))
            if is_output[v]:
                cost += 1
                due = 0
            elif v in dying:
                due = 2
            else:
                cost += 1
                due = 1
            if left[v]:
                red[v] = due
                coming[v] = time = soon.get(v, late - t)
                heappush(heap, (-time, v))
        return cost, red

    def _uses(self, order: list[int]) -> tuple[list[int], dict[int, int], set[int]]:
        """Return the next use after each use, backwards; the first use of each value; the values used up."""
        predecessors, left = self.graph.predecessors, self.left
        after: list[int] = []
        soon: dict[int, int] = {}
        count: dict[int, int] = {}
        for t in range(len(order) - 1, -1, -1):
            for p in reversed(predecessors[order[t]]):
                after.append(soon.get(p, _FAR))
                soon[p] = t
                count[p] = count.get(p, 0) + 1
        return after, soon, {p for p, n in count.items() if n == left[p]}
