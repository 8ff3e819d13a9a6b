"""dP in two slices: what it moves, and where it is the cheapest backward schedule."""

from __future__ import annotations

import math

import pytest

from pebble.computations.problem import Problem
from pebble.program.schedule import registry


def io(name: str, problem: Problem, M: int) -> int:
    schedule = registry.get(name, "backward")
    return schedule.measure(problem, schedule.tiles(problem, M)).io


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.14, 0.25])
def test_moves_what_its_page_says_and_less_than_the_others(mu: float) -> None:
    N, d = 2**23, 1024
    problem, M = Problem(N, N, d, d, pass_name="backward"), round(mu * d * d)
    x = 1 / math.sqrt(mu)
    scores = min(x * x, 2 * x) + 1
    width = min(k + x * x / k for k in range(1, 9))  # tiles of dK and dQ take d/k columns
    moved = io("dp-sliced", problem, M)
    assert moved / N**2 == pytest.approx(scores + x * x + 5 + 2 * width, rel=0.01)
    assert moved < min(io("square-tile", problem, M), io("p-first", problem, M))
    assert io("best", problem, M) == moved


def test_a_value_of_one_word_has_no_slices() -> None:
    problem = Problem(7, 5, 3, 1, pass_name="backward")
    assert io("dp-sliced", problem, 40) > 0
