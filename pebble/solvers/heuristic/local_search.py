"""Local search over orders: runs of computations are moved to other places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph

__all__ = ["local_search"]

_LONGEST = 64
"""Vertices in the longest run that is moved."""


def local_search(
    graph: NeededGraph,
    start: NDArray[np.int64],
    io: Callable[[NDArray[np.int64]], int],
    rng: np.random.Generator,
    go_on: Callable[[int, int], bool],
) -> NDArray[np.int64]:
    """Move runs of computations to random legal places, and keep every move that costs no more I/O.

    Parameters
    ----------
    graph : NeededGraph
    start : array of int64, shape (n,)
        A legal order.
    io : callable
        I/O of an order.
    rng : numpy Generator
    go_on : callable
        Called before every trial with the number of trials so far and the least I/O; the search ends when it
        answers no.

    Returns
    -------
    array of int64, shape (n,)
        A legal order that costs no more than ``start``.

    Notes
    -----
    A run is one to 64 computations that are neighbours, short ones more often; it may move to any place after
    its last predecessor and before its first successor. Every trial costs a whole evaluation, O(E log E).
    """
    order, least, trial = start, io(start), 0
    while len(order) > 1 and go_on(trial, least):
        trial += 1
        changed = _moved(graph, order, rng)
        if changed is not None:
            cost = io(changed)
            if cost <= least:
                order, least = changed, cost
    return order


def _moved(
    graph: NeededGraph, order: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """Return the order with one run moved, None if the run that was drawn cannot move."""
    n = len(order)
    length = min(n - 1, int(2 ** rng.uniform(0, np.log2(_LONGEST))))
    first = int(rng.integers(0, n - length + 1))
    run = order[first : first + length]
    place = np.full(graph.n, -1)
    place[order] = np.arange(n)
    place[run] = -1
    earliest = 1 + max(int(place[p]) for v in run.tolist() for p in graph.predecessors[v])
    users = [int(place[w]) for v in run.tolist() for w in graph.successors[v] if place[w] >= 0]
    latest = min(users, default=n) - length
    if latest <= earliest:
        return None
    to = int(rng.integers(earliest, latest + 1))
    rest = np.concatenate([order[:first], order[first + length :]])
    return None if to == first else np.concatenate([rest[:to], run, rest[to:]])
