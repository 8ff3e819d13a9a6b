"""Schedules of heads whose keys share rotary words: their contract, flash-2's words and room, and its choice."""

from __future__ import annotations

import itertools
import random

import pytest

from pebble.computations.problem import Problem
from pebble.program.schedule import available, get
from pebble.testing import check_schedule

PROBLEMS = [
    Problem(4, 5, 3, 2, heads=2, shared_rope=1),
    Problem(4, 4, 4, 3, heads=3, shared_rope=2, mask="causal", stats=True),
    Problem(1, 6, 3, 2, heads=4, shared_rope=2),
    Problem(1, 1, 2, 1, shared_rope=1),
    Problem(5, 4, 3, 1, heads=3, shared_rope=1, stats=True),
]
SLOWER = ("best", "naive", "square-tile")
CASES = [
    pytest.param(name, problem, marks=[pytest.mark.slow] * (problem in PROBLEMS[2:] or name in SLOWER))
    for problem in PROBLEMS
    for name in sorted(available("forward", "shared-rope"))
]


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_contract(name: str, problem: Problem) -> None:
    schedule = get(name, "forward", "shared-rope")
    least = schedule.least_M(problem)
    for M in (least, least + 6, 300):
        contract = check_schedule(schedule, problem, M)
        assert contract.peak <= M
        assert contract.least_M == least


def _drawn(draw: random.Random) -> tuple[Problem, dict[str, int]]:
    Nq, Nk, heads, dv = (draw.randint(1, 9) for _ in range(4))
    d = draw.randint(2, 9)
    problem = Problem(Nq, Nk, d, dv, heads=heads, shared_rope=draw.randint(1, d - 1))
    tiles = {"rows": draw.randint(1, Nq), "heads": draw.randint(1, heads), "pinned": draw.randint(0, Nk)}
    return problem, tiles


def test_flash2_by_formula() -> None:
    draw, flash2 = random.Random(3), get("flash-2", "forward", "shared-rope")
    for _ in range(30):
        problem, tiles = _drawn(draw)
        H, Nq, Nk, d, dv, r = (
            getattr(problem, name) for name in ("heads", "Nq", "Nk", "d", "dv", "shared_rope")
        )
        blocks, groups = -(-Nq // tiles["rows"]), -(-H // tiles["heads"])
        sweeps = blocks * groups
        run = flash2.measure(problem, tiles)
        own = H * Nq * (d + dv) + H * Nk * (d - r + dv) * blocks
        assert run.io == own + Nk * r * sweeps - (sweeps - 1) * tiles["pinned"] * r
        passing = r if tiles["pinned"] < Nk else 0
        resident = tiles["rows"] * tiles["heads"] * (d + dv + 1) + tiles["pinned"] * r + passing
        assert run.peak <= resident + d - r + dv + 3
        if min(Nq, Nk, r) > 1 and d - r > 1:
            assert run.peak == resident + d - r + dv + 3 - (tiles["rows"] * tiles["heads"] == 1 == H * Nq)


def test_flash2_chooses_the_cheapest() -> None:
    draw, flash2 = random.Random(4), get("flash-2", "forward", "shared-rope")
    for _ in range(3):
        problem = Problem(
            draw.randint(2, 5),
            draw.randint(2, 5),
            4,
            2,
            heads=draw.randint(1, 4),
            shared_rope=draw.randint(2, 3),
        )
        every = itertools.product(
            *(range(1, n + 1) for n in (problem.Nq, problem.heads)), range(problem.Nk + 1)
        )
        runs = [
            flash2.measure(problem, {"rows": rows, "heads": heads, "pinned": pinned})
            for rows, heads, pinned in every
        ]
        for M in (flash2.least_M(problem), 40, 60, 100):
            if flash2.least_M(problem) <= M:
                found = flash2.measure(problem, flash2.tiles(problem, M))
                assert found.peak <= M
                assert found.io == min(run.io for run in runs if run.peak <= M)


def test_heads_go_together_where_few_queries_are() -> None:
    """One query of each of six heads: every word moves once, though the rotary words do not fit beside them."""
    problem, flash2 = Problem(1, 40, 4, 2, heads=6, shared_rope=3), get("flash-2", "forward", "shared-rope")
    tiles = flash2.tiles(problem, 51)
    assert tiles["heads"] == 6
    run = flash2.measure(problem, tiles)
    assert (run.io, run.peak) == (6 * (4 + 2) + 6 * 40 * (1 + 2) + 40 * 3, 51)
