"""Values alive before a sweep and at a turn: never above an exact optimum or a pebbling, and near them."""

import pytest

from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.game.rules import Rules
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal

ONCE = Rules(recomputation=False)
DURBIN = (
    "s[k] += r[k-i-1]*y[k-1,i] for i < k; a[k] = r[k] + s[k] for 1 <= k; "
    "y[k,i] = y[k-1,i] + a[k]*y[k-1,k-i-1] for i < k; y[k,k] = a[k] for 1 <= k"
)
THERE_AND_BACK = "x[i] = x[i-1] + u; y[i] = y[i+1]*x[i]"
TWO_THERE = "x[i,j] = x[i,j-1] + u[i,j]; w[j,i] = w[j-1,i]; y[i,j] = y[i,j+1]*x[i,j] + w[j,i]"


def bound(nest: LoopNest, M: int, name: str) -> int | float:
    return next((one.value for one in nest_bounds(nest, M) if one.name == name), 0)


def test_a_turn_is_bounded_near_the_optimum() -> None:
    nest = loop_nest(THERE_AND_BACK, {"i": 14})
    dag = nest_dag(nest).dag
    for M in (3, 4):
        least = optimal(dag, M, ONCE, most_states=20_000).io
        assert least - 7 <= bound(nest, M, "nest turns") <= least


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
    assert not bound(loop_nest(text, {"i": 40}), 4, "nest turns")


def test_values_of_several_arrays_are_held() -> None:
    nest = loop_nest(TWO_THERE, {"i": 5, "j": 12})
    found = bound(nest, 5, "nest turns")
    assert found >= 2 * 5 * (2 * 11 - 5)
    assert found <= schedule_dag(nest_dag(nest).dag, 5, order="greedy").io


def test_sweeps_of_durbins_recursion() -> None:
    nest = loop_nest(DURBIN, {"k": 1000, "i": 999})
    assert bound(nest, 10, "nest wavefronts") > 0.48 * 1000**2
    assert bound(nest, 10, "nest wavefronts, once only") > 1.46 * 1000**2
    small = loop_nest(DURBIN, {"k": 12, "i": 11})
    dag = nest_dag(small).dag
    for M in (5, 8):
        least = min(schedule_dag(dag, M, order=order).io for order in ("given", "greedy"))
        assert all(one.value <= least for one in nest_bounds(small, M))


@pytest.mark.parametrize(
    "change",
    [
        ("s[k] += r[k-i-1]*y[k-1,i]", "s[k] += r[k-i-1]*y[k,i]"),
        ("y[k,k] = a[k] for 1 <= k", "y[k,k] = r[k] for 1 <= k"),
        ("a[k] = r[k] + s[k]", "a[k] = r[k]"),
    ],
)
def test_what_does_not_follow_the_sweep_before_is_no_sweep(change: tuple[str, str]) -> None:
    nest = loop_nest(DURBIN.replace(*change), {"k": 60, "i": 59})
    assert not bound(nest, 5, "nest wavefronts")
    assert not bound(nest, 5, "nest wavefronts, once only")
