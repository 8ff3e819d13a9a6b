"""A kernel beside the best: its own numbers, those of the plan, and what is said where it does not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pebble import Problem, bounds, plan_kernel
from pebble.computations.registry import family_of
from pebble.lab.plan import Choice, Constraints
from pebble.program.counting.run import run
from pebble.program.schedule import get
from tests.lab.plans import room_of

SHAPE = Problem(24, 24, 4, 4, heads=3)
GROUPED = Problem(12, 12, 4, 4, heads=4, kv_heads=2, mask="causal")
CASES: list[tuple[Problem, str, dict[str, int], int, dict[str, Any]]] = [
    (SHAPE, "flash-2", {"Br": 8, "Bc": 4}, 250, {}),
    (SHAPE, "flash-1", {"BLOCK_M": 7, "BLOCK_N": 9}, 700, {"multiple_of": 2, "accumulate": "float32"}),
    (GROUPED, "flash-2", {"Br": 8, "Bc": 4}, 600, {"multiple_of": 8, "double_buffer": True}),
    (GROUPED, "flash-2-causal", {"first": 5, "rows": 6}, 250, {}),
]
PASSES = ("forward", "backward")


@pytest.mark.many(2)
@pytest.mark.parametrize(("problem", "kernel", "tiles", "M", "asked"), CASES)
def test_a_kernel_is_counted_as_its_program_runs(
    problem: Problem, kernel: str, tiles: dict[str, int], M: int, asked: dict[str, Any]
) -> None:
    found = plan_kernel(problem, kernel, tiles, M, costs=False, schedules=["naive"], **asked)
    assert [one.problem.pass_name for one in found.passes] == list(PASSES)
    for one in found.passes:
        assert isinstance(one.mine, Choice)
        assert one.mine.room is not None
        schedule, constraints = get(one.mine.schedule, one.problem.pass_name), Constraints(**asked)
        assert one.mine.tiles == schedule.check_tiles(tiles)
        assert one.chosen == ("as given" if one.problem.pass_name == "forward" else one.chosen)
        held = run(schedule.program(one.problem, one.mine.tiles), family_of(one.problem), induction=False)
        assert (one.mine.io, one.mine.room.peak) == (held.io * problem.copies, held.peak)
        assert one.mine.room == room_of(schedule.name, one.problem, one.mine.tiles, constraints, "bf16")
        assert one.missing == max(one.mine.room.words - M, 0)
        bound = bounds(one.problem, M).best
        assert (one.bound.name, one.bound.value) == (bound.name, bound.value)
        assert one.mine.ratio == one.mine.io / bound.value


def test_what_does_not_fit_is_a_row_with_the_words_that_are_missing() -> None:
    found = plan_kernel(SHAPE, "flash-2", {"Br": 12, "Bc": 12}, 200, costs=False, schedules=["flash-1"])
    for one, document in zip(found.passes, found.to_dict()["passes"], strict=True):
        assert isinstance(one.mine, Choice)
        assert one.mine.room is not None
        assert one.missing == one.mine.room.words - 200 == document["missing"] > 0
        assert document["mine"]["ratio"] is None
        assert document["best"]["ratio"] >= 1
        assert f", {one.missing:,} words too large" in str(found)
        assert f"it needs {one.missing:,} words more than M = 200" in str(found)
        mine = one.rows()[0]
        assert mine[5] == f"{one.mine.io:,}"
        assert all(row[7:9] == ["", ""] or row[8] == "" for row in one.rows()), (
            "nothing is compared with what does not fit"
        )


def test_constraints_that_tiles_do_not_keep_are_named() -> None:
    asked: dict[str, Any] = {
        "multiple_of": 4,
        "at_least": {"cols": 8},
        "at_most": {"rows": 8},
        "costs": False,
    }
    asked["schedules"] = ["flash-2"]
    found = plan_kernel(SHAPE, "flash-2", {"Br": 10, "Bc": 8}, 900, **asked)
    assert [one.broken for one in found.passes] == [("multiples of 4", "at most 8 rows")] * 2
    assert "forward: mine does not keep: multiples of 4, at most 8 rows" in str(found)
    kept = plan_kernel(SHAPE, "flash-2", {"Br": 8, "Bc": 8}, 900, **asked)
    assert [one.broken for one in kept.passes] == [(), ()]


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("kernel", "tiles", "backward", "chosen"),
    [
        ("flash-2", {"rows": 4, "cols": 4}, "flash-2", "same name, same tiles"),
        ("flash-1", "literal", "flash-1", "same name, same tiles"),
        ("flash-2-causal", {"first": 4, "rows": 8}, "queries-causal", "same kind, same tiles"),
        ("flash-2-pinned", {"rows": 4, "pinned": 2}, "queries-pinned", "same kind, same tiles"),
        ("flash-2-mixed", {"blocks": 4, "slices": 2, "pinned": 1}, "queries-pinned", "same kind, best tiles"),
        (
            "standard",
            {"rows": 4, "cols": 4, "out_rows": 4, "out_cols": 2},
            "standard",
            "same name, best tiles",
        ),
        ("small-cache", None, "small-cache", "same name, best tiles"),
    ],
)
def test_the_backward_schedule_has_the_same_name_or_is_of_the_same_kind(
    kernel: str, tiles: dict[str, int] | str | None, backward: str, chosen: str
) -> None:
    found = plan_kernel(replace(GROUPED, stats=True), kernel, tiles, 400, costs=False, schedules=["flash-1"])
    forward, other = found.passes
    assert (forward.mine.schedule, forward.problem.stats) == (kernel, True)
    assert (other.mine.schedule, other.chosen) == (backward, chosen)
    assert f"mine ({chosen})" in str(found)
    if isinstance(tiles, dict) and "same tiles" in chosen:
        assert other.mine.tiles == get(backward, "backward").check_tiles(tiles)
    if "best tiles" in chosen:
        assert other.mine == other.same
