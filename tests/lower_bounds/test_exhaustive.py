"""The exhaustive search gives the optimum, or less: against two searches that share no code with it."""

from __future__ import annotations

import numpy as np
import pytest

import pebble
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.exhaustive import exhaustive
from pebble.lower_bounds.graph.graph_bound_table import bound_from_inputs
from tests.solvers.small_dags import ALL_RULES, random_dag
from tests.support.search_over_placements import optimum


@pytest.mark.many(3)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        dag = random_dag(rng, int(rng.integers(3, 9)))
        for rules in ALL_RULES:
            M = dag.least_M(sliding=rules.sliding) + int(rng.integers(2))
            found = exhaustive(dag, M, rules)
            assert found.value == pebble.optimal(dag, M, rules).io
            if rules.recomputation:
                rows = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
                targets = sorted({*dag.outputs.tolist()} - {*dag.inputs.tolist()})
                assert found.value == optimum((rows, targets), M, rules.sliding)
            assert bound_from_inputs(found.name, found.inputs, dag, M, rules) == found


def test_less_is_proved_where_the_states_do_not_suffice() -> None:
    dag, best = load_dag("pyramid:3"), 7
    values = [exhaustive(dag, 4, Rules(), states=states).value for states in (3, 40, 200, 1000)]
    assert values == sorted(values)
    assert 1 < values[0] < values[-1] == best
    assert exhaustive(dag, 4, Rules(), below=5).value == 5
    with pytest.raises(BoundDoesNotApply, match="more than 0 states"):
        exhaustive(dag, 4, Rules(), states=0)


def test_the_rules_are_those_of_the_search() -> None:
    bound = exhaustive(load_dag("pyramid:2"), 3, Rules(sliding=True))
    assert bound.holds_under(Rules(sliding=True))
    assert not exhaustive(load_dag("pyramid:2"), 4, Rules()).holds_under(Rules(sliding=True))
    assert not exhaustive(load_dag("pyramid:2"), 4, Rules(recomputation=False)).holds_under(Rules())


def test_what_is_refused() -> None:
    with pytest.raises(BoundDoesNotApply, match="at most 24 vertices, not 25"):
        exhaustive(load_dag("diamond:5,5"), 3, Rules())
    with pytest.raises(BoundDoesNotApply, match="no pebbling with M = 2"):
        exhaustive(load_dag("pyramid:2"), 2, Rules())
    with pytest.raises(InvalidInput, match="not -1"):
        exhaustive(load_dag("pyramid:2"), 4, Rules(), below=-1)


def test_nothing_to_do_costs_nothing() -> None:
    assert exhaustive(Dag.from_edges([(0, 1)], outputs=[0]), 1, Rules()).value == 0
