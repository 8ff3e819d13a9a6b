"""Sums of products found in any DAG: the inequality on random sets, and bounds of named DAGs under other numbers."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.load import load_dag
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.forward import t1
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.lower_bounds.graph.products import sums_of_products
from pebble.lower_bounds.graph.sums import ProductSteps, Sums
from pebble.lower_bounds.matmul_fft import matmul_cut, matmul_with_products
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from tests.lower_bounds.graph.sums_of_random_values import (
    products_with_holes,
    shuffled,
    sums_of_random_values,
)

ONCE = Rules(recomputation=False)
CHOLESKY = (
    "kernel:S[i,j] += L[i,k]*L[j,k] for k < j, j <= i; D[i,j] = A[i,j] - S[i,j] for 1 <= j, j <= i; "
    "D[i,0] = A[i,0]; L[i,j] = D[i,j]/D[j,j] for j <= i:i=14,j=14,k=14:L"
)


def steps_of(dag: Dag) -> ProductSteps:
    sums = Sums(dag, needed_part(dag))
    return ProductSteps(sums, np.arange(len(sums.event)))


@pytest.mark.parametrize("make", [sums_of_random_values, products_with_holes])
def test_no_set_of_steps_is_greater_than_the_inequality_says(
    make: Callable[[random.Random, int], Dag],
) -> None:
    for seed in range(8):
        steps = steps_of(make(random.Random(seed), 6))
        rng = np.random.default_rng(seed)
        for share in (0.2, 0.6, 1.0) if len(steps) else ():
            some = steps.where(rng.random(len(steps)) < share)
            near = len(some.roots) * len(some.values) ** 2
            assert not len(some) or 4 * len(some) ** 2 <= int(steps.quadruple.max()) * near


def test_whole_cubes_reach_the_inequality() -> None:
    steps = steps_of(shuffled(load_dag("matmul:4,4,4")))
    assert 4 * len(steps) ** 2 == int(steps.quadruple.max()) * len(steps.roots) * len(steps.values) ** 2


@pytest.mark.parametrize(
    ("name", "M", "words"),
    [
        ("matmul:9,7,8", 12, matmul_with_products(9, 7, 8, 12).value),
        ("fma-matmul:9,7,8", 12, matmul_cut(9, 7, 8, 12).value),
        ("attention:N=16,d=4", 12, t1(Problem.square(16, 4), 12).value),
        ("attention:N=12,d=2", 30, t1(Problem.square(12, 2), 30).value),
    ],
)
def test_a_dag_of_any_numbers_is_bounded_as_by_its_name(name: str, M: int, words: int) -> None:
    (found,) = sums_of_products(shuffled(load_dag(name), 1), M, Rules())
    assert found.value == words


def test_nothing_is_said_of_sums_of_single_values() -> None:
    with pytest.raises(BoundDoesNotApply, match="no sums of products"):
        sums_of_products(load_dag("diamond:8,8"), 3, ONCE)


def test_cholesky_costs_as_much_if_values_are_computed_again() -> None:
    """The difference and the quotient lie on the line of the value, but no sum goes on from them."""
    dag = shuffled(load_dag(CHOLESKY))
    again, once = sums_of_products(dag, 5, ONCE)
    assert 250 < again.value == once.value <= schedule_dag(dag, 5, order="depth-first").io
    steps = steps_of(dag)
    values = np.zeros(len(steps.sums.tree), dtype=np.bool_)
    for line in steps.sums.line.values():
        values[line] = True
    assert not (values & steps.chain_words()).any()
