"""Square tiles in place of others: as large as fits, never much dearer, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from pebble import Problem
from pebble.lab.plan import Constraints, evaluations, plan, square_tiles
from pebble.lab.plan.candidates import Candidate, Setting, candidate_of
from pebble.lab.plan.evaluations import Evaluations
from pebble.lab.plan.square_tiles import squared
from pebble.program.schedule import get

FORWARD = {"rows": 7, "cols": 9, "out_rows": 7, "out_cols": 8}
BACKWARD = {"s_rows": 7, "s_cols": 9, "dp_rows": 10, "dp_cols": 6} | {
    f"{name}_{side}": 8 for name in ("dv", "dk", "dq") for side in ("rows", "cols")
}


def _candidate(
    name: str, tiles: dict[str, int], mask: str | None, N: int = 512, **asked: Any
) -> tuple[Candidate, Setting]:
    """Return a candidate that fills the memory without the mask."""
    pass_name = "backward" if "s_rows" in tiles else "forward"
    queries = 2 * N if mask is not None and mask.startswith("group:2:") else N
    problem = Problem(queries, N, 8, 8, mask=mask, pass_name=pass_name)
    schedule, evaluations = get(name, pass_name), Evaluations(problem, "bf16")
    constraints = Constraints(**asked)
    M = evaluations.room(schedule, tiles, constraints, masked=False).words
    setting = Setting(problem, M, constraints, "bf16", evaluations)
    return candidate_of(schedule, "own tiles", tiles, setting), setting


@pytest.mark.parametrize(
    ("name", "tiles", "mask", "asked", "pairs"),
    [
        ("standard", FORWARD, "causal", {}, [("rows", "cols")]),
        ("square-tile", FORWARD, "group:2:causal", {}, [("rows", "cols")]),
        (
            "standard",
            FORWARD,
            "window:300",
            {"accumulate": "float32", "double_buffer": True},
            [("rows", "cols")],
        ),
        ("square-tile", BACKWARD, "causal", {}, [("s_rows", "s_cols"), ("dp_rows", "dp_cols")]),
    ],
)
def test_the_largest_squares_that_fit_are_taken(
    name: str,
    tiles: dict[str, int],
    mask: str,
    asked: dict[str, Any],
    pairs: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, setting = _candidate(name, tiles, mask, **asked)
    monkeypatch.setattr(square_tiles, "HARDLY_MORE", 1.1)
    found = squared(one, setting)
    kept = dict(found.tiles)
    for names in pairs:
        side = found.tiles[names[0]]
        assert found.tiles[names[1]] == side
        larger = {**found.tiles, **dict.fromkeys(names, side + 1)}
        assert setting.room(one.schedule, larger).words > setting.M
        kept |= {size: tiles[size] for size in names}
    assert kept == tiles
    assert found.room.words <= setting.M
    assert max(found.io / one.io, found.moved / one.moved) <= 1.1


def test_squares_that_cost_more_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    one, setting = _candidate("standard", FORWARD, "causal")
    monkeypatch.setattr(square_tiles, "HARDLY_MORE", 1.1)
    more = squared(one, setting).io / one.io
    assert more > 1
    monkeypatch.setattr(square_tiles, "HARDLY_MORE", more - 1e-6)
    assert squared(one, setting) is one


@pytest.mark.parametrize(
    ("mask", "N", "asked"),
    [(None, 512, {}), ("causal", 128, {}), ("causal", 512, {"at_least": {"cols": 9}})],
    ids=["no mask", "few tiles", "forbidden"],
)
def test_elsewhere_tiles_stay(
    mask: str | None, N: int, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, setting = _candidate("standard", FORWARD, mask, N, **asked)
    monkeypatch.setattr(square_tiles, "HARDLY_MORE", 1.1)
    assert squared(one, setting) is one


@pytest.mark.slow
def test_a_long_plan_executes_few_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """With rectangles the machine would execute some 60,000 operations for a tile, or give up."""
    monkeypatch.setattr(evaluations, "MASKED_STEPS", 8_000)
    problem = Problem.square(32_768, 128, heads=32, kv_heads=8, mask="causal")
    asked: dict[str, Any] = {"double_buffer": True, "accumulate": "float32"}
    found = plan(problem, device="h100", **asked, costs=False)
    assert found.unverified == ()
    monkeypatch.setattr(square_tiles, "HARDLY_MORE", 0)
    rectangles = plan(problem, device="h100", **asked, costs=False)
    assert {one.schedule for one in rectangles.unverified} == {"square-tile"}
    kept = {(one.schedule, one.form): (one.io, one.moved) for one in found.choices}
    before = {(one.schedule, one.form): (one.io, one.moved) for one in rectangles.choices}
    before |= {(one.schedule, one.form): (one.io or 0, one.moved or 0) for one in rectangles.unverified}
    assert kept.keys() == before.keys()
    for key, (io, moved) in kept.items():
        assert io <= 1.002 * before[key][0]
        assert moved <= 1.002 * before[key][1]
