"""Keys whose rotary words heads share, or that hold the values: flash-2's words, room and choice."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import pebble
from pebble.computations.problem import Problem
from pebble.program.schedule import get
from pebble.testing import check_schedule


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


WHOLE = [
    (Problem(5, 7, 4, 2, shared_values=True), {"rows": 2, "cols": 3}),
    (Problem(4, 4, 3, 2, shared_values=True, mask="causal", stats=True), {"rows": 3, "cols": 2}),
    (Problem(5, 7, 4, 2, shared_rope=2, heads=3), {"rows": 2, "cols": 3}),
    (Problem(4, 4, 4, 3, heads=3, shared_rope=2, mask="causal"), {"rows": 2, "cols": 2, "pinned": 3}),
    (Problem(3, 6, 3, 2, heads=4, shared_rope=2), {"rows": 2, "heads": 2, "pinned": 5, "cols": 4}),
]


@pytest.mark.many(2)
@pytest.mark.parametrize(("problem", "tiles"), WHOLE)
def test_whole_tiles_of_keys(problem: Problem, tiles: dict[str, int]) -> None:
    """Legal, attention on numbers, and with keys one by one the same words."""
    schedule = get("flash-2", "forward", problem.form)
    whole = schedule.measure(problem, tiles)
    assert check_schedule(schedule, problem, whole.peak, tiles).peak == whole.peak
    if problem.mask is None:
        key_by_key = {name: size for name, size in tiles.items() if name != "cols"}
        assert whole.io == schedule.measure(problem, key_by_key).io


def test_the_room_of_flash_mla() -> None:
    """Tiles of 64 × 64 fill the shared memory of an H100."""
    problem, flash2 = (
        pebble.model("deepseek-v3-absorbed").problem(1, 8192),
        get("flash-2", "forward", "latent"),
    )
    run = flash2.measure(problem, {"rows": 64, "cols": 64})
    assert run.peak == 64 * (576 + 512 + 1) + 64 * 576 + 2 * 64 * 64 + 1 == 114_753
    assert run.io == 128 * (576 + 512) + 2 * 8192 * 576
    assert run.peak <= pebble.device("h100").words("bf16")


@pytest.mark.many(1)
@pytest.mark.parametrize(
    "constraints", [{"multiple_of": 16}, {"double_buffer": True, "at_least": {"cols": 32}}]
)
@pytest.mark.parametrize("name", ["deepseek-v3-absorbed", "deepseek-v3-shared-rope"])
def test_constrained_kernels_are_planned(name: str, constraints: dict[str, Any]) -> None:
    problem = pebble.model(name).problem(1 if name.endswith("absorbed") else 256, 256)
    found: Any = pebble.plan(problem, device="h100", costs=False, **constraints)
    assert (found.best.schedule, found.best.form) == ("flash-2", "whole tiles")
    assert found.best.tiles["cols"] >= 16
