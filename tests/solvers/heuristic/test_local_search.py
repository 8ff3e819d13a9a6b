"""The local search: legal orders, each better than those before, and much better than a greedy order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.local_search import local_search
from pebble.solvers.heuristic.needed_graph import NeededGraph
from tests.support.amounts import examples
from tests.support.random_dags import dags


@examples(15, 60)
@given(dag=dags(max_vertices=24), room=st.integers(0, 3), seed=st.integers(0, 3))
def test_orders_are_legal_and_better_and_better(dag: Dag, room: int, seed: int) -> None:
    graph, M = NeededGraph(dag), dag.least_M() + room
    ios = [belady_io(graph, M, graph.todo)]
    for order in local_search(graph, M, graph.todo, np.random.default_rng(seed), 3000):
        if order is not None:
            ios.append(schedule_dag(dag, M, order).io)
    assert ios == sorted(set(ios), reverse=True)


def test_random_layers_cost_a_tenth_less_than_by_greedy() -> None:
    graph, M = NeededGraph(load_dag("layered:12,20,3,seed=2")), 10
    greedy = schedule_dag(graph.dag, M, "greedy").compute_order
    found = [x for x in local_search(graph, M, greedy, np.random.default_rng(0), 120_000) if x is not None]
    assert belady_io(graph, M, found[-1]) < 0.9 * belady_io(graph, M, greedy)


def test_graphs_that_cannot_be_counted_in_time_are_left_alone() -> None:
    graph = NeededGraph(load_dag("fft:64"))
    rng = np.random.default_rng(0)
    assert list(local_search(graph, 8, graph.todo, rng, 4 * graph.dag.n_edges)) == []
    fan = NeededGraph(Dag.from_edges([(0, v) for v in range(1, 600)] + [(v, v + 600) for v in range(1, 600)]))
    assert list(local_search(fan, 8, fan.todo, rng, 1 << 30)) == []
