"""The eviction that looks at stores: moves and count against the rule as it is said, never above Belady's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.heuristic import write_aware as module
from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.write_aware import write_aware, write_aware_io
from tests.support.amounts import examples
from tests.support.random_dags import dags

LOAD, STORE, COMPUTE, DELETE = range(4)


def by_the_rule(graph: NeededGraph, M: int, order: list[int], factor: float) -> list[int]:
    """The moves of the rule; how far away a value counts to be is fixed when it is used or computed."""
    blue = {v for v in range(graph.n) if graph.is_input[v]}
    counts_as: dict[int, tuple[int, bool, int]] = {}
    moves: list[int] = []

    def next_use(v: int, t: int) -> int | None:
        return next((s for s in range(t + 1, len(order)) if v in graph.predecessors[order[s]]), None)

    def make_room(needed: list[int]) -> None:
        if len(counts_as) < M:
            return
        victim = max((x for x in counts_as if x not in needed), key=counts_as.__getitem__)
        if victim not in blue:
            blue.add(victim)
            moves.append(victim << 2 | STORE)
        del counts_as[victim]
        moves.append(victim << 2 | DELETE)

    def leave(v: int, t: int) -> None:
        time = next_use(v, t)
        if time is None:
            counts_as.pop(v, None)
            moves.append(v << 2 | DELETE)
        else:
            away = (time - t) * (factor if v in blue else 1)
            counts_as[v] = (t + int(away), v in blue, v)

    for t, v in enumerate(order):
        row = graph.predecessors[v]
        for p in row:
            if p not in counts_as:
                make_room(row)
                counts_as[p] = (0, False, p)
                moves.append(p << 2 | LOAD)
        make_room(row)
        moves.append(v << 2 | COMPUTE)
        for p in row:
            leave(p, t)
        if graph.is_output[v]:
            blue.add(v)
            moves.append(v << 2 | STORE)
        leave(v, t)
    return moves


@pytest.mark.parametrize("chunk", [1 << 14, 3])
@examples(15, 60)
@given(dag=dags(max_vertices=24), room=st.integers(0, 5), factor=st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_moves_and_count_are_those_of_the_rule(chunk: int, dag: Dag, room: int, factor: float) -> None:
    graph, M = NeededGraph(dag), dag.least_M() + room
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        patch.setattr(module, "_SPARE", 0 if chunk == 3 else chunk)
        played = list(module._played(graph, M, graph.todo, factor))
    moves = [move for log, _ in played for move in log]
    assert moves == by_the_rule(graph, M, graph.todo.tolist(), factor)
    assert sum(io for _, io in played) == sum(move & 3 in (LOAD, STORE) for move in moves)


@examples(20, 60)
@given(dag=dags(max_vertices=24), room=st.integers(0, 5))
def test_it_costs_no_more_than_belady(dag: Dag, room: int) -> None:
    graph, M = NeededGraph(dag), dag.least_M() + room
    count = write_aware_io(graph, M, graph.todo)
    moves = [move for log in write_aware(graph, M, graph.todo) for move in log]
    assert count == sum(move & 3 in (LOAD, STORE) for move in moves) <= belady_io(graph, M, graph.todo)


def test_it_saves_stores_in_random_layers() -> None:
    dag = load_dag("layered:20,40,4,seed=3")
    belady, aware = (schedule_dag(dag, 24, "given", rule) for rule in ("belady", "write-aware"))
    assert aware.io < 0.98 * belady.io
    assert aware.reads >= belady.reads


def test_auto_takes_it_where_it_costs_less() -> None:
    dag = load_dag("layered:4,10,3,seed=2")
    found = schedule_dag(dag, 8)
    graph, order = NeededGraph(dag), found.compute_order
    assert found.io == min(belady_io(graph, 8, order), write_aware_io(graph, 8, order))
    assert found.eviction == ("belady" if found.io == belady_io(graph, 8, order) else "write-aware")
    assert schedule_dag(dag, 8, "given").eviction == "belady"
    assert np.array_equal(schedule_dag(dag, 8, eviction="belady").compute_order, order)
