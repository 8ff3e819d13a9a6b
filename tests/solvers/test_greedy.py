"""Greedy orders with weights: legal, and as good on butterflies as passes are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.heuristic.cones import Cones
from pebble.solvers.heuristic.greedy import changed_weights, greedy, random_weights
from pebble.solvers.heuristic.needed_graph import NeededGraph
from tests.support.amounts import examples
from tests.support.random_dags import dags


@examples(25, 100)
@given(dag=dags(max_vertices=25), room=st.integers(0, 4), seed=st.integers(0, 50))
def test_greedy_orders_are_legal(dag: Dag, room: int, seed: int) -> None:
    graph, M, rng = NeededGraph(dag), dag.least_M() + room, np.random.default_rng(seed)
    weights = changed_weights(random_weights(rng), rng)
    rank = list(range(graph.n))
    order = greedy(Cones(graph, weights.join), M, weights, graph.level, rank)
    assert schedule_dag(dag, M, order).order == "custom"


def shuffled(dag: Dag, seed: int) -> Dag:
    number = np.random.default_rng(seed).permutation(dag.n_vertices)
    heads = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    return Dag.from_edges(np.stack([number[dag.predecessors], number[heads]], axis=1), dag.n_vertices)


@pytest.mark.slow
def test_a_butterfly_in_less_than_passes() -> None:
    """In 8 words 4 points at a time: three passes of 2·64; the greedy order saves more than every tenth word."""
    dag = shuffled(load_dag("fft:64"), 1)
    assert schedule_dag(dag, 8, "greedy").io <= 0.9 * 6 * 64
