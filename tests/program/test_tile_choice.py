"""The largest tiles that fit: and names of sizes."""

from __future__ import annotations

import pytest

from pebble import InvalidInput, Problem
from pebble.program.schedule import Tiles, get, largest


def test_the_other_sizes_are_returned_too() -> None:
    problem = Problem.square(40, 4, softmax="safe")
    schedule = get("split", "forward", "safe")
    first = largest(schedule, problem, 300, "max_rows", problem.Nq, 3, {"rows": 1})
    assert first == {"max_rows": first["max_rows"], "rows": 1}
    both = largest(schedule, problem, 300, "rows", problem.Nq, 3, first)
    assert both == {"max_rows": first["max_rows"], "rows": both["rows"]}
    assert schedule.measure(problem, both).peak <= 300


@pytest.mark.parametrize(
    ("name", "pass_name", "tiles", "missing"),
    [
        ("standard", "forward", {"cols": 3}, "rows, out_rows, out_cols"),
        ("standard", "backward", {"s_rows": 3}, "s_cols, dp_rows"),
        ("square-tile", "backward", {"s_rows": 3}, "s_cols, dp_rows"),
        ("flash-2", "forward", {"cols": 3}, "rows"),
        ("flash-2", "backward", {"rows": 3}, "cols"),
        ("split", "backward", {"rows": 3}, "cols"),
        ("p-first", "backward", {"rows": 3}, "cols, dk_rows, dk_cols, dq_rows, dq_cols"),
        ("small-cache", "forward", {}, "side"),
    ],
)
def test_a_missing_size_is_named(name: str, pass_name: str, tiles: Tiles, missing: str) -> None:
    problem = Problem.square(8, 3, pass_name=pass_name)
    with pytest.raises(InvalidInput, match=f"{name}: give a size for {missing}"):
        get(name, pass_name).program(problem, tiles)


def test_sizes_that_may_be_left_out() -> None:
    assert get("flash-2").check_tiles({"rows": 3}) == {"rows": 3}
    assert get("flash-2-pinned").check_tiles({"rows": 3}) == {"rows": 3}
    problem = Problem.square(8, 3)
    zero, none = ({"rows": 3, "pinned": 0}, {"rows": 3})
    assert get("flash-2-pinned").program(problem, zero) == get("flash-2-pinned").program(problem, none)
