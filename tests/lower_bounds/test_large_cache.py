"""Bound D of both passes: the best parameters of its theorem, and rectangles in masks."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.lower_bounds import best_bound, proved_bounds
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.attention.large_cache import (
    large_cache,
    large_cache_under_mask,
    needed_again,
    needed_again_backward,
)
from pebble.lower_bounds.attention.triangles import QueryIntervals, find_rectangle

Sizes = tuple[int, int, int, int]


def terms(sizes: Sizes, tau: int, sigma: int) -> tuple[int, int, int]:
    """The three terms of the theorem."""
    Nq, Nk, _, dv = sizes
    return (Nq - tau + 1) * (dv + sigma), (Nq - tau) * sigma + tau * (Nk - sigma), (tau + dv) * (Nk - sigma)


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_greatest_over_tau_and_sigma(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        sizes = rng.randint(1, 30), rng.randint(2, 30), rng.randint(1, 5), rng.randint(1, 7)
        Nq, Nk, d, _ = sizes
        pairs = itertools.product(range(1, min(d, Nq) + 1), range(1, min(d, Nk - 1) + 1))
        needed, tau, sigma = needed_again(*sizes)
        assert needed == max(min(terms(sizes, *pair)) for pair in pairs) == min(terms(sizes, tau, sigma))


def claimed(sizes: Sizes, chosen: tuple[int, ...]) -> int:
    """The least of the four terms of the theorem on the backward pass."""
    (Nq, Nk, d, _), (tau, sigma, more_tau, more_sigma) = sizes, chosen
    by_queries = min(d * (Nq - more_tau + 1), (Nk - sigma) * more_tau)
    by_keys = min(d * (Nk - more_sigma + 1), (Nq - tau) * more_sigma)
    return min((Nq - tau + 1) * sigma + by_queries, (Nk - sigma + 1) * tau + by_keys)


@pytest.mark.parametrize("seed", range(20))
def test_the_backward_one_is_the_greatest_of_all_parameters(seed: int) -> None:
    rng = random.Random(seed)
    sizes = rng.randint(1, 30), rng.randint(2, 30), rng.randint(1, 3), rng.randint(1, 3)
    taus, sigmas = (range(1, min(sizes[2] + sizes[3], n) + 1) for n in sizes[:2])
    every = itertools.product(taus, sigmas, taus, sigmas)
    assert needed_again_backward(*sizes)[0] == max(claimed(sizes, one) for one in every)


# -- rectangles in masks


def rectangles(allowed: np.ndarray) -> set[tuple[int, int]]:
    """Numbers of queries and keys of all rectangles that intervals of queries have."""
    rows = range(len(allowed))
    return {(b - a + 1, int(allowed[a : b + 1].all(axis=0).sum())) for a in rows for b in rows if a <= b}


@pytest.mark.parametrize("seed", range(60))
def test_a_rectangle_is_in_the_mask_and_the_best_of_small_ones(seed: int) -> None:
    rng = random.Random(seed)
    Nq, Nk, dv = rng.randint(2, 30), rng.randint(3, 30), rng.randint(1, 4)
    starts, stops = (sorted(rng.randint(0, Nk) for _ in range(Nq)) for _ in range(2))
    both = [(min(pair), max(*pair, min(pair) + 1)) for pair in zip(starts, stops, strict=True)]
    allowed = np.array([[start <= j < stop for j in range(Nk)] for start, stop in both])
    allowed[:, 0] |= ~allowed.any(axis=1)
    try:
        intervals = QueryIntervals.from_mask(mask_from_array(allowed))
    except BoundDoesNotApply:
        return
    found = find_rectangle(intervals, 1, dv)
    if every := {one for one in rectangles(allowed) if one[1] >= 2}:
        assert any(found[0] <= one[0] and found[1] <= one[1] for one in every)
        assert needed_again(*found, 1, dv)[0] == max(needed_again(*one, 1, dv)[0] for one in every)


@pytest.mark.parametrize(
    ("problem", "M"),
    [
        (Problem(1000, 9000, 32, 32, mask="causal"), 1000 * 50),
        *(
            (Problem.square(512, 16, mask=mask, pass_name="backward"), 512 * 18)
            for mask in ("causal", "prefix:300")
        ),
    ],
    ids=str,
)
def test_under_a_mask(problem: Problem, M: int) -> None:
    bound = large_cache_under_mask(problem, M)
    assert bound.value > compulsory_words(problem)
    assert bound.value == max(one.value for one in proved_bounds(problem, M) if one.name == bound.name)


def test_it_holds_for_each_part_of_a_mask_in_which_all_see_all() -> None:
    """Three sequences of N queries and keys: three times what is above the compulsory words."""
    problem, M = Problem.square(3 * 512, 16, mask="document:512,512,512"), 512 * 20
    best = best_bound(problem, M)
    assert (best.name, best.value) == ("by parts", 3 * large_cache(Problem.square(512, 16), M).value)
