"""Names of tile sizes: those of papers and kernels stand for a schedule's own, and for nothing else."""

from __future__ import annotations

import pytest

from pebble import InvalidInput, Problem, count, show
from pebble.program.schedule import get
from pebble.program.schedule.tile_names import known_names, plain_names


def test_other_names_stand_for_rows_and_cols() -> None:
    assert plain_names({"Bc": 2, "Br": 1}, ("rows", "cols")) == {"cols": 2, "rows": 1}
    assert plain_names({"BLOCK_M": 1}, ("rows",)) == {"rows": 1}
    assert plain_names({"Br": 1, "x": 2}, ("Br", "rows")) == {"Br": 1, "x": 2}, (
        "a schedule's own name comes first"
    )
    assert plain_names({"Br": 1}, ("side",)) == {"Br": 1}, "a schedule without rows does not take it"
    assert known_names(("side", "cols")) == "side, cols (Bc or BLOCK_N is cols)"


def test_every_function_that_takes_tiles_takes_them_by_these_names() -> None:
    problem, plain, other = Problem.square(12, 2), {"rows": 4, "cols": 3}, {"BLOCK_M": 4, "Bc": 3}
    schedule = get("flash-2")
    assert schedule.program(problem, other) == schedule.program(problem, plain)
    assert count(problem, 90, ["flash-2"], other) == count(problem, 90, ["flash-2"], plain)
    assert str(show("flash-2", problem, 90, other)) == str(show("flash-2", problem, 90, plain))
    with pytest.raises(InvalidInput, match=r"small-cache has no tile size Br; it has side"):
        count(problem, 90, ["small-cache"], {"Br": 4})
