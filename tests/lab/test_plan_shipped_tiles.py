"""The tiles that FlashAttention ships: they fit by our count, and move more than planned ones."""

from __future__ import annotations

from typing import Any

import pytest

import pebble
from pebble import Problem
from pebble.lab.plan import Constraints, plan
from pebble.program.schedule import get
from tests.lab.plans import room_of

SHIPPED = [
    # Dao-AILab/flash-attention, csrc/flash_attn/src/flash_{fwd,bwd}_launch_template.h, hopper/tile_size.h and
    # hopper/flash_bwd_launch_template.h: 16-bit inputs, no dropout, not causal. (pass, device, d, rows, cols, whether
    # loads are double-buffered, bytes of Q, K and V stated there, how many times fewer words could be moved)
    ("forward", "a100", 64, 128, 128, False, None, 3.25),
    ("forward", "a100", 128, 128, 64, False, None, 2.83),
    ("forward", "a100", 256, 128, 64, False, 128 * 1024, 1.48),
    ("forward", "h100", 256, 64, 64, False, 96 * 1024, 3.39),
    ("forward", "h100", 64, 192, 192, True, None, 1.69),
    ("forward", "h100", 128, 128, 176, True, None, 1.59),
    ("forward", "h100", 256, 128, 80, True, None, 1.35),
    ("backward", "a100", 64, 128, 128, True, None, 1.23),
    ("backward", "a100", 128, 64, 128, True, None, 1.12),
    ("backward", "a100", 256, 64, 64, False, None, 1.24),
    ("backward", "h100", 64, 128, 128, True, None, 1.47),
    ("backward", "h100", 128, 80, 128, True, None, 1.12),
    ("backward", "h100", 256, 64, 80, False, None, 1.19),
]


@pytest.mark.many(3)
@pytest.mark.parametrize(("pass_name", "name", "d", "rows", "cols", "double", "stated", "less"), SHIPPED)
def test_shipped_tiles_fit_and_move_more_than_planned_ones(
    pass_name: str, name: str, d: int, rows: int, cols: int, double: bool, stated: int | None, less: float
) -> None:
    """They fit by our count of room; within the same limits fewer words could be moved, by this much."""
    problem, tiles = Problem.square(8192, d, pass_name=pass_name), {"rows": rows, "cols": cols}
    asked: dict[str, Any] = {"multiple_of": 16, "double_buffer": double, "accumulate": "float32"}
    need, device = room_of("flash-2", problem, tiles, Constraints(**asked), "bf16"), pebble.device(name)
    assert 2 * need.words <= device.fast_bytes("smem+regs")
    measured = get("flash-2", pass_name).measure(problem, tiles)
    operands = 2 * (sum(measured.peak_words.get(array, 0) for array in "QKV") + need.buffers)
    if pass_name == "forward":
        assert operands <= device.fast_bytes("smem")
        assert stated in (None, operands)
    asked |= {"at_least": {"cols": cols} if pass_name == "forward" else {"rows": rows}}
    found: Any = plan(problem, device=name, level="smem+regs", schedules=["flash-2"], costs=False, **asked)
    assert round(measured.io / found.best.io, 2) == less
