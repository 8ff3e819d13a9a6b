"""Schedules side by side: the numbers are those of single counts."""

from __future__ import annotations

import pytest

import pebble
from pebble.common.errors import InvalidInput

SQUARE = pebble.Problem.square(128, 8)
BACKWARD = pebble.Problem(128, 128, 8, 8, pass_name="backward")


def test_every_cell_is_a_count() -> None:
    found = pebble.compare([SQUARE, BACKWARD], [30, 500], ["flash-2", "naive"])
    assert len(found.records()) == 8
    for row in found.records():
        problem = SQUARE if row["pass"] == "forward" else BACKWARD
        one = pebble.count(problem, row["M"], [row["schedule"]])
        assert (row["io"], row["ratio"]) == (one[row["schedule"]].io, one[row["schedule"]].ratio)
        assert (row["bound_name"], row["bound_value"]) == one.best_bound
        assert one[row["schedule"]].io is None or f"{row['io']:,}" in str(found)
    assert "–" in str(found), "flash-2 backward does not fit 30 words"


def test_what_is_shown_can_be_chosen() -> None:
    found = pebble.compare(SQUARE, 500, "flash-2", show="ratio")
    assert f"{found.records()[0]['ratio']:.3f}" in str(found)
    assert found.to_latex().count("\\\\") == 2
    assert found.to_dict()["rows"] == found.records()
    with pytest.raises(InvalidInput, match="cannot show 'IO'; it can show io, ratio"):
        pebble.compare(SQUARE, 500, show="IO")
