"""Counting at every boundary: the figures, the bounds, and what is printed."""

from __future__ import annotations

import pytest

import pebble
from pebble.common.errors import CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lab.hardware import device, model
from pebble.lab.level_counts import count_levels
from pebble.lab.level_pebblings import level_moves
from pebble.program import Hierarchy

PROBLEM, TILES = Problem.square(40, 3), {"rows": 12, "cols": 9, "block": 5}


def test_levels_that_are_too_small() -> None:
    report = count_levels(PROBLEM, Hierarchy((42, 140)), tiles=TILES)
    assert not report.rows[0].fits
    assert report.rows[0].to_dict()["boundaries"] == []
    assert "needs 43 and 140 words" in report.why_nothing_fits()
    assert "does not fit" in str(report)
    tiny = count_levels(PROBLEM, Hierarchy((5, 9)))
    assert tiny.rows[0].least == (15, 15)
    with pytest.raises(CacheTooSmall, match="needs 43 words in level 1"):
        level_moves("nested-flash-2", PROBLEM, Hierarchy((42, 140)), TILES)


def test_copies_multiply_counts_and_bounds() -> None:
    one = count_levels(PROBLEM, Hierarchy((60, 200)))["nested-flash-2"]
    many = count_levels(Problem.square(40, 3, heads=2, batch=3), Hierarchy((60, 200)))["nested-flash-2"]
    for alone, together in zip(one.boundaries, many.boundaries, strict=True):
        assert (together.io, together.bound) == (6 * alone.io, 6 * alone.bound)
        assert together.peak == alone.peak


def test_exclusive_levels_are_compared_with_the_sum() -> None:
    report = count_levels(PROBLEM, Hierarchy((60, 200), inclusive=False))
    assert [bound.value for bound in report.bounds] == [
        pebble.bounds(PROBLEM, words).best.value for words in (60, 260)
    ]


def test_a_layer_on_a_device() -> None:
    """The figures of docs/hardware.md: registers and shared memory of an H100, a Llama-3-8B layer of 65,536 tokens."""
    h100, problem = device("h100"), model("llama3-8b").problem(65_536)
    names = ("regs", "smem")
    report = count_levels(
        problem, h100.hierarchy(names, "bf16"), bandwidths=h100.bandwidths(names), bytes_per_word=2
    )
    inner, outer = report["nested-flash-2"].boundaries
    assert (inner.capacity, outer.capacity) == (131_072, 116_224)
    assert inner.io == outer.io == 69_793_218_560
    assert (round(inner.ratio, 3), round(outer.ratio, 3)) == (1.016, 1.916)
    assert report.seconds(inner) == pytest.approx(inner.io * 2 / (132 * 128 * 1.83e9))
    assert report.seconds(outer) is None
    assert report.slowest(report.rows[0]) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "moved", "ratios"),
    [("forward", 35_298_469_888, (1.027, 1.938)), ("backward", 139_594_850_368, (1.403, 2.555))],
)
def test_a_causal_layer_on_a_device(which: str, moved: int, ratios: tuple[float, float]) -> None:
    """The same layer under the causal mask, query heads that share keys taken together."""
    problem = model("llama3-8b").problem(65_536, pass_name=which, mask="causal")
    h100, names = device("h100"), ("regs", "smem")
    rates = h100.bandwidths(names)
    report = count_levels(problem, h100.hierarchy(names, "bf16"), bandwidths=rates, bytes_per_word=2)
    inner, outer = report["nested-flash-2"].boundaries
    assert inner.io == outer.io == moved
    assert (round(inner.ratio, 3), round(outer.ratio, 3)) == ratios


def test_known_bandwidths_decide_the_tiles() -> None:
    """The slowest boundary is made as fast as can be: where the inner one is slow, it gets the fewer words."""
    problem, hierarchy = Problem.square(2000, 16), Hierarchy((2000, 30_000))
    slow_inner, slow_outer = (
        count_levels(problem, hierarchy, bandwidths=rates, bytes_per_word=2).rows[0].boundaries
        for rates in ((1e9, 1e12), (1e12, 1e9))
    )
    assert slow_inner[0].io < slow_outer[0].io
    assert slow_inner[1].io > slow_outer[1].io
