"""Values alive at a turn: never above an exact optimum or a pebbling, and near them."""

import pytest

from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.game.rules import Rules
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal

ONCE = Rules(recomputation=False)
THERE_AND_BACK = "x[i] = x[i-1] + u; y[i] = y[i+1]*x[i]"
TWO_THERE = "x[i,j] = x[i,j-1] + u[i,j]; w[j,i] = w[j-1,i]; y[i,j] = y[i,j+1]*x[i,j] + w[j,i]"


def turns(nest: LoopNest, M: int) -> int | float:
    return next((one.value for one in nest_bounds(nest, M) if one.name == "nest turns"), 0)


@pytest.mark.slow
def test_a_turn_is_bounded_near_the_optimum() -> None:
    nest = loop_nest(THERE_AND_BACK, {"i": 14})
    dag = nest_dag(nest).dag
    for M in (3, 4):
        least = optimal(dag, M, ONCE, most_states=20_000).io
        assert least - 7 <= turns(nest, M) <= least


@pytest.mark.parametrize(
    "text",
    [
        "x[i] = x[i-1] + u; y[i] = y[i-1]*x[i]",
        "x[i] = x[i-1] + u; y[i] = y[i+1]*x[0]",
        "x[i] = x[i-2] + u; y[i] = y[i+1]*x[i]",
        "x[i] = x[i-1] + u for 1 <= i; y[i] = y[i+1]*x[i]",
    ],
)
def test_the_same_direction_one_value_and_gaps_are_no_turns(text: str) -> None:
    assert not turns(loop_nest(text, {"i": 40}), 4)


def test_values_of_several_arrays_are_held() -> None:
    nest = loop_nest(TWO_THERE, {"i": 5, "j": 12})
    found = turns(nest, 5)
    assert found >= 2 * 5 * (2 * 11 - 5)
    assert found <= schedule_dag(nest_dag(nest).dag, 5, order="greedy").io
