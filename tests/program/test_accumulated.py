"""Sums added in slow memory: counts, and the moves of every schedule played by the elementary game."""

from __future__ import annotations

import io
import itertools
import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.game.files.processor_files import ProcessorCheck
from pebble.lab.count import run
from pebble.lab.pebblings import check, moves
from pebble.lower_bounds.table import bounds
from pebble.program import Node, Program, compute, delete, load, loop, phase, program, resume, store
from pebble.program.numbers import evaluate
from pebble.program.schedule import get, registered

MASKS = (None, "causal", "window:3", "document:2,3,1", "prefix:2")


Sizes = tuple[int, int, int, int]


def asked(
    sizes: Sizes,
    mask: str | None = None,
    sums: str = "accumulate",
    pass_name: str = "backward",
    stats: bool = False,
) -> Problem:
    made = None if mask is None else make_mask(mask, *sizes[:2])
    return Problem(*sizes, pass_name=pass_name, mask=made, sums=sums, stats=stats)


backward, forward = asked, partial(asked, pass_name="forward")


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_the_game_accepts_every_schedule_and_counts_the_same(pass_name: str, mask: str | None) -> None:
    rng, played = random.Random(mask or ""), 0
    for schedule in registered(pass_name, "plain"):
        sizes = (6, 6, 2, 2) if mask else (rng.randint(2, 5), rng.randint(2, 5), 2, rng.randint(1, 3))
        problem = asked(sizes, mask, pass_name=pass_name, stats=pass_name == "forward" and rng.random() < 0.5)
        M = rng.randint(24, 60) if pass_name == "backward" else rng.randint(12, 40)
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
        inputs = random_inputs(problem, np.random.default_rng(1))
        outputs = evaluate(pebbling.program, pebbling.family, inputs)
        for name, right in reference_outputs(problem, inputs).items():
            assert outputs[name] == pytest.approx(right, nan_ok=True), (schedule.name, name)
        played += 1
    assert played > 5


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_only_the_loads_of_partial_sums_are_saved(pass_name: str, mask: str | None) -> None:
    for schedule in registered(pass_name, "plain"):
        problem, chains = (asked((6, 6, 2, 2), mask, sums, pass_name) for sums in ("accumulate", "chain"))
        try:
            tiles = schedule.tiles(problem, 40)
        except (CacheTooSmall, InvalidInput):
            continue
        less, more = (schedule.measure(one, tiles) for one in (problem, chains))
        assert less.reads == more.reads | {
            name: less.reads[name]
            for name in ("dQ", "dK", "dV", "U", "l")
            if name in schedule.family(problem).accumulated
        }
        assert less.proved
        assert less.io <= more.io
        if pass_name == "backward":
            assert (less.reads["dQ"], less.reads["dK"], less.reads["dV"]) == (0, 0, 0)
        assert (less.writes, less.peak, less.computes) == (more.writes, more.peak, more.computes)


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


def test_a_resumed_sum_is_not_read() -> None:
    tile, problem = get("p-tile", "forward"), forward((6, 6, 2, 2))
    text = tile.program(problem, {"tile_rows": 3, "tile_cols": 2})
    whole = tile.program(problem, {"tile_rows": 6, "tile_cols": 6})
    first, last = text.phases
    word = load("U"), compute("O", "U"), store("O"), delete("O")
    resumed = phase("", loop("i", 1, resume("l"), loop("e", 1, *word), delete("l")))
    assert run(text, problem).reads["l"] == 6
    for again in (resumed, replace(last, body=())):
        with pytest.raises(Violation, match=r"was resumed|not all of O"):
            run(replace(text, phases=(first, again)), problem)
    with pytest.raises(Violation, match="are computed more than once"):
        run(replace(text, phases=(whole.phases[0], *whole.phases)), problem)


def test_which_bounds_hold() -> None:
    for pass_name, M in itertools.product(("forward", "backward"), (100, 4096, 10**5)):
        for mask in (None, "causal"):
            problem = asked((512, 512, 64, 64), mask, pass_name=pass_name)
            names = {one.name for one in bounds(problem, M).proved}
            assert names <= {"compulsory", "T1", "T2", "B1", "B2", "B3", "by parts"}
            assert names & {"T1", "B1"}


@pytest.mark.parametrize("softmax", ["safe", "online"])
def test_a_running_maximum_rescales(softmax: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be rescaled"):
        Problem.square(8, 2, sums="accumulate", softmax=softmax)
