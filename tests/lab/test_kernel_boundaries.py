"""A kernel on a device: what it holds and moves, held to numbers derived by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pebble import Problem
from pebble.common.errors import InvalidInput
from pebble.computations.registry import family_of
from pebble.lab.plan import Constraints, kernel_boundaries, kernel_tiles
from pebble.lab.plan.kernel_boundaries import _of_a_warp
from pebble.program.counting.run import run

KIB, GIB = 2**10, 2**30
ONE_LAYER = Problem.square(16384, 128, heads=32, kv_heads=8, batch=4)
HOW: dict[str, Any] = {"accumulate": "float32", "stages": 2, "warps": 2}


@pytest.mark.parametrize(("Bc", "registers", "shared"), [(128, 140.5, 160), (176, 167.5, 208)])
def test_flashattention_3_fits_and_reads_from_dram_once(Bc: int, registers: float, shared: int) -> None:
    """By docs/count-my-kernel.md."""
    found = kernel_boundaries(ONE_LAYER, {"Br": 128, "Bc": Bc}, "h100", **HOW)
    (row,), size = found.rows, 2
    regs, smem, l2 = row.boundaries
    assert row.fits
    assert (found.how["blocks"], found.flops) == (132, 4 * 4 * 32 * 16384**2 * 128)
    # S and U in float32, a slice of 16 words of Q and K, row sums; an element while a chain moves on.
    assert regs.peak == 2 * (2 * 64 * (Bc + 128 + 1) + 16 * (64 + Bc) + 2)
    assert regs.peak * size == pytest.approx(registers * KIB, abs=KIB)
    assert smem.peak * size == (128 * 128 + 2 * Bc * 256) * size == shared * KIB
    queries, keys = 4 * 32 * 16384 * 128, 16384 * 256
    assert l2.io * size == (2 * queries + 4 * 8 * keys) * size == 1.25 * GIB
    assert smem.io * size == (2 * queries + 4 * 32 * 128 * keys) * size == 129 * GIB
    assert regs.io == queries + queries * -(-16384 // Bc) + 4 * 32 * 256 * keys
    assert (l2.ratio, found.seconds(l2), found.seconds(smem)) == (1, l2.io * size / 3.35e12, None)
    assert found.compute_seconds == pytest.approx(17.8e-3, rel=0.01)
    assert "the kernel at least 17.8 ms" in str(found)
    assert found.to_dict()["counters"] == [None, "lts__t_bytes.sum", "dram__bytes.sum"]
    assert found.to_dict()["schedules"][0]["bytes"] == [one.io * size for one in row.boundaries]


def test_blocks_of_a_cluster_read_keys_once() -> None:
    alone, pairs = (
        kernel_boundaries(ONE_LAYER, {"Br": 128, "Bc": 176}, "h100", cluster=number, **HOW).rows[0].boundaries
        for number in (1, 2)
    )
    assert pairs[1].io * 2 == 65 * GIB
    assert (pairs[0], pairs[1].peak, pairs[2]) == (alone[0], alone[1].peak, alone[2])


def test_blocks_in_flight_share_keys_that_l2_cannot_keep() -> None:
    long = Problem.square(2**18, 128)
    for blocks in (64, 132):
        found = kernel_boundaries(long, {"Br": 128, "Bc": 128}, "h100", blocks=blocks, **HOW)
        dram = found.rows[0].boundaries[2]
        assert dram.peak == 128 * 256
        assert dram.io == 2 * 2**18 * 128 + -(-(2**18) // (blocks * 128)) * 2**18 * 256
        assert dram.ratio >= 1


def test_what_does_not_fit_says_where() -> None:
    found = kernel_boundaries(ONE_LAYER, {"Br": 128, "Bc": 176}, "h100", stages=3)
    assert not found.rows[0].fits
    assert "it does not fit: regs" in str(found)
    assert "smem 296 KiB of 227 KiB" in str(found)
    assert not found.to_dict()["schedules"][0]["fits"]


@pytest.mark.parametrize("mask", [None, "causal"])
def test_counts_are_those_of_programs_that_are_executed(mask: str | None) -> None:
    small = Problem.square(24, 20, heads=2, batch=3, mask=mask)
    found = kernel_boundaries(small, {"Br": 8, "Bc": 5}, "a100", warps=2)
    executed = run(_of_a_warp(4, 5), family_of(small), induction=False)
    (row,) = found.rows
    assert (row.boundaries[0].io, row.boundaries[0].peak) == (executed.io * 6, 2 * executed.peak)
    assert all(one.ratio >= 1 for one in row.boundaries)


def test_a_thread_has_255_registers() -> None:
    """One warpgroup, 128 threads, would hold 162 KiB, 4 bytes a register; two hold 168 KiB."""
    tiles = {"Br": 128, "Bc": 176}
    alone, together = (
        kernel_boundaries(ONE_LAYER, tiles, "h100", accumulate="float32", stages=2, warps=warps)
        for warps in (1, 2)
    )
    assert [alone.registers, together.registers] == [325, 168]
    assert [alone.fits, together.fits] == [False, True]
    assert "325 of 255 registers a thread" in alone.heading()
    assert alone.rows[0].fits
    assert kernel_boundaries(ONE_LAYER, tiles, "mi300x").registers is None


@pytest.mark.parametrize("least", [{}, {"cols": 128}, {"rows": 64, "cols": 176}])
def test_the_tiles_that_fit_in_registers_and_shared_memory(least: dict[str, int]) -> None:
    """The next larger ones do not fit, whichever of the two limits it is."""
    asked = Constraints(multiple_of=16, at_least=least, accumulate="float32")
    found = kernel_tiles(ONE_LAYER, "h100", constraints=asked, stages=2, warps=2)

    def fits(rows: int, cols: int) -> bool:
        tiles = {"rows": rows, "cols": cols}
        return kernel_boundaries(ONE_LAYER, tiles, "h100", accumulate="float32", stages=2, warps=2).fits

    rows, cols = found["rows"], found["cols"]
    assert rows % 32 == cols % 16 == 0
    assert fits(rows, cols)
    assert not fits(rows, cols + 16)
    assert not fits(rows + 32, least.get("cols", 16))


def test_no_tiles_fit() -> None:
    with pytest.raises(InvalidInput, match="no tiles with these constraints"):
        kernel_tiles(ONE_LAYER, "h100", constraints=Constraints(at_least={"rows": 512, "cols": 512}))
