"""Bytes, FLOP and time of a plan."""

from __future__ import annotations

from typing import Any

import pytest

import pebble
from pebble import Problem
from pebble.lab.plan import plan
from pebble.lab.plan.roofline import moved_bytes, roofline_of
from pebble.lab.work import flops
from pebble.program.schedule import get
from tests.lab.plans import BACKWARD, FORWARD


def test_flops_are_two_for_each_multiply_add() -> None:
    problem = Problem(100, 200, 16, 24)
    assert flops(get("flash-2").measure(problem, {"rows": 10})) == 2 * 100 * 200 * (16 + 24)
    problem = Problem(100, 200, 16, 24, pass_name="backward")
    five = 2 * 100 * 200 * (3 * 16 + 2 * 24)
    assert flops(get("flash-2", "backward").measure(problem, {"cols": 10})) == five
    tiles = get("split", "backward").tiles(problem, 2000)
    again = flops(get("split", "backward").measure(problem, tiles)) - five
    assert again == 2 * 100 * 200 * (16 + 24)


def test_bytes() -> None:
    Nd = 2048 * 64
    flash2 = get("flash-2").measure(FORWARD, {"rows": 128, "cols": 64})
    assert moved_bytes(flash2, "bf16", "float32") == moved_bytes(flash2, "bf16", None) == 2 * flash2.io
    flash1 = get("flash-1").measure(FORWARD, {"rows": 128, "cols": 512})
    partial = 2 * 3 * (Nd + 2048)
    assert moved_bytes(flash1, "bf16", None) == 2 * flash1.io
    assert moved_bytes(flash1, "bf16", "float32") == 2 * (flash1.io + partial)
    back = get("flash-2", "backward").measure(BACKWARD, {"rows": 128, "cols": 512})
    wide = back.reads["dQ"] + back.writes["dQ"] + back.reads["l"] + back.reads["D"] + back.writes["D"]
    assert moved_bytes(back, "bf16", "float32") == 2 * (back.io + wide)


def test_roofline() -> None:
    h100 = pebble.device("h100")
    dram, l2 = h100.boundary("l2"), h100.boundary("smem")
    line = roofline_of(h100, "bf16", 3_350_000_000, 989_400_000_000, dram)
    assert line.memory_seconds == pytest.approx(1e-3)
    assert line.compute_seconds == line.seconds == pytest.approx(1e-3)
    assert roofline_of(h100, "bf16", 3_350_000_000_000, 1, dram).limit == "memory"
    assert roofline_of(h100, "bf16", 1, 10**15, dram).limit == "arithmetic"
    assert roofline_of(h100, "bf16", 1, 1, l2).memory_seconds is None
    assert roofline_of(h100, "bf16", 1, 1, l2).boundary == "L2–shared memory"


@pytest.mark.parametrize(
    ("name", "level", "boundary", "bandwidth"),
    [
        ("h100", "l2", "DRAM–L2", 3_350_000_000_000),
        ("h100", "smem", "L2–shared memory", None),
        ("h100", "regs", "shared memory–registers", 30_919_680_000_000),
        ("a100", "smem+regs", "L2–shared memory", 7_219_200_000_000),
        ("h200", "smem", "L2–shared memory", None),
        ("mi300x", "l2", "last-level cache–L2", None),
        ("tpu-v5p", "smem", "DRAM–shared memory", 2_765_000_000_000),
        ("apple-m4-max", "smem", "cache–shared memory", None),
        ("zen4", "l2", "L3–L2", None),
    ],
)
def test_a_level_has_the_bandwidth_of_its_own_boundary(
    name: str, level: str, boundary: str, bandwidth: int | None
) -> None:
    found = pebble.device(name).boundary(level)
    assert (found.name, found.bandwidth) == (boundary, bandwidth)
    if level in ("regs", "smem", "l2"):
        assert pebble.device(name).bandwidths([level]) == (bandwidth,)


def test_a_bandwidth_can_be_given() -> None:
    given = pebble.device("h100").with_bandwidths({"smem": 5.5e12})
    assert given.boundary("smem+regs").seconds(5_500_000_000) == pytest.approx(1e-3)
    assert given.bandwidths(("regs", "smem", "l2"))[2] == pebble.device("h100").bandwidth
    for wrong in ({"l3": 1.0}, {"smem": 0.0}, {"smem": float("nan")}):
        with pytest.raises(pebble.InvalidInput, match="the rate positive"):
            given.with_bandwidths(wrong)


def test_bytes_that_a_plan_counts_are_divided_by_the_bandwidth_they_cross() -> None:
    problem = Problem.square(4096, 128)
    found: dict[str, Any] = {
        level: plan(problem, device="h100", level=level, schedules=["naive"], costs=False).best.roofline
        for level in ("smem", "l2")
    }
    assert {one.boundary for one in found.values()} == {"L2–shared memory"}
    assert {one.memory_seconds for one in found.values()} == {None}
    whole: Any = plan(problem, device="h100", level="l2", schedules=["flash-2"], costs=False).best
    assert (whole.ratio, whole.roofline.boundary) == (1, "DRAM–L2")
    assert whole.roofline.memory_seconds == whole.moved / 3.35e12
