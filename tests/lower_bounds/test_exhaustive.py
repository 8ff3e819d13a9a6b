"""The exhaustive search gives the optimum, or less: against a search that shares no code with it."""

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
            assert bound_from_inputs(found.name, found.inputs, dag, M, rules) == found
            freer = [Rules(), Rules(sliding=True)][rules.recomputation]
            assert found.holds_under(rules)
            assert not found.holds_under(freer) or rules == freer


def test_less_is_proved_where_the_states_do_not_suffice() -> None:
    dag, best = load_dag("pyramid:3"), 7
    values = [exhaustive(dag, 4, Rules(), states=states).value for states in (3, 40, 200, 1000)]
    assert values == sorted(values)
    assert 1 < values[0] < values[-1] == best
    assert exhaustive(dag, 4, Rules(), below=5).value == 5
    assert exhaustive(Dag.from_edges([(0, 1)], outputs=[0]), 1, Rules()).value == 0


@pytest.mark.parametrize(
    ("name", "M", "options", "error", "words"),
    [
        ("pyramid:3", 4, {"states": 0}, BoundDoesNotApply, "more than 0 states"),
        ("diamond:5,5", 3, {}, BoundDoesNotApply, "at most 24 vertices, not 25"),
        ("pyramid:2", 2, {}, BoundDoesNotApply, "no pebbling with M = 2"),
        ("pyramid:2", 4, {"below": -1}, InvalidInput, "not -1"),
    ],
)
def test_what_is_refused(
    name: str, M: int, options: dict[str, int], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        exhaustive(load_dag(name), M, Rules(), **options)
