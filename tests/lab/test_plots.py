"""The numbers in pictures are verified counts; what makes no sense is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pebble
from pebble.common.errors import CacheTooSmall, InvalidInput
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


def test_the_crossover_is_marked_where_it_can_be_seen() -> None:
    texts = [text.get_text() for text in plots.io(PROBLEM, [20, 200], ["naive"]).texts]
    assert "M = d² = 36" in texts
    texts = [text.get_text() for text in plots.io(PROBLEM, [40, 200], ["naive"]).texts]
    assert not any(text.startswith("M = d²") for text in texts)


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


def test_gap_of_one_length_has_no_scale_of_lengths() -> None:
    ax = plots.draw_gap(plots.gaps(PROBLEM, MEMORIES))
    axis = ax.yaxis
    assert [label.get_text() for label in axis.get_ticklabels()] == [f"{PROBLEM.Nk / PROBLEM.d:g}"]
    assert [*axis.get_ticklocs(), *axis.get_minorticklocs()] == [PROBLEM.Nk / PROBLEM.d]


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


def test_roofline_says_what_is_computed_again() -> None:
    problem = Problem.square(256, 64)
    backward = replace(problem, pass_name="backward")
    found = plots.roofline_points(backward, "a100", schedules=["split"])
    assert found.points[0].repeated == pytest.approx(7 / 5)
    labels = lines_of(plots.draw_roofline(found))
    assert any("arithmetic × 1.40" in label.replace("\n", " ") for label in labels)


# Errors


def test_what_to_draw_must_make_sense() -> None:
    with pytest.raises(InvalidInput, match="no size of fast memory"):
        plots.io(PROBLEM, [])
    with pytest.raises(InvalidInput, match="no problem"):
        plots.io([], 60)
    with pytest.raises(InvalidInput, match="not both"):
        plots.io([PROBLEM, Problem.square(12, 6)], [40, 60])
    with pytest.raises(InvalidInput, match="only in their length"):
        plots.gap([PROBLEM, Problem.square(12, 4)], [40, 60])
    with pytest.raises(InvalidInput, match="positive whole number"):
        plots.io(PROBLEM, [40, 0])
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plots.arrays(PROBLEM, 2)
    with pytest.raises(InvalidInput, match="nothing to draw"):
        plots.io(PROBLEM, [2, 3])
    with pytest.raises(InvalidInput, match="separately"):
        plots.roofline(replace(PROBLEM, pass_name="both"), "h100")
    with pytest.raises(InvalidInput, match="no roofline"):
        plots.roofline(PROBLEM, "zen4")
    with pytest.raises(CacheTooSmall):
        plots.occupancy("flash-2", PROBLEM, 3)
