"""Regimes: the rows say what the counts say, devices with the same M share a row, and old cards are there."""

from __future__ import annotations

import json

import pytest

import pebble
from pebble import Problem
from pebble.lab.regimes import RegimeTable, regimes


@pytest.fixture(scope="module")
def small() -> RegimeTable:
    return regimes(["gtx1060", "h100", "h200"], [64], N=32)


def test_rows_say_what_the_counts_say(small: RegimeTable) -> None:
    for row in small.rows:
        assert pebble.device(row.devices[0]).words("bfloat16") == row.M
        problem = Problem.square(32, row.problem.d, pass_name=row.problem.pass_name)
        assert row.problem == problem
        report = pebble.count(problem, row.M, ["flash-2", "best"])
        assert row.best.io == report["best"].io
        assert row.against_best("flash-2") == report["flash-2"].io / report["best"].io  # type: ignore[operator]
        assert row.best.ratio == report["best"].ratio
        assert row.best.ratio is not None
        assert row.best.ratio >= 1
        assert row.mu == row.M / problem.d**2
        assert row.regime == ("large cache" if problem.d**2 <= row.M else "small cache")


def test_schedules_that_do_not_fit_leave_a_gap() -> None:
    table = regimes("gtx1060", 8192, dtype="float64", passes="backward", N=64)
    (row,) = table.rows
    assert row.against_best("flash-2") is None
    assert row.best.fits
    assert "–" in str(table)
    json.dumps(table.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_under_a_mask_the_rows_are_the_counts_under_it() -> None:
    table = regimes("gtx1060", 16, model="gpt2", dtype="float32", N=5, mask="window:3", empty_rows="error")
    assert table.mask == table.to_dict()["mask"] == "window:3"
    assert "; window:3 mask\n" in str(table)
    assert [row.model for row in table.rows] == [None, None, "gpt2", "gpt2"]
    for row in table.rows:
        d = row.problem.d
        problem = Problem.square(5, d, mask="window:3", pass_name=row.problem.pass_name)
        heads = row.problem.heads
        report = pebble.count(problem, row.M, ["flash-2", "best"])
        assert (row.best.io, row.report["flash-2"].io) == tuple(
            (report[name].io or 0) * heads for name in ("best", "flash-2")
        )
        assert row.best.ratio == report["best"].ratio
        assert row.best.chosen == report["best"].chosen
        data = row.to_dict()
        assert data["problem"]["mask"] == "window:3"
        assert data["dividing_point"] == d * d
        assert data["sparse_dividing_point"] == report.bounds.sparse_dividing_point
