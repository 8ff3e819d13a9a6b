"""Sums added in slow memory: counts, and the moves of every schedule played by the elementary game."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.game.files.processor_files import ProcessorCheck
from pebble.lab.count import count, run
from pebble.lab.pebblings import Pebbling, check, moves
from pebble.lower_bounds.table import bounds
from pebble.program import Node, Program, compute, delete, load, loop, phase, program, resume, store
from pebble.program.closed_forms.count import words_by_array
from pebble.program.numbers import evaluate
from pebble.program.schedule import Schedule, Tiles, get, registered

MASKS = (None, "causal", "window:3", "document:2,3,1", "prefix:2")


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_the_game_accepts_schedules_and_only_loads_of_partial_sums_are_saved(
    pass_name: str, mask: str | None
) -> None:
    rng, played = random.Random(f"{pass_name} {mask}"), 0
    for schedule in rng.sample(registered(pass_name, "plain"), 4):
        stats = pass_name == "forward" and rng.random() < 0.5
        problem = Problem(6, 6, 2, 2, pass_name=pass_name, mask=mask, sums="accumulate", stats=stats)
        M = rng.randint(40, 60) if pass_name == "backward" else rng.randint(12, 40)
        try:
            tiles = schedule.tiles(problem, M)
            pebbling = moves(schedule, problem, tiles=tiles)
        except (CacheTooSmall, InvalidInput):
            continue
        check_game(problem, pebbling)
        check_savings(schedule, problem, tiles)
        played += 1
    assert played > 1


def check_game(problem: Problem, pebbling: Pebbling) -> None:
    """Play the moves by the rules of processors, and compute attention in their order."""
    text = io.StringIO()
    pebbling.write(text)
    found = check(io.StringIO(text.getvalue()))
    assert isinstance(found, ProcessorCheck)
    assert found.complete, str(found)
    assert found.reads + found.writes == pebbling.io
    assert max(one.value for one in bounds(problem, found.tally.devices[0].peak).proved) <= pebbling.io
    inputs = random_inputs(problem, np.random.default_rng(1))
    outputs = evaluate(pebbling.program, pebbling.family, inputs)
    for name, right in reference_outputs(problem, inputs).items():
        assert outputs[name] == pytest.approx(right, nan_ok=True)


def check_savings(schedule: Schedule, problem: Problem, tiles: Tiles) -> None:
    less, more = (schedule.measure(replace(problem, sums=sums), tiles) for sums in ("accumulate", "chain"))
    sums = schedule.family(problem).accumulated
    assert less.reads == more.reads | {name: less.reads[name] for name in sums}
    assert all(less.reads[name] == 0 for name in ("dQ", "dK", "dV") if name in sums)
    assert less.proved
    assert (less.writes, less.peak, less.computes) == (more.writes, more.peak, more.computes)


def test_terms_that_are_computed_twice_are_refused() -> None:
    def text(*again: Node) -> Program:
        inputs = load("Q", "K", "V", "dO", "O", "l")
        made = [compute(name) for name in ("D", "S", "P", "dV", "dP", "dS", "dK", "dQ")]
        return program(phase("", inputs, *made, *again, store("dQ", "dK", "dV")))

    def one(sums: str) -> Problem:
        return Problem(1, 1, 1, 1, pass_name="backward", sums=sums)

    twice = text(*delete("dQ"), compute("dQ"))
    for sums in ("chain", "accumulate"):
        assert run(text(), one(sums)).io == 9
    assert run(twice, one("chain")).recomputed == 1
    with pytest.raises(Violation, match="dQ are computed more than once"):
        run(twice, one("accumulate"))


def test_a_resumed_sum_is_not_read() -> None:
    tile, problem = get("p-tile", "forward"), Problem(6, 6, 2, 2, sums="accumulate")
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


# Sums of several words

SUMS = {"forward": {"U", "l"}, "backward": {"dQ", "dK", "dV"}}


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("mask", MASKS[:3])
def test_the_fold_is_the_plain_machine(mask: str | None, pass_name: str) -> None:
    rng, counted = random.Random(f"{mask} {pass_name}"), 0
    for schedule in rng.sample(registered(pass_name, "plain"), 5):
        width = rng.randint(2, 4)
        sums = rng.choice(("chain", "accumulate"))
        problem = Problem(6, 6, 2, 2, pass_name=pass_name, mask=mask, sum_width=width, sums=sums)
        M = rng.randint(40, 90)
        try:
            tiles = schedule.tiles(problem, M)
        except (CacheTooSmall, InvalidInput):
            continue
        program = schedule.program(problem, tiles)
        found, plain = (run(program, problem, M, induction=way) for way in (True, False))
        assert (found.reads, found.writes, found.computes) == (plain.reads, plain.writes, plain.computes)
        assert found.peak == plain.peak <= M, schedule.name
        assert found.peak_words == plain.peak_words
        reads, writes = words_by_array(program, schedule.family(problem))
        assert sum(reads.values()) + sum(writes.values()) == found.io
        assert max(one.value for one in bounds(problem, M).proved) <= found.io
        narrow = run(program, Problem(6, 6, 2, 2, pass_name=pass_name, mask=mask, sums=sums))
        for moved in ("reads", "writes"):
            one, more = getattr(narrow, moved), getattr(found, moved)
            assert more == {
                name: words * (width if name in SUMS[pass_name] else 1) for name, words in one.items()
            }
        counted += 1
    assert counted > 1


def test_two_kernels_with_seven_products_move_fewest_where_sums_are_twice_as_wide() -> None:
    problem = Problem(2**20, 2**20, 64, 64, pass_name="backward", sum_width=2, sums="accumulate")
    report = count(problem, 116_224, ["flash-2", "split"])
    flash, split = (report[name].ratio for name in ("flash-2", "split"))
    assert flash is not None
    assert split is not None
    assert 1.21 < flash < 1.22
    assert 1.01 < split < 1.02
