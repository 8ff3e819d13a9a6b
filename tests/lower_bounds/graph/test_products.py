"""Sums of products found in any DAG: the inequality on random sets, and no bound above an optimum or a pebbling."""

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
from pebble.lower_bounds.graph.graph_bound import GraphBound
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.lower_bounds.graph.products import sums_of_products
from pebble.lower_bounds.graph.sums import ProductSteps, Sums
from pebble.lower_bounds.matmul_fft import matmul_cut, matmul_with_products
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal
from tests.lower_bounds.graph.sums_of_random_values import (
    cholesky,
    products_with_holes,
    shuffled,
    sums_of_random_values,
)

ONCE = Rules(recomputation=False)
Make = Callable[[random.Random, int], Dag]
MAKERS: list[Make] = [sums_of_random_values, products_with_holes]


def steps_of(dag: Dag) -> ProductSteps:
    sums = Sums(dag, needed_part(dag))
    return ProductSteps(sums, np.arange(len(sums.event)))


def bounds(dag: Dag, M: int, rules: Rules) -> list[GraphBound]:
    try:
        return sums_of_products(dag, M, rules)
    except BoundDoesNotApply:
        return []


def check_against_pebblings(make: Make, seed: int, most: int, exact: bool) -> None:
    draw = random.Random(seed)
    dag = make(draw, most)
    for M in {dag.least_M(), dag.least_M() + draw.randint(1, 2 * most)}:
        for rules in (Rules(sliding=draw.random() < 0.5), ONCE):
            found = bounds(dag, M, rules)
            if found and exact and dag.n_vertices <= 16:
                least = optimal(dag, M, rules, most_states=20_000).io
            else:
                least = schedule_dag(dag, M, order="depth-first").io if found else 0
            for bound in found:
                assert bound.value <= least, (make.__name__, seed, M, bound)


@pytest.mark.parametrize("make", MAKERS)
def test_no_bound_is_above_a_pebbling(make: Make) -> None:
    for seed in range(4):
        check_against_pebblings(make, seed, 2 + seed % 3, exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
def test_no_bound_is_above_many_pebblings(make: Make) -> None:
    for seed in range(100, 116):
        check_against_pebblings(make, seed, 2 + seed % 5, exact=seed % 2 == 0)


@pytest.mark.parametrize("make", MAKERS)
def test_no_set_of_steps_is_greater_than_the_inequality_says(make: Make) -> None:
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


@pytest.mark.parametrize("name", ["matmul:9,7,8", "fma-matmul:9,7,8"])
def test_a_product_is_bounded_as_by_its_name(name: str) -> None:
    by_name = matmul_with_products(9, 7, 8, 12) if name[0] == "m" else matmul_cut(9, 7, 8, 12)
    (found,) = sums_of_products(shuffled(load_dag(name), 1), 12, Rules())
    assert found.value == by_name.value


def test_attention_is_bounded_as_by_its_name() -> None:
    for N, d, M in ((16, 4, 12), (12, 2, 30)):
        (found,) = sums_of_products(shuffled(load_dag(f"attention:N={N},d={d}"), 2), M, Rules())
        assert found.value == t1(Problem(N, N, d, d), M).value


def test_nothing_is_said_of_sums_of_single_values() -> None:
    with pytest.raises(BoundDoesNotApply, match="no sums of products"):
        sums_of_products(load_dag("diamond:8,8"), 3, ONCE)


@pytest.mark.parametrize("products", [False, True])
@pytest.mark.parametrize("subtracted", [False, True])
def test_cholesky_costs_as_much_if_values_are_computed_again(products: bool, subtracted: bool) -> None:
    dag = cholesky(random.Random(1), 14, products, subtracted)
    again, once = sums_of_products(dag, 5, ONCE)
    assert again.value == once.value >= 291
    assert again.value <= schedule_dag(dag, 5, order="depth-first").io


def test_what_comes_after_the_last_product_is_no_word_of_the_sum() -> None:
    """The difference and the quotient lie on the line of the value, but a sum cannot be gone on with from them."""
    steps = steps_of(cholesky(random.Random(3), 8, True, True))
    values = np.zeros(len(steps.sums.tree), dtype=np.bool_)
    for line in steps.sums.line.values():
        values[line] = True
    assert not (values & steps.chain_words()).any()
