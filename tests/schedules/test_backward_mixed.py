"""keys-mixed: its words by formula, and what it gains over keys-pinned for caches of order N·d."""

from __future__ import annotations

import random

import pytest

from pebble.computations.problem import Problem
from pebble.lower_bounds import best_bound
from pebble.program.schedule import get

MIXED = get("keys-mixed", "backward")


def test_words_by_formula() -> None:
    """Queries pass a + 2 times for a tiles and the last keys, dQ a + 1 times but for the rows that stay."""
    draw = random.Random(1)
    for _ in range(30):
        Nq, Nk, d, dv = draw.randint(2, 9), draw.randint(2, 9), draw.randint(2, 4), draw.randint(2, 4)
        problem = Problem(Nq, Nk, d, dv, pass_name="backward")
        last = draw.randint(1, Nk - 1)
        tiles = {"cols": draw.randint(1, Nk - last), "last_cols": last, "pinned": draw.randint(0, Nq)}
        a = -(-(Nk - last) // tiles["cols"])
        keys, queries, sums = 2 * Nk * (d + dv), (a + 2) * Nq * (d + dv + 1), Nq * dv + (a + 1) * Nq
        dQ = Nq * d + 2 * a * (Nq - tiles["pinned"]) * d
        assert MIXED.measure(problem, tiles).io == keys + queries + sums + dQ


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "words", "before"),
    [
        pytest.param((1, 2), 38.01, 39.42, marks=pytest.mark.slow),
        ((1, 1), 21.69, 22.57),
        pytest.param((21, 16), 17.66, 18.26, marks=pytest.mark.slow),
    ],
)
def test_words_at_4096(share: tuple[int, int], words: float, before: float) -> None:
    """N = 4096, d = 64, in units of N·d words, and what keys-pinned moves."""
    problem, unit = Problem.square(4096, 64, pass_name="backward"), 4096 * 64
    M = unit * share[0] // share[1]
    found = {}
    for name in ("keys-mixed", "keys-pinned"):
        schedule = get(name, "backward")
        run = schedule.measure(problem, schedule.tiles(problem, M))
        assert run.peak <= M
        assert run.io >= best_bound(problem, M).value
        found[name] = round(run.io / unit, 2)
    assert found == {"keys-mixed": words, "keys-pinned": before}
