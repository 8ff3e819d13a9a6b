"""Keys whose rotary words heads share, or that hold the values: flash-2's words, room and choice."""

from __future__ import annotations

from typing import Any

import pytest

import pebble
from pebble.computations.problem import Problem
from pebble.program.schedule import get
from pebble.testing import check_schedule

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
