"""The I/O of an order of which a window changes: only the window, and what follows from it, is played again."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["WindowCount"]

_LEAST_APART = 8
"""Computations in a block; the state of fast memory is kept before each."""
_MOST_KEPT = 2_000_000
"""Words in all states that are kept; longer blocks where there would be more."""
_PATIENCE = 8
"""Blocks after a window in which fast memory may differ before it is estimated what the difference is worth."""


class WindowCount:
    """An order and its I/O under Belady's eviction, with the state of fast memory before every few computations.

    A state maps each red value to a key: ``-(2·t·n + v)`` for the next use t of the value v, less n if v is blue. So
    the least key is that of the farthest next use, of two equally far that of a blue value.

    Parameters
    ----------
    graph : NeededGraph
    M : int
        Words of fast memory.
    order : array of int64, shape (n,)
        A legal order.

    Attributes
    ----------
    order : list of int
    place : list of int, length V
        The place of each computed vertex in the order, -1 for the others.
    io : int
        Loads plus stores. A change leaves the evictions before its window as they are, although Belady would now choose
        others; :meth:`recount` chooses all of them anew.
    steps : int
        Edges that have been played, a measure of the work done.
    """

    def __init__(self, graph: NeededGraph, M: int, order: NDArray[np.int64]) -> None:
        self.graph, self.M, self.n = graph, M, graph.n
        self.order: list[int] = order.tolist()
        self.place = [-1] * graph.n
        for t, v in enumerate(self.order):
            self.place[v] = t
        self.io = self.steps = 0
        self._apart = max(_LEAST_APART, M // 16, len(self.order) * M // _MOST_KEPT)
        self._states: list[dict[int, int]] = []
        self._costs: list[int] = []
        self.recount()

    def recount(self) -> None:
        """Play the whole order from its beginning."""
        red, heap = dict[int, int](), list[int]()
        self._states, self._costs = [], []
        for start in range(0, len(self.order), self._apart):
            self._states.append(dict(red))
            self._costs.append(self._play(start, red, heap))
        self.io = sum(self._costs)

    def is_kept(self, value: int, since: int, until: int) -> bool:
        """Tell whether a value is red in all states between two places."""
        return all(
            value in self._states[at] for at in range(since // self._apart + 1, until // self._apart + 1)
        )

    def use_before(self, value: int, until: int) -> int:
        """Return the place of the last use of a value before a place, or of its computation; -1 if there is none."""
        place, users = self.place, self.graph.successors[value]
        self.steps += 1 + len(users) // 8
        return max([s for w in users if (s := place[w]) < until], default=place[value])

    def change(self, low: int, window: list[int], most: int) -> bool:
        """Put other computations in the places from ``low`` on, unless that costs more than ``most`` words more.

        Parameters
        ----------
        low : int
        window : list of int
            The computations that are there, in another order that is legal.
        most : int

        Returns
        -------
        bool
            Whether the order has changed.
        """
        high = low + len(window)
        old = self.order[low:high]
        self._put(low, window)
        played = self._replayed(low, high, most)
        if played is None:
            self._put(low, old)
            return False
        states, costs = played
        at = low // self._apart
        self.io += sum(costs) - sum(self._costs[at : at + len(costs)])
        self._correct_uses(low, high)
        self._states[at + 1 : at + len(costs)] = states[1:]
        self._costs[at : at + len(costs)] = costs
        return True

    def _put(self, low: int, window: list[int]) -> None:
        place = self.place
        self.order[low : low + len(window)] = window
        for t, v in enumerate(window, low):
            place[v] = t

    def _first_uses(self, low: int, high: int) -> dict[int, int]:
        predecessors, order = self.graph.predecessors, self.order
        return {p: t for t in range(high - 1, low - 1, -1) for p in predecessors[order[t]]}

    def _with_time(self, key: int, time: int) -> int:
        return -((-key) % (2 * self.n) + 2 * self.n * time)

    def _correct_uses(self, low: int, high: int) -> None:
        """Put the new times of next uses that lie in a window into the states before it."""
        for p, time in self._first_uses(low, high).items():
            since = self.use_before(p, low)
            for state in (
                self._states[since // self._apart + 1 : low // self._apart + 1] if since >= 0 else ()
            ):
                if p in state:
                    state[p] = self._with_time(state[p], time)

    def _replayed(self, low: int, high: int, most: int) -> tuple[list[dict[int, int]], list[int]] | None:
        """Play from the state before a window until fast memory is what it was; None if that costs too much."""
        at = low // self._apart
        red = dict(self._states[at])
        least, greatest = -2 * self.n * high, -2 * self.n * low
        for p, time in self._first_uses(low, high).items():
            if least < (key := red.get(p, 1)) <= greatest:
                red[p] = self._with_time(key, time)
        heap = list(red.values())
        heapify(heap)
        states, costs, more = [], [], 0
        after = (high - 1) // self._apart + 1
        saved = sum(self._costs[at:after])
        while True:
            states.append(dict(red))
            cost = self._play(at * self._apart, red, heap)
            costs.append(cost)
            more += cost - self._costs[at]
            at += 1
            if at < after:
                saved -= self._costs[at - 1]
                if more - saved > most:
                    return None
                continue
            if at == len(self._states) or red == self._states[at]:
                return (states, costs) if more <= most else None
            gain, loss = self._difference(red, self._states[at])
            if more - gain > most or (at == after + _PATIENCE and more + loss - gain > most):
                return None

    def _difference(self, new: dict[int, int], old: dict[int, int]) -> tuple[int, int]:
        """Return how many words one state has ready that the other lacks, and the other way round."""
        return len(new.keys() - old.keys()), len(old.keys() - new.keys())

    def _play(self, start: int, red: dict[int, int], heap: list[int]) -> int:
        """Play the block that begins at ``start``, and return its I/O."""
        graph, place, n, M = self.graph, self.place, self.n, self.M
        predecessors, successors, is_output = graph.predecessors, graph.successors, graph.is_output
        twice, io, steps = 2 * n, 0, 0
        for t, v in enumerate(self.order[start : start + self._apart], start):
            row = predecessors[v]
            steps += len(row)
            for p in row:
                if p not in red:
                    io += 1
                    if len(red) >= M:
                        key = -heappop(heap)
                        del red[key % n]
                        io += 1 - (key // n & 1)
                    red[p] = -n
            if len(red) >= M:
                key = -heappop(heap)
                del red[key % n]
                io += 1 - (key // n & 1)
            for p in row:
                users = successors[p]
                steps += len(users) // 8
                time = min([s for w in users if (s := place[w]) > t], default=0) if len(users) > 1 else 0
                if time:
                    key = red[p] = -(time * twice + p + (n if -red[p] // n & 1 else 0))
                    heappush(heap, key)
                else:
                    del red[p]
            if is_output[v]:
                io += 1
            users = successors[v]
            if users:
                time = min([place[w] for w in users])
                key = red[v] = -(time * twice + v + (n if is_output[v] else 0))
                heappush(heap, key)
        self.steps += steps
        return io
