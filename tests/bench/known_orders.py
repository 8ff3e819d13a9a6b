"""The best orders known of graphs, found with what a person knows who made them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiling_search import ABSENT, better_tilings
from tests.solvers.heuristic.known_kinds import Places

__all__ = ["by_passes", "by_rows", "by_tilings"]


def by_tilings(dag: Dag, places: Places, M: int, trials: int = 400, seeds: int = 2) -> int:
    """Return the I/O of the best of many tilings over true coordinates."""
    width = max(map(len, places))
    table = np.array([[*place, *[ABSENT] * (width - len(place))] for place in places], dtype=np.int64)
    graph = NeededGraph(dag)

    def cost(order: NDArray[np.int64]) -> int:
        return io_of(graph, M, order)

    return min(io for seed in range(seeds) for _, io in better_tilings(graph, table, M, cost, trials, seed))


def by_passes(dag: Dag, points: int, M: int) -> int:
    """Return the I/O of the best order of butterflies in passes, each over blocks that share their bits of a pass.

    The numbers of the vertices are level times points plus place, as the makers of these graphs give them.
    """
    graph, levels = NeededGraph(dag), points.bit_length() - 1
    most = max(1, (M - 2).bit_length() - 1)
    return min(
        io_of(graph, M, np.concatenate(list(_passes(points, cuts, deep))))
        for cuts in _cuts(levels, most)
        for deep in (False, True)
    )


def _cuts(levels: int, most: int) -> Iterator[list[int]]:
    """Yield how many levels each pass has: as few passes as may be, or one more, the levels dealt out evenly or not."""
    fewest = -(-levels // most)
    for passes in (fewest, fewest + 1):
        even = [levels // passes + (at < levels % passes) for at in range(passes)]
        full = [min(most, max(levels - at * most, 0)) for at in range(passes)]
        for cut in (even, even[::-1], full, full[::-1]):
            yield [size for size in cut if size]


def _passes(points: int, cuts: list[int], deep: bool) -> Iterator[NDArray[np.int64]]:
    x, low = np.arange(points), 0
    for size in cuts:
        inside = (x >> low) & ((1 << size) - 1)
        block = (x >> (low + size)) << low | x & ((1 << low) - 1)
        columns = x[np.lexsort((inside, block))].reshape(-1, 1 << size)
        for row in columns:
            yield from _block(row, low + 1, points, deep)
        low += size


def _block(row: NDArray[np.int64], level: int, points: int, deep: bool) -> Iterator[NDArray[np.int64]]:
    """Yield the butterflies over the places of one block: level by level, or one half after the other."""
    size = len(row).bit_length() - 1
    if not deep:
        for at in range(size):
            pairs = np.argsort(np.arange(len(row)) & ~(1 << at), kind="stable")
            yield (level + at) * points + row[pairs]
    elif size:
        half = len(row) // 2
        for part in (row[:half], row[half:]):
            yield from _block(part, level, points, deep)
        last = np.stack([row[:half], row[half:]], axis=1).reshape(-1)
        yield (level + size - 1) * points + last


def by_rows(dag: Dag, M: int) -> int:
    """Return the I/O of the best order of outputs one after the other: next one that shares most with the last ones."""
    graph = NeededGraph(dag)
    cones = {int(v): _cone(graph, int(v)) for v in dag.outputs}
    users: dict[int, list[int]] = {}
    for root, (_, leaves) in cones.items():
        for leaf in leaves:
            users.setdefault(leaf, []).append(root)
    best = -1
    for seed in range(20):
        rng = np.random.default_rng(seed)
        left, recent, order = set(cones), dict[int, None](), list[int]()
        while left:
            near: dict[int, float] = {}
            for leaf in recent:
                for root in users[leaf]:
                    if root in left:
                        near[root] = near.get(root, 0) + 1 + rng.random() * 0.1
            root = max(near, key=lambda one: near[one]) if near else min(left)
            left.discard(root)
            order += cones[root][0]
            for leaf in cones[root][1]:
                recent.pop(leaf, None)
                if any(one in left for one in users[leaf]):
                    recent[leaf] = None
            while len(recent) > M - 3:
                del recent[next(iter(recent))]
        io = io_of(graph, M, np.array(order))
        best = io if best < 0 else min(best, io)
    return best


def _cone(graph: NeededGraph, root: int) -> tuple[list[int], set[int]]:
    order, leaves, stack, seen = list[int](), set[int](), [(root, False)], set[int]()
    while stack:
        v, done = stack.pop()
        if done:
            order.append(v)
        elif graph.is_input[v]:
            leaves.add(v)
        elif v not in seen:
            seen.add(v)
            stack.append((v, True))
            stack += [(p, False) for p in reversed(graph.predecessors[v])]
    return order, leaves
