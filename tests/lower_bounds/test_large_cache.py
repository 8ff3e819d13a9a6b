"""Bound D of both passes: values, refusals, rectangles in masks, and never above what can be done."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from pebble import optimal
from pebble.common.errors import BoundDoesNotApply, CacheTooSmall
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.rules import Rules
from pebble.lower_bounds import best_bound, proved_bounds
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.attention.large_cache import (
    large_cache,
    large_cache_under_mask,
    needed_again,
    needed_again_backward,
)
from pebble.lower_bounds.attention.triangles import QueryIntervals, find_rectangle
from pebble.program.closed_forms.count import closed_form
from pebble.program.schedule import available, fitting_tiles, get
from tests.lower_bounds.backward_problems import backward

N, D = 4096, 64
Parameters = tuple[int, int, int, int]


def terms(p: Problem, tau: int, sigma: int) -> tuple[int, int, int]:
    """The three terms of the theorem."""
    return (
        (p.Nq - tau + 1) * (p.dv + sigma),
        (p.Nq - tau) * sigma + tau * (p.Nk - sigma),
        (tau + p.dv) * (p.Nk - sigma),
    )


def random_sizes(rnd: random.Random, most: int) -> Problem:
    d, dv = rnd.randint(1, 5), rnd.randint(1, 7)
    return Problem(rnd.randint(1, most), rnd.randint(2, most), d, dv, stats=rnd.random() < 0.3)


# Values


@pytest.mark.parametrize("seed", range(200))
def test_it_is_the_greatest_over_tau_and_sigma(seed: int) -> None:
    p = random_sizes(random.Random(seed), 30)
    pairs = itertools.product(range(1, min(p.d, p.Nq) + 1), range(1, min(p.d, p.Nk - 1) + 1))
    needed, tau, sigma = needed_again(p.Nq, p.Nk, p.d, p.dv)
    assert needed == max(min(terms(p, *pair)) for pair in pairs) == min(terms(p, tau, sigma))


@pytest.mark.parametrize(
    ("sixteenths", "words"), [(17, 4.91), (20, 4.72), (24, 4.47), (26, 4.34), (30, 4.09)]
)
def test_values_at_4096(sixteenths: int, words: float) -> None:
    M = N * D * sixteenths // 16
    best = best_bound(Problem.square(N, D), M)
    assert best.name == "D"
    assert best.value == 6 * N * D - 2 * D * D - M
    assert round(best.value / (N * D), 2) == words


def test_it_counts_row_sums_and_refuses_what_it_does_not_cover() -> None:
    with_sums = large_cache(Problem.square(100, 8, stats=True), 900)
    assert with_sums.value == large_cache(Problem.square(100, 8), 900).value + 100
    for problem in (
        Problem(9, 1, 2, 2),
        Problem.square(9, 2, mask="causal"),
        Problem(9, 9, 2, 2, pass_name="backward"),
        Problem.square(9, 2),
    ):
        with pytest.raises(BoundDoesNotApply):
            large_cache(problem, 60)


def test_it_holds_for_each_part_of_a_mask_in_which_all_see_all() -> None:
    """Three sequences of N queries and keys: three times what is above the compulsory words."""
    problem, M = Problem.square(3 * 512, 16, mask="document:512,512,512"), 512 * 20
    alone = large_cache(Problem.square(512, 16), M)
    assert best_bound(problem, M).name == "by parts"
    assert best_bound(problem, M).value == 3 * alone.value


# Rectangles


def rectangles(allowed: np.ndarray) -> set[tuple[int, int]]:
    """Numbers of queries and keys of all rectangles that intervals of queries have."""
    rows = range(len(allowed))
    return {(b - a + 1, int(allowed[a : b + 1].all(axis=0).sum())) for a in rows for b in rows if a <= b}


@pytest.mark.parametrize("seed", range(60))
def test_a_rectangle_is_in_the_mask_and_the_best_of_small_ones(seed: int) -> None:
    rnd = random.Random(seed)
    Nq, Nk = rnd.randint(2, 30), rnd.randint(3, 30)
    starts, stops = (sorted(rnd.randint(0, Nk) for _ in range(Nq)) for _ in range(2))
    both = [(min(pair), max(*pair, min(pair) + 1)) for pair in zip(starts, stops, strict=True)]
    allowed = np.array([[start <= j < stop for j in range(Nk)] for start, stop in both])
    allowed[:, 0] |= ~allowed.any(axis=1)
    problem = Problem(Nq, Nk, 1, rnd.randint(1, 4), mask=mask_from_array(allowed))
    assert problem.mask is not None
    try:
        intervals = QueryIntervals.from_mask(problem.mask)
    except BoundDoesNotApply:
        return
    found = find_rectangle(intervals, problem.d, problem.dv)
    every = {one for one in rectangles(allowed) if one[1] >= 2}
    if not every:
        return
    assert any(found[0] <= one[0] and found[1] <= one[1] for one in every)
    best = max(needed_again(*one, problem.d, problem.dv)[0] for one in every)
    assert needed_again(*found, problem.d, problem.dv)[0] == best


@pytest.mark.parametrize(
    ("spec", "Nq", "Nk", "rectangle"),
    [
        ("causal", 4096, 4096, (2048, 2049)),
        ("causal", 1000, 9000, (1000, 8001)),
        ("prefix:3000", 4096, 4096, (4096, 3000)),
        ("window:1000", 4096, 4096, (500, 501)),
        ("document:1000,3096", 4096, 4096, (3096, 3096)),
    ],
)
def test_rectangles_of_large_masks(spec: str, Nq: int, Nk: int, rectangle: tuple[int, int]) -> None:
    mask = make_mask(spec, Nq, Nk)
    assert mask is not None
    queries, keys = find_rectangle(QueryIntervals.from_mask(mask), D, D)
    worth, best = (needed_again(*one, D, D)[0] for one in ((queries, keys), rectangle))
    assert worth >= 0.99 * best


def test_causal_with_many_keys() -> None:
    """Where the last queries of a long sequence see nearly all keys, most of the mask is one rectangle."""
    problem = Problem(1000, 9000, 32, 32, mask="causal")
    M = 1000 * 50
    bound = large_cache_under_mask(problem, M)
    assert bound.value > compulsory_words(problem)
    assert bound.value == max(one.value for one in proved_bounds(problem, M) if one.name == "D")


# The backward pass


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
def test_the_backward_one_is_the_greatest_of_all_parameters(seed: int) -> None:
    rnd = random.Random(seed)
    p = backward(rnd.randint(1, 30), rnd.randint(2, 30), rnd.randint(1, 3), rnd.randint(1, 3))
    assert needed_again_backward(p.Nq, p.Nk, p.d, p.dv)[0] == max(claimed(p, one) for one in parameters(p))


@pytest.mark.parametrize(("quarters", "words"), [(7, 9.19), (8, 8.94), (10, 8.44), (11, 8.19)])
def test_values_of_the_backward_pass_at_4096(quarters: int, words: float) -> None:
    M = N * D * quarters // 4
    best = best_bound(backward(N, d=D), M)
    assert best.name == "D backward"
    assert round(best.value / (N * D), 2) == words


@pytest.mark.slow
@pytest.mark.parametrize(("M", "ratio"), [(2 * N * D, 1.46), (652_738, 1.312), (N * D, 1.668)])
def test_what_is_left_of_the_ratio_at_4096(M: int, ratio: float) -> None:
    """The best schedule over the best bound."""
    problem, best = backward(N, d=D), available("backward")["best"]
    words = int(closed_form(best.program(problem, best.tiles(problem, M)), best.family(problem)).io)
    assert round(words / best_bound(problem, M).value, 3) == ratio


def test_refusals_of_the_backward_pass() -> None:
    for problem in (Problem(9, 9, 2, 2, pass_name="backward", mask="causal"), backward(9, d=2)):
        with pytest.raises(BoundDoesNotApply):
            large_cache(problem, 200)


@pytest.mark.parametrize("mask", ["causal", "prefix:300", "document:200,312"])
def test_the_backward_one_under_a_mask(mask: str) -> None:
    problem = Problem(512, 512, 16, 16, mask=mask, pass_name="backward")
    assert best_bound(problem, 512 * 18).value > compulsory_words(problem)


# Never above what can be done


def left_over(pass_name: str, seed: int, runs: int, masks: bool = False) -> list[int]:
    """What machine runs at tiles that fit move and hold above the bound."""
    rnd = random.Random(seed)
    schedules = available(pass_name)
    found: list[int] = []
    while len(found) < runs:
        p = random_sizes(rnd, 40)
        if masks:
            n = rnd.randint(4, 30)
            spec = rnd.choice(["causal", f"prefix:{n // 2}", f"window:{n - 1}", f"document:{n - 2},2"])
            p = Problem.square(n, p.d, p.dv, stats=p.stats, mask=spec)
        if pass_name == "backward":
            p = backward(p.Nq, p.Nk, p.d, p.dv)
        schedule = schedules[rnd.choice(sorted(schedules))]
        try:
            M = schedule.least_M(p) + int(rnd.random() ** 2 * 4 * p.Nq * (p.d + p.dv))
            tiles = fitting_tiles(schedule, p, M)
        except CacheTooSmall:
            continue
        run = schedule.measure(p, tiles)
        queries, keys = p.Nq, p.Nk
        if p.mask is not None:
            queries, keys = find_rectangle(QueryIntervals.from_mask(p.mask), p.d, p.dv)
        if keys >= 2:
            needed = (needed_again if pass_name == "forward" else needed_again_backward)(
                queries, keys, p.d, p.dv
            )
            found.append(run.io + run.peak - compulsory_words(p) - needed[0])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pass_name", "runs", "masks"), [("forward", 100, False), ("forward", 8, True), ("backward", 60, False)]
)
def test_never_above_a_schedule(pass_name: str, runs: int, masks: bool) -> None:
    assert min(left_over(pass_name, 0, runs, masks)) >= 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "M", "sliding"),
    [((2, 2, 1, 1), 6, True), ((3, 2, 1, 1), 7, False)],
)
def test_never_above_an_optimum(shape: tuple[int, int, int, int], M: int, sliding: bool) -> None:
    problem = Problem(*shape)
    best = optimal(family_of(problem).dag(), M, rules=Rules(sliding=sliding), most_states=20_000)
    needed = needed_again(*shape)[0]
    assert compulsory_words(problem) + needed - M <= best.io
    assert best.lower <= best.io


def test_a_schedule_comes_near() -> None:
    """By seven words: a bound that is eight words greater exceeds it."""
    problem, best = Problem.square(20, 1), get("best")
    run = best.measure(problem, best.tiles(problem, 45))
    assert 0 <= run.io + run.peak - compulsory_words(problem) - needed_again(20, 20, 1, 1)[0] < 8
