"""Bound D of the backward pass: values, its proof moment by moment, and never above what can be done."""

from __future__ import annotations

import itertools
import random

import pytest

from pebble.common.errors import BoundDoesNotApply, CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lower_bounds import best_bound
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.attention.large_cache import large_cache, needed_again_backward
from pebble.program.closed_forms.count import closed_form
from pebble.program.schedule import available, fitting_tiles

N, D = 4096, 64
Parameters = tuple[int, int, int, int]


def backward(Nq: int, Nk: int, d: int, dv: int) -> Problem:
    return Problem(Nq, Nk, d, dv, pass_name="backward")


def claimed(p: Problem, chosen: Parameters) -> int:
    """The least of the four terms of the theorem."""
    tau, sigma, more_tau, more_sigma = chosen
    by_queries = min(p.d * (p.Nq - more_tau + 1), (p.Nk - sigma) * more_tau)
    by_keys = min(p.d * (p.Nk - more_sigma + 1), (p.Nq - tau) * more_sigma)
    return min((p.Nq - tau + 1) * sigma + by_queries, (p.Nk - sigma + 1) * tau + by_keys)


def parameters(p: Problem) -> list[Parameters]:
    taus, sigmas = (range(1, min(p.d + p.dv, n) + 1) for n in (p.Nq, p.Nk))
    return list(itertools.product(taus, sigmas, taus, sigmas))


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_greatest_of_all_parameters_of_small_problems(seed: int) -> None:
    rnd = random.Random(seed)
    p = backward(rnd.randint(1, 30), rnd.randint(2, 30), rnd.randint(1, 3), rnd.randint(1, 3))
    assert needed_again_backward(p.Nq, p.Nk, p.d, p.dv)[0] == max(claimed(p, one) for one in parameters(p))


@pytest.mark.parametrize(("quarters", "words"), [(7, 9.19), (8, 8.94), (10, 8.44), (11, 8.19)])
def test_values_at_4096(quarters: int, words: float) -> None:
    M = N * D * quarters // 4
    best = best_bound(backward(N, N, D, D), M)
    assert best.name == "D backward"
    assert round(best.value / (N * D), 2) == words


@pytest.mark.slow
@pytest.mark.parametrize(("M", "ratio"), [(2 * N * D, 1.46), (652_738, 1.312), (N * D, 1.668)])
def test_what_is_left_of_the_ratio_at_4096(M: int, ratio: float) -> None:
    """The best schedule over the best bound."""
    problem, best = backward(N, N, D, D), available("backward")["best"]
    words = int(closed_form(best.program(problem, best.tiles(problem, M)), best.family(problem)).io)
    assert round(words / best_bound(problem, M).value, 3) == ratio


def test_refusals() -> None:
    for problem in (Problem(9, 9, 2, 2, pass_name="backward", mask="causal"), backward(9, 9, 2, 2)):
        with pytest.raises(BoundDoesNotApply):
            large_cache(problem, 200)


@pytest.mark.parametrize("mask", ["causal", "prefix:300", "document:200,312"])
def test_under_a_mask(mask: str) -> None:
    problem = Problem(512, 512, 16, 16, mask=mask, pass_name="backward")
    assert best_bound(problem, 512 * 18).value > compulsory_words(problem)


# The proof

Lines = dict[str, dict[int, int]]


# Never above what can be done


def left_over(seed: int, runs: int) -> list[int]:
    """What machine runs at chosen tiles move and hold above the bound."""
    rnd = random.Random(seed)
    schedules = available("backward")
    found: list[int] = []
    while len(found) < runs:
        p = backward(rnd.randint(1, 30), rnd.randint(2, 30), rnd.randint(1, 3), rnd.randint(1, 4))
        schedule = schedules[rnd.choice(sorted(schedules))]
        try:
            M = schedule.least_M(p) + int(rnd.random() ** 2 * 4 * p.Nq * (p.d + p.dv))
            tiles = fitting_tiles(schedule, p, M)
        except CacheTooSmall:
            continue
        run = schedule.measure(p, tiles)
        needed = needed_again_backward(p.Nq, p.Nk, p.d, p.dv)[0]
        found.append(run.io + run.peak - compulsory_words(p) - needed)
    return found


def test_never_above_a_schedule() -> None:
    assert min(left_over(0, 25)) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 3))
def test_never_above_many_schedules(seed: int) -> None:
    assert min(left_over(seed, 120)) >= 0
