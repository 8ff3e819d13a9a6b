"""Local search over orders: runs of computations are moved to other places."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    trials: int,
) -> Iterator[NDArray[np.int64] | None]:
    """Move runs of computations to random legal places, and keep every move that costs no more I/O.

    Parameters
    ----------
    graph : NeededGraph
    start : array of int64, shape (n,)
        A legal order.
    io : callable
        I/O of an order.
    rng : numpy Generator
    trials : int
        How many moves are tried.

    Yields
    ------
    array of int64, shape (n,), or None
        For each trial a legal order that costs less than all before it, or None.

    Notes
    -----
    A run is one to 64 computations that are neighbours, short ones more often; it may move to any place after
    its last predecessor and before its first successor. Every trial costs a whole evaluation, O(E log M).
    """
    order, least = start, io(start)
    for _ in range(trials if len(start) > 1 else 0):
        changed = _moved(graph, order, rng)
        cost = io(changed) if changed is not None else least + 1
        better = cost < least
        if changed is not None and cost <= least:
            order, least = changed, cost
        yield order if better else None


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
