"""Sums added in slow memory: counts, and the moves of every schedule played by the elementary game."""

from __future__ import annotations

import io
import itertools
import random

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.game.files.processor_files import ProcessorCheck
from pebble.lab.count import count, run
from pebble.lab.pebblings import check, moves
from pebble.lower_bounds.table import bounds
from pebble.program import Node, Program, compute, delete, load, phase, program, store
from pebble.program.schedule import registered

MASKS = (None, "causal", "window:3", "document:2,3,1", "prefix:2")


def backward(sizes: tuple[int, int, int, int], mask: str | None = None, sums: str = "accumulate") -> Problem:
    made = None if mask is None else make_mask(mask, *sizes[:2])
    return Problem(*sizes, pass_name="backward", mask=made, sums=sums)


@pytest.mark.parametrize("mask", MASKS)
def test_the_game_accepts_every_schedule_and_counts_the_same(mask: str | None) -> None:
    rng, played = random.Random(mask or ""), 0
    for schedule in registered("backward", "plain"):
        sizes = (6, 6, 2, 2) if mask else (rng.randint(2, 5), rng.randint(2, 5), 2, rng.randint(1, 3))
        problem = backward(sizes, mask)
        M = rng.randint(24, 60)
        try:
            pebbling = moves(schedule, problem, M)
        except (CacheTooSmall, InvalidInput):
            continue
        text = io.StringIO()
        pebbling.write(text)
        found = check(io.StringIO(text.getvalue()))
        assert isinstance(found, ProcessorCheck)
        assert found.complete, (schedule.name, str(found))
        assert (found.reads + found.writes, found.tally.devices[0].peak <= M) == (pebbling.io, True), (
            schedule.name
        )
        least = max(one.value for one in bounds(problem, M).proved)
        assert least <= pebbling.io, schedule.name
        played += 1
    assert played > 5


@pytest.mark.parametrize("mask", MASKS)
def test_only_the_loads_of_partial_sums_are_saved(mask: str | None) -> None:
    for schedule in registered("backward", "plain"):
        problem, chains = (backward((6, 6, 2, 2), mask, sums) for sums in ("accumulate", "chain"))
        try:
            tiles = schedule.tiles(problem, 40)
        except (CacheTooSmall, InvalidInput):
            continue
        less, more = (schedule.measure(one, tiles) for one in (problem, chains))
        read = {"dQ": 0, "dK": 0, "dV": 0}
        assert less.reads == more.reads | read
        assert (less.writes, less.peak, less.computes) == (more.writes, more.peak, more.computes)


def test_large_sizes_have_the_closed_forms() -> None:
    """Keys stay: Nq(2dv + 1) + 2Nk·D + ⌈Nk/c⌉·Nq(2d + dv + 2) with D = d + dv, less what the first sweep has."""
    Nq, Nk, d, dv = 3000, 2000, 16, 24
    for M in (300, 1000, 5000):
        c = (M - (2 * d + dv) - 5) // (2 * (d + dv))
        row = count(backward((Nq, Nk, d, dv)), M, ["keys-pinned"], {"cols": c, "pinned": 0})["keys-pinned"]
        assert row.io == Nq * (2 * dv + 1) + 2 * Nk * (d + dv) + -(-Nk // c) * Nq * (
            2 * d + dv + 2
        ) - _merged(Nq, dv)
        assert row.fits
    large = backward((32_768, 32_768, 128, 128))
    kernel = count(large, 116_224, ["flash-2"])["flash-2"]
    assert (kernel.io, kernel.tiles) == (1_859_223_552, {"cols": 226})
    assert bounds(large, 116_224).best.value == 1_744_241_153


def _merged(Nq: int, dv: int) -> int:
    """Words saved where D is made in the first sweep, which has dO there already."""
    return Nq * dv + Nq


def test_terms_that_are_computed_twice_are_refused() -> None:
    def text(*again: Node) -> Program:
        inputs = load("Q", "K", "V", "dO", "O", "l")
        made = [compute(name) for name in ("D", "S", "P", "dV", "dP", "dS", "dK", "dQ")]
        return program(phase("", inputs, *made, *again, store("dQ", "dK", "dV")))

    twice = text(*delete("dQ"), compute("dQ"))
    for sums in ("chain", "accumulate"):
        assert run(text(), backward((1, 1, 1, 1), sums=sums)).io == 9
    assert run(twice, backward((1, 1, 1, 1), sums="chain")).recomputed == 1
    with pytest.raises(Violation, match="dQ are computed more than once"):
        run(twice, backward((1, 1, 1, 1)))


def test_it_is_for_the_backward_pass() -> None:
    with pytest.raises(InvalidInput, match="backward"):
        Problem.square(8, 2, sums="accumulate")
    for bound, M in itertools.product(("B4", "D backward"), (100, 10**5)):
        assert bound not in {one.name for one in bounds(backward((512, 512, 16, 16)), M).proved}
