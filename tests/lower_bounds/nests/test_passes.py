"""Two passes over inputs with sums in between: never above an exact optimum or a pebbling, and near them."""

import pytest

from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.game.rules import Rules
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal

COVARIANCE = "u[j] += X[k,j]; Y[k,j] = X[k,j] - u[j]; C[i,j] += Y[k,i]*Y[k,j] for i <= j"
SHARES = "s += X[k]; Y[k] = X[k]/s"


def bound(nest: LoopNest, M: int) -> int | float:
    return next((one.value for one in nest_bounds(nest, M) if one.name == "nest passes"), 0)


@pytest.mark.many(1)
@pytest.mark.parametrize("M", [3, 4, 5])
def test_shares_of_a_sum_are_bounded_near_the_optimum(M: int) -> None:
    nest = loop_nest(SHARES, {"k": 7})
    least = optimal(nest_dag(nest).dag, M, Rules(sliding=True), most_states=20_000).io
    assert least - 2 <= bound(nest, M) <= least


TEXTS = [COVARIANCE, COVARIANCE.replace("<=", "<"), COVARIANCE.replace(" for i <= j", "")]


@pytest.mark.many(1)
@pytest.mark.parametrize("text", TEXTS)
def test_covariances_are_below_schedules(text: str) -> None:
    nest = loop_nest(text, {"i": 5, "j": 5, "k": 4})
    dag = nest_dag(nest).dag
    for M in (6, 12):
        for order in ("given", "greedy"):
            assert 40 - M < bound(nest, M) <= schedule_dag(dag, M, order=order).io


@pytest.mark.many(3)
@pytest.mark.parametrize(
    "text",
    [
        COVARIANCE.replace("i <= j", "i + 1 < j"),  # neighbours never meet
        COVARIANCE.replace("Y[k,i]*Y[k,j]", "Y[k,j]*Z[k,i]"),  # no two sums' values meet
        COVARIANCE.replace("= X[k,j] - u[j]", "= X[k,j]"),
        COVARIANCE.replace("+= X[k,j]", "+= Z[k,j]"),
        COVARIANCE.replace("+= X[k,j]", "+= X[k,j] for 1 <= k"),
        COVARIANCE.replace("+= X[k,j]", "+= X[j,k]"),
        "s += X[k]; Y[k] = X[0]/s",
        "s += X[k]; Y[k] = X[k]/s for 1 <= k",
        "X[k] = Z[k]; s += X[k]; Y[k] = X[k]/s",  # no inputs
    ],
)
def test_what_is_read_once_or_not_joined_is_no_second_pass(text: str) -> None:
    extents = {index: 6 for index in "ijk" if f"{index}]" in text or f"{index}," in text}
    assert not bound(loop_nest(text, extents), 3)
