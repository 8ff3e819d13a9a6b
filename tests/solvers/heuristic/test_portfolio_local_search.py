"""The local search: legal orders, each better than those before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.portfolio import local_search
from tests.support.amounts import examples
from tests.support.random_dags import dags


@examples(15, 60)
@given(dag=dags(max_vertices=24), room=st.integers(0, 3), seed=st.integers(0, 3))
def test_orders_are_legal_and_better_and_better(dag: Dag, room: int, seed: int) -> None:
    graph, M = NeededGraph(dag), dag.least_M() + room
    ios = [belady_io(graph, M, graph.todo)]
    for order in local_search(graph, M, graph.todo, np.random.default_rng(seed), 60):
        ios.append(schedule_dag(dag, M, order).io)
    assert ios == sorted(set(ios), reverse=True)


def test_random_layers_cost_a_tenth_less_than_depth_first() -> None:
    graph, M = NeededGraph(load_dag("layered:6,12,3,seed=2")), 8
    start = schedule_dag(graph.dag, M, "depth-first").compute_order
    *_, found = local_search(graph, M, start, np.random.default_rng(0), 1000)
    assert belady_io(graph, M, found) < 0.9 * belady_io(graph, M, start)
