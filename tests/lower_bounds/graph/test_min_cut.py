"""Cuts of disjoint parts: each the least of all sets, their sum never above an optimum or a pebbling."""

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.min_cut import cuts_of_parts
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal

ONCE = Rules(recomputation=False)


def layered(rng: np.random.Generator, layers: int, width: int, reads: int) -> Dag:
    """Each vertex reads some of the layer before."""
    edges = [
        (int(u) + width * (layer - 1), v + width * layer)
        for layer in range(1, layers)
        for v in range(width)
        for u in rng.choice(width, reads, replace=False)
    ]
    return Dag.from_edges(edges, layers * width)


@pytest.mark.slow
def test_no_sum_is_above_an_optimum() -> None:
    beyond = 0
    for seed in range(1, 4):
        dag = layered(np.random.default_rng(seed), 4, 4, 2)
        M = dag.least_M()
        found = cuts_of_parts(dag, M, ONCE, seed)
        assert found.value <= optimal(dag, M, ONCE, most_states=20_000).io
        part = needed_part(dag)
        beyond += found.value > part.loads + part.stores
    assert beyond


@pytest.mark.slow
def test_no_sum_is_above_a_pebbling() -> None:
    for seed, name in enumerate(("diamond:14,14", "pyramid:16", "fft:32", "hypercube:6")):
        dag = load_dag(name)
        for M in (dag.least_M(), dag.least_M() + 4):
            assert cuts_of_parts(dag, M, ONCE, seed).value <= schedule_dag(dag, M, order="depth-first").io


def test_it_needs_that_nothing_is_computed_twice() -> None:
    with pytest.raises(BoundDoesNotApply, match="recomputation"):
        cuts_of_parts(load_dag("diamond:3,3"), 3, Rules())
