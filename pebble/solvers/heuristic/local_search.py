"""Local search over orders: two uses of a value are brought together where it is loaded in between."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.window_count import WindowCount

__all__ = ["local_search"]

_MOST_MOVED = 64
"""Computations that are moved together."""
_LONGEST = 1024
"""Places between two uses that are brought together."""
_KEPT = 0.9
"""Part of the trials that are given up at once because the value stays in fast memory anyway."""
_WARMTH = 0.5
"""Words that a change may cost more, in the mean at the beginning."""
_TURNS = 12
"""How often the whole order is counted at most; an order that cannot be counted once is not searched."""
_MOST_USERS = 256
"""Users that the value of a use may have in the mean: each play of a use looks at all of them."""


def local_search(
    graph: NeededGraph, M: int, start: NDArray[np.int64], rng: np.random.Generator, steps: int
) -> Iterator[NDArray[np.int64] | None]:
    """Bring uses of one value together that are so far apart that it is loaded in between.

    A trial draws a use of a value, and the use before it or the value's computation. Either the later one moves to the
    place after the earlier one, with all computations between that it depends on; or the earlier one to the place
    before the later one, with all between that depend on it. What costs no more under Belady's eviction is kept; at the
    beginning also some of what costs a word or two more.

    Parameters
    ----------
    graph : NeededGraph
    M : int
        Words of fast memory.
    start : array of int64, shape (n,)
        A legal order.
    rng : numpy Generator
    steps : int
        Edges that may be played; about two microseconds each.

    Yields
    ------
    array of int64, shape (n,), or None
        Now and then, an order that costs less than all before it, or None.

    Notes
    -----
    A trial plays the places between the two uses and what follows until fast memory is what it was, see
    :class:`~pebble.solvers.heuristic.window_count.WindowCount`.

    References
    ----------
    S. Kirkpatrick, C. D. Gelatt & M. P. Vecchi, "Optimization by simulated annealing", Science 1983.
    """
    turns = min(_TURNS, steps // (4 * graph.dag.n_edges + 1))
    if len(start) < 2 or not turns or _users_of_a_use(graph) > _MOST_USERS:
        return
    search = _Search(WindowCount(graph, M, start), Random(int(rng.integers(1 << 62))))
    count, least = search.count, search.count.io
    for turn in range(turns):
        warmth = _WARMTH * (1 - (turn + 1) / turns)
        while count.steps < steps * (turn + 1) / turns:
            search.trial(warmth)
        count.recount()
        if count.io < least:
            least = count.io
            yield np.array(count.order, dtype=np.int64)
        else:
            yield None


def _users_of_a_use(graph: NeededGraph) -> float:
    users = np.bincount(graph.dag.predecessors, minlength=graph.n).astype(np.float64)
    return float(users @ users) / max(graph.dag.n_edges, 1)


class _Search:
    def __init__(self, count: WindowCount, random: Random) -> None:
        self.count, self.random = count, random
        self.predecessors, self.successors = count.graph.predecessors, count.graph.successors

    def trial(self, warmth: float) -> None:
        """Draw two uses of a value, and bring them together if that costs little."""
        count, draw = self.count, self.random.random
        count.steps += 1
        user = count.order[int(draw() * len(count.order))]
        row = self.predecessors[user]
        value = row[int(draw() * len(row))]
        until = count.place[user]
        since = count.use_before(value, until)
        if since < 0 or not 1 < until - since <= _LONGEST:
            return
        if draw() < _KEPT and count.is_kept(value, since, until):
            return
        later = draw() < 0.5
        window = self._later_moved(since, until) if later else self._earlier_moved(since, until)
        if window is not None:
            most = int(-warmth * log(1 - draw()))
            count.change(since + 1 if later else since, window, most)

    def _later_moved(self, since: int, until: int) -> list[int] | None:
        """Return the computations after ``since`` up to ``until``, first those that the last one needs."""
        place, between = self.count.place, self.count.order[since + 1 : until + 1]
        moved, stack = {between[-1]}, between[-1:]
        while stack:
            new = {p for p in self.predecessors[stack.pop()] if place[p] > since} - moved
            moved |= new
            stack += new
            if len(moved) > _MOST_MOVED:
                return None
        return _parted(between, moved, first=True)

    def _earlier_moved(self, since: int, until: int) -> list[int] | None:
        """Return the computations from ``since`` up to before ``until``, last those that need the first one."""
        place, between = self.count.place, self.count.order[since:until]
        moved, stack = {between[0]}, between[:1]
        while stack:
            new = {w for w in self.successors[stack.pop()] if place[w] < until} - moved
            moved |= new
            stack += new
            if len(moved) > _MOST_MOVED:
                return None
        return _parted(between, moved, first=False)


def _parted(between: list[int], moved: set[int], first: bool) -> list[int] | None:
    """Return the computations with those that are moved first, or last; None if nothing changes."""
    here, there = [v for v in between if v in moved], [v for v in between if v not in moved]
    found = here + there if first else there + here
    return None if found == between else found
