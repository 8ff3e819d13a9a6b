"""The tiles that FlashAttention ships: they fit by our count, and move more than planned ones."""

from __future__ import annotations

from typing import Any

import pytest

import pebble
from pebble import Problem
from pebble.lab.plan import Constraints, plan
from pebble.program.schedule import get
from tests.lab.plans import room_of

SHIPPED = {
    # Dao-AILab/flash-attention, csrc/flash_attn/src/flash_fwd_launch_template.h and hopper/tile_size.h:
    # 16-bit inputs, no dropout, not causal. (version, device, d): (rows, cols, bytes of Q, K and V stated there,
    # rows that would fit beside as many keys, how many times fewer words these move)
    ("2", "a100", 64): (128, 128, None, 432, 3.25),
    ("2", "a100", 128): (128, 64, None, 384, 2.83),
    ("2", "a100", 256): (128, 64, 128 * 1024, 192, 1.48),
    ("2", "h100", 256): (64, 64, 96 * 1024, 224, 3.39),
    ("3", "h100", 64): (192, 192, None, 336, 1.69),
    ("3", "h100", 128): (128, 176, None, 208, 1.59),
    ("3", "h100", 256): (128, 80, None, 176, 1.35),
}


@pytest.mark.many(2)
@pytest.mark.parametrize(("version", "name", "d"), list(SHIPPED))
def test_shipped_tiles_fit_and_move_more_than_planned_ones(version: str, name: str, d: int) -> None:
    """They fit by our count of room; within the same limits fewer words could be moved, by this much."""
    rows, cols, stated, taller, less = SHIPPED[version, name, d]
    problem = Problem.square(8192, d)
    tiles = {"rows": rows, "cols": cols}
    double = version == "3"
    constraints = Constraints(multiple_of=16, double_buffer=double, accumulate="float32")
    need = room_of("flash-2", problem, tiles, constraints, "bf16")
    device = pebble.device(name)
    assert 2 * need.words <= device.fast_bytes("smem+regs")
    measured = get("flash-2").measure(problem, tiles)
    operands = 2 * (sum(measured.peak_words[array] for array in "QKV") + need.buffers)
    assert operands <= device.fast_bytes("smem")
    if stated is not None:
        assert operands == stated
    if version == "3" and d == 256:
        more = 2 * (measured.peak_words["Q"] + 2 * (cols + 16) * 2 * d)
        assert more > device.fast_bytes("smem"), "the source says that these tiles hit the limit"
    found: Any = plan(
        problem,
        device=device,
        level="smem+regs",
        multiple_of=16,
        double_buffer=double,
        accumulate="float32",
        at_least={"cols": cols},
        schedules=["flash-2"],
        costs=False,
    )
    assert found.best.form == "whole tiles"
    assert (found.best.tiles["rows"], round(measured.io / found.best.io, 2)) == (taller, less)


BACKWARD_SHIPPED = {
    # The same repository, csrc/flash_attn/src/flash_bwd_launch_template.h and hopper/flash_bwd_launch_template.h;
    # (version, device, d): (rows, cols, whether loads are double-buffered, times fewer words that could be moved)
    ("2", "a100", 64): (128, 128, True, 1.23),
    ("2", "a100", 128): (64, 128, True, 1.12),
    ("2", "a100", 256): (64, 64, False, 1.24),
    ("3", "h100", 64): (128, 128, True, 1.47),
    ("3", "h100", 128): (80, 128, True, 1.12),
    ("3", "h100", 256): (64, 80, False, 1.19),
}


@pytest.mark.many(2)
@pytest.mark.parametrize(("version", "name", "d"), list(BACKWARD_SHIPPED))
def test_shipped_backward_tiles(version: str, name: str, d: int) -> None:
    rows, cols, double, less = BACKWARD_SHIPPED[version, name, d]
    problem = Problem.square(8192, d, pass_name="backward")
    asked: dict[str, Any] = {"multiple_of": 16, "double_buffer": double, "accumulate": "float32"}
    need = room_of("flash-2", problem, {"rows": rows, "cols": cols}, Constraints(**asked), "bf16")
    assert 2 * need.words <= pebble.device(name).fast_bytes("smem+regs")
    found = plan(
        problem,
        device=name,
        level="smem+regs",
        at_least={"rows": rows},
        schedules=["flash-2"],
        costs=False,
        **asked,
    )
    measured = get("flash-2", "backward").measure(problem, {"rows": rows, "cols": cols})
    assert round(measured.io / found.best.io, 2) == less
