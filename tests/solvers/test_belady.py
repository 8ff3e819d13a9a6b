"""Belady's eviction: moves and count against the rule as it is said, in small chunks too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.graph.dag import Dag
from pebble.solvers.heuristic import belady as module
from pebble.solvers.heuristic.belady import belady, belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph, breadth_first, depth_first
from pebble.solvers.heuristic.needed_graph import given as given_order
from tests.support.amounts import examples
from tests.support.random_dags import dags

LOAD, STORE, COMPUTE, DELETE = range(4)


def by_the_rule(graph: NeededGraph, M: int, order: list[int]) -> list[int]:
    """The moves of the rule, with the next use of every red value looked up anew at each eviction."""
    blue = {v for v in range(graph.n) if graph.is_input[v]}
    red: set[int] = set()
    moves: list[int] = []

    def next_use(v: int, t: int) -> int | None:
        return next((s for s in range(t, len(order)) if v in graph.predecessors[order[s]]), None)

    def make_room(t: int) -> None:
        if len(red) < M:
            return
        away = {x: next_use(x, t) for x in red}
        victim = max(red, key=lambda x: (away[x], x in blue, x))
        if victim not in blue:
            blue.add(victim)
            moves.append(victim << 2 | STORE)
        red.discard(victim)
        moves.append(victim << 2 | DELETE)

    for t, v in enumerate(order):
        for p in graph.predecessors[v]:
            if p not in red:
                make_room(t)
                red.add(p)
                moves.append(p << 2 | LOAD)
        make_room(t)
        red.add(v)
        moves.append(v << 2 | COMPUTE)
        for p in graph.predecessors[v]:
            if next_use(p, t + 1) is None:
                red.discard(p)
                moves.append(p << 2 | DELETE)
        if graph.is_output[v]:
            blue.add(v)
            moves.append(v << 2 | STORE)
        if next_use(v, t + 1) is None:
            red.discard(v)
            moves.append(v << 2 | DELETE)
    return moves


@pytest.mark.parametrize("chunk", [1 << 14, 3])
@examples(25, 100)
@given(dag=dags(max_vertices=24), room=st.integers(0, 5), which=st.integers(0, 2))
def test_moves_and_count_are_those_of_the_rule(chunk: int, dag: Dag, room: int, which: int) -> None:
    """With chunks of three computations the heap is cleared of the past again and again."""
    graph, M = NeededGraph(dag), dag.least_M() + room
    order = (given_order, depth_first, breadth_first)[which](graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        patch.setattr(module, "_SPARE", 0 if chunk == 3 else chunk)
        moves = [move for log in belady(graph, M, order) for move in log]
        count = belady_io(graph, M, order)
    assert moves == by_the_rule(graph, M, order.tolist())
    assert count == sum(move & 3 in (LOAD, STORE) for move in moves)
