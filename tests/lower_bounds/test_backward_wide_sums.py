"""W: its F against random shares and whole blocks, and the bound against schedules."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from pebble.common.errors import BoundDoesNotApply, CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.backward import MOST_WIDE, B1Weights, b1_events, wide_sums
from pebble.program.schedule import registered

WIDTHS = range(2, MOST_WIDE + 1)


@pytest.mark.parametrize("w", WIDTHS)
def test_rows_times_columns_is_at_least_the_work_of_whole_rows(w: int) -> None:
    """The claim of the proof on random shares; it is reached where all accumulators are at work."""
    rng, least = random.Random(w), math.inf
    omega, kappa = 2 * w, 4 + 2 * w
    for _ in range(3000):
        d, r, rho, c2, delta = (rng.randint(low, 5) for low in (1, 0, 0, 0, 0))
        c1 = c2 + delta
        o = [rng.choice((0, rho, rng.randint(0, rho))) for _ in range(d)]
        v = [rng.choice((0, c1, rng.randint(0, c1))) for _ in range(d)]
        V, O, X = sum(v), sum(o), sum(map(math.prod, zip(o, v, strict=True)))
        W, Y = (rng.choice((0, d * most, rng.randint(0, d * most))) for most in (c2, r))
        rows = d * (r + rho) + d * r + O + w * Y
        columns = d * c1 + d * c2 + w * (V + W)
        work = d * (omega * (r * V + X) + kappa * (r * W + c2 * Y))
        assert rows * columns >= work
        if work:
            least = min(least, rows * columns / work)
    assert least == 1


@pytest.mark.parametrize("w", WIDTHS)
def test_events_are_the_maximum_over_the_boundary(w: int) -> None:
    for d, T in ((1, 50), (8, 3000), (8, 40_000), (64, 10**6)):
        beta, kappa = B1Weights(d, d, w).beta, (4 + 2 * w) * d / math.sqrt(w)
        assert beta == (8 + 6 * w) * d * d
        grid = [T * k / 4000 for k in range(4001)]
        real = max((T - b) ** 2 / 4 + min(beta * b, kappa * math.sqrt(b) * (T - b) / 2) for b in grid)
        assert 0.999 * real <= b1_events(T, d, d, w) <= real * (1 + 0.3 / d) + 2


@pytest.mark.parametrize("sums", ["chain", "accumulate"])
@pytest.mark.parametrize("w", WIDTHS)
def test_no_schedule_is_below_it(w: int, sums: str) -> None:
    rng = random.Random(w)
    for _ in range(4):
        Nq, Nk, d = rng.randint(200, 900), rng.randint(200, 900), rng.randint(1, 6)
        problem = Problem(Nq, Nk, d, d, pass_name="backward", sum_width=w, sums=sums)
        M = rng.randint(60, 400)
        least = wide_sums(problem, M).value
        for schedule in registered("backward", "plain"):
            if schedule.name in ("split", "flash-2", "keys-pinned", "queries-pinned", "square-tile"):
                try:
                    assert schedule.measure(problem, schedule.tiles(problem, M)).io >= least
                except CacheTooSmall:
                    continue


def test_it_is_reached_by_split_to_leading_order() -> None:
    for w in WIDTHS:
        problem = Problem(10**9, 10**9, 8, 8, pass_name="backward", sum_width=w)
        leading = (8 + 6 * w) * problem.pairs * 64 / 10**6
        assert 0.999 * leading < wide_sums(problem, 10**6).value <= leading
    with pytest.raises(BoundDoesNotApply):
        wide_sums(replace(problem, sum_width=6), 10**6)
