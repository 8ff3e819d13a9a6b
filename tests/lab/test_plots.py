"""The numbers in pictures are verified counts; what makes no sense is refused."""

from __future__ import annotations

import numpy as np
import pytest

import pebble
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.lab import plots
from pebble.lower_bounds import proved_bounds
from tests.lab.pictures import MEMORIES, PROBLEM, lines_of

pytest.importorskip("matplotlib")


def test_io_against_length_draws_the_counts() -> None:
    problems = [Problem.square(N, 6) for N in (64, 16, 32)]
    ax = plots.io(problems, 60, ["flash-2", "naive"])
    for name in ("flash-2", "naive"):
        x, y = lines_of(ax)[name].get_data()
        assert list(x) == [16, 32, 64]
        assert list(y) == [pebble.count(Problem.square(N, 6), 60, [name])[name].io for N in (16, 32, 64)]
    assert "N = " not in ax.get_title(loc="left")
    assert ax.get_xlabel() == "queries and keys, N"


@pytest.mark.slow
def test_every_picture_of_a_masked_problem_has_the_counts_under_the_mask() -> None:
    problem = Problem.square(24, 6, mask="window:5")
    report = pebble.count(problem, 100, ["flash-2", "best"])
    bars = plots.array_bars(problem, 100, ["flash-2", "best"])
    assert [row.io for row in bars.rows] == [row.io for row in report.rows]
    assert plots.gaps(problem, 100).ratios == ((report["best"].ratio,),)
    M = pebble.device("a100").words("bfloat16")
    points = plots.roofline_points(problem, "a100", schedules=["flash-2"])
    assert points.points[0].io == pebble.count(problem, M, ["flash-2"])["flash-2"].io
    assert points.points[0].flops == 2 * problem.pairs * (6 + 6)
    for numbers in (bars, points):
        assert numbers.to_dict()["problem"]["mask"] == "window:5"


@pytest.mark.slow
def test_gap_is_the_best_schedule_over_the_best_bound() -> None:
    problems = [Problem.square(N, 6) for N in (12, 48)]
    found = plots.gaps(problems, MEMORIES)
    for row, problem in zip(found.ratios, problems, strict=True):
        for ratio, M in zip(row, MEMORIES, strict=True):
            io = pebble.count(problem, M, ["best"])["best"].io
            assert io is not None
            assert ratio == io / proved_bounds(problem, M)[0].value
            assert ratio >= 1
    ax = plots.draw_gap(found)
    (mesh,) = ax.collections
    assert np.allclose(np.asarray(mesh.get_array()).ravel(), np.array(found.ratios).ravel())
    texts = {text.get_text() for text in ax.texts}
    assert {f"{ratio:.2f}" for row in found.ratios for ratio in row if ratio is not None} <= texts
    low, high = ax.get_xlim()
    assert low < MEMORIES[0] / 36 < MEMORIES[-1] / 36 < high


def test_gap_where_nothing_fits_is_blank() -> None:
    found = plots.gaps(PROBLEM, [2, 200])
    assert found.ratios[0][0] is None
    assert found.best[0][0] is None
    assert "–" in {text.get_text() for text in plots.draw_gap(found).texts}
    with pytest.raises(InvalidInput, match="no schedule fits"):
        plots.gap(PROBLEM, [2])


def test_roofline_agrees_with_the_plan() -> None:
    problem = Problem.square(512, 64)
    found = plots.roofline_points(problem, "a100", "float16", schedules=["flash-2", "naive"])
    planned = pebble.plan(problem, device="a100", dtype="float16", schedules=["flash-2"], costs=False)
    own = next(choice for choice in planned.choices if choice.form == "native tiles")
    point = found.points[0]
    assert (point.io, point.moved, point.flops) == (own.io, own.moved, own.flops)
    assert point.intensity == own.intensity
    assert point.attainable == min(found.peak, point.intensity * found.bandwidth)
    assert point.repeated == 1
    for label, line in lines_of(plots.draw_roofline(found)).items():
        for one in found.points:
            if label.startswith(f"{one.schedule}:"):
                assert [value[0] for value in line.get_data()] == [one.intensity, one.attainable]


# Errors
