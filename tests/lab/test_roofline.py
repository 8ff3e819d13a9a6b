"""Bytes, FLOP and time of a plan."""

from __future__ import annotations

import pytest

import pebble
from pebble import Problem
from pebble.lab.plan import plan
from pebble.lab.plan.roofline import flops, moved_bytes, roofline_of
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
    line = roofline_of(h100, "bf16", 3_350_000_000, 989_400_000_000)
    assert line.memory_seconds == pytest.approx(1e-3)
    assert line.compute_seconds == line.seconds == pytest.approx(1e-3)
    assert roofline_of(h100, "bf16", 3_350_000_000_000, 1).limit == "memory"
    assert roofline_of(h100, "bf16", 1, 10**15).limit == "arithmetic"
    assert roofline_of(None, "bf16", 1, 1).seconds is None
    assert roofline_of(pebble.device("apple-m4-max"), "bf16", 546_000_000_000, 1).memory_seconds == 1
    assert roofline_of(pebble.device("apple-m4-max"), "bf16", 1, 1).seconds is None


def test_heads_multiply_words_and_time_but_not_room() -> None:
    one = plan(Problem.square(512, 64), device="a100", multiple_of=16).best
    many = plan(Problem(512, 512, 64, 64, heads=3, batch=2), device="a100", multiple_of=16).best
    assert (many.tiles, many.room) == (one.tiles, one.room)
    assert (many.io, many.moved, many.flops) == (6 * one.io, 6 * one.moved, 6 * one.flops)
    assert many.ratio == pytest.approx(one.ratio)
    assert many.intensity == pytest.approx(one.intensity)
