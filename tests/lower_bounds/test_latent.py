"""MLA, the bound where values are part of keys: never above a legal pebbling or an optimum, and its maximum is one."""

from __future__ import annotations

import random

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.attention.latent import latent_bound, latent_events, t1_of_all_heads, without_rope
from pebble.lower_bounds.proved import best_bound, proved_bounds
from pebble.program.schedule import available
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum import optimal


def test_events_grow() -> None:
    values = [latent_events(T, 6, 4) for T in range(3, 3000)]
    assert values == sorted(values)


def test_leading_term() -> None:
    N, d, dv, M = 2**22, 6, 4, 10**5
    bound = latent_bound(Problem(N, N, d, dv, shared_values=True), M).value
    assert bound == pytest.approx(N * N * d * (d + dv) / M, rel=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("mask", [None, "causal", "window:2"])
def test_no_schedule_is_below_a_bound(mask: str | None) -> None:
    draw = random.Random(7)
    for _ in range(12):
        dv, N = draw.randint(1, 4), draw.randint(3, 60)
        problem = Problem(
            N, N, dv + draw.randint(1, 3), dv, shared_values=True, mask=mask, stats=draw.random() < 0.5
        )
        for schedule in available("forward", "latent").values():
            M = schedule.least_M(problem) + draw.choice((0, 3, 40))
            counted = schedule.measure(problem, schedule.tiles(schedule.seen(problem), M))
            assert counted.peak <= M
            assert best_bound(problem, counted.peak).value <= counted.io


@pytest.mark.many(1)
@pytest.mark.parametrize("shape", [(1, 2, 2, 1), (2, 1, 2, 1), (2, 2, 2, 1)])
def test_no_bound_is_above_an_optimum(shape: tuple[int, int, int, int]) -> None:
    problem = Problem(*shape, shared_values=True)
    dag = family_of(problem).dag()
    for M in (5, 6, 8):
        least = optimal(dag, M).io
        assert all(bound.value <= least for bound in proved_bounds(problem, M))


def test_other_computations_are_refused() -> None:
    with pytest.raises(BoundDoesNotApply, match="only for latent attention"):
        latent_bound(Problem(8, 8, 4, 2), 100)
    assert {bound.name for bound in proved_bounds(Problem(8, 8, 4, 2, shared_values=True), 30)} == {
        "MLA",
        "compulsory",
    }


@pytest.mark.parametrize("mask", [None, pytest.param("causal", marks=pytest.mark.slow)])
def test_no_schedule_is_below_a_bound_of_heads_that_share_words(mask: str | None) -> None:
    draw = random.Random(7)
    for _ in range(5):
        N, d = draw.randint(2, 12), draw.randint(2, 5)
        rope, stats = draw.randint(1, d - 1), draw.random() < 0.5
        heads, dv = draw.randint(1, 5), draw.randint(1, 4)
        problem = Problem(N, N, d, dv, heads=heads, shared_rope=rope, mask=mask, stats=stats)
        for schedule in available("forward", "shared-rope").values():
            M = schedule.least_M(problem) + draw.choice((0, 3, 40, 90))
            counted = schedule.measure(problem, schedule.tiles(schedule.seen(problem), M))
            assert counted.peak <= M
            assert best_bound(problem, counted.peak).value <= counted.io


def test_no_bound_is_above_a_pebbling_of_the_dag() -> None:
    problem = Problem(2, 2, 2, 1, heads=2, shared_rope=1)
    dag = family_of(problem).dag()
    for M in (6, 8, 12, 20):
        found = schedule_dag(dag, M).io
        assert all(bound.value <= found for bound in proved_bounds(problem, M))


def test_one_head_is_t1_and_what_a_head_lacks_is_added() -> None:
    alone, plain = Problem(500, 400, 12, 7, shared_rope=4), Problem(500, 400, 12, 7)
    M = 300
    assert t1_of_all_heads(alone, M).value == next(b.value for b in proved_bounds(plain, M) if b.name == "T1")
    several = Problem(500, 400, 12, 7, heads=3, shared_rope=4, stats=True)
    head = best_bound(Problem(500, 400, 8, 7, stats=True), M).value
    assert without_rope(several, M, best_bound).value == 3 * head + (3 * 500 + 400) * 4


def test_heads_that_share_nothing_are_refused() -> None:
    for bound in (t1_of_all_heads, lambda problem, M: without_rope(problem, M, best_bound)):
        with pytest.raises(BoundDoesNotApply, match="shared_rope"):
            bound(Problem(8, 8, 4, 2, heads=3), 100)
