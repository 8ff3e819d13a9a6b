"""The least I/O by taking back one move at a time from the end of the game; sets are plain integers."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from pebble.game.rules import Rules
from pebble.graph.dag import Dag

Position = tuple[int, int]
"""What must be red and what must have a copy in slow memory, at least."""


def optimum(dag: Dag, M: int, rules: Rules) -> int:
    """Return the least I/O with recomputation: Dijkstra's algorithm over what must be there."""
    rows = [[int(p) for p in dag.predecessors_of(v)] for v in range(dag.n_vertices)]
    inputs = sum(1 << v for v, row in enumerate(rows) if not row)
    start = (0, sum(1 << int(v) for v in dag.outputs) & ~inputs)
    distance, queue = {start: 0}, [(0, start)]
    while queue:
        spent, position = heapq.heappop(queue)
        if position == (0, 0):
            return spent
        if spent > distance[position]:
            continue
        for before, price in _taken_back(position, rows, inputs, M, rules):
            if spent + price < distance.get(before, 10**9):
                distance[before] = spent + price
                heapq.heappush(queue, (spent + price, before))
    raise AssertionError("there is no pebbling")


def _taken_back(
    position: Position, rows: list[list[int]], inputs: int, M: int, rules: Rules
) -> Iterator[tuple[Position, int]]:
    red, blue = position
    for v, row in enumerate(rows):
        bit, before = 1 << v, sum(1 << p for p in row)
        if red & bit:
            yield (red & ~bit, blue | bit & ~inputs), 1
            if row and (red | before).bit_count() <= M:
                yield (red & ~bit | before, blue), 0
            slides = rules.sliding and before & ~red
            if row and slides and (red & ~bit | before).bit_count() <= M:
                yield (red & ~bit | before, blue), 0
        if blue & bit and (red | bit).bit_count() <= M:
            yield (red | bit, blue & ~bit), 1
