"""Tiles on short axes against all others, one by one on the machine; the counts of many programs against it too."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.program.machine.run import fits, run
from pebble.program.schedule import fitting_tiles, get, registered
from pebble.program.schedule.batch_counts import batch_counts
from tests.program.test_masked_tiles import random_problem, words_of
from tests.support.amounts import first

CASES = [
    ("flash-1", "forward", "window:3", 9),
    ("flash-2-pinned", "forward", "causal", 7),
    ("square-tile", "forward", "longformer:window=4,global=1", 12),
    ("hybrid", "forward", "nm:1:3", 4),
    ("standard", "forward", "causal", 4),
    ("queries-causal", "backward", "document:3,4", 7),
    ("keys-pinned", "backward", "strided:3", 6),
    ("split", "backward", "window:left=1,right=1", 3),
]
LONGER = [
    ("split", "backward", "window:left=1,right=1", 4),
    ("flash-2", "forward", "fixed:8", 48),
    ("flash-2-causal", "forward", "causal", 24),
    ("flash-2-pinned", "forward", "blocks:size=5,density=0.3", 24),
    ("square-tile", "forward", "window:9", 48),
    ("square-tile", "backward", "causal", 32),
    ("keys-pinned", "backward", "document:10,14", 24),
    ("queries-pinned", "backward", "butterfly:3", 24),
    ("queries-causal", "backward", "nm:2:4", 24),
]


def check_against_every_one(name: str, pass_name: str, spec: str, N: int) -> None:
    """Run every combination of sizes that moves fewer words than the choice: none of them may fit."""
    schedule = get(name, pass_name)
    problem = Problem(N, N, 2, 3, mask=make_mask(spec, N, N), pass_name=pass_name)
    family = schedule.family(problem)
    for extra in (1, 3 * N):
        M = schedule.least_M(problem) + extra
        chosen = schedule.measure(problem, fitting_tiles(schedule, problem, M))
        assert chosen.peak <= M
        most = schedule.greatest(problem)
        names = list(schedule.smallest(problem))
        for sizes in product(
            *(range(int(name not in schedule.may_be_zero), most[name] + 1) for name in names)
        ):
            tiles = dict(zip(names, sizes, strict=True))
            if words_of(schedule, problem, tiles) < chosen.io:
                assert not fits(schedule.program(problem, tiles), family, M), f"M = {M}: {tiles}"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_other_tiles_that_fit_move_fewer_words(case: tuple[str, str, str, int]) -> None:
    check_against_every_one(*case)


@pytest.mark.slow
@pytest.mark.parametrize("case", LONGER, ids=str)
def test_no_other_tiles_that_fit_move_fewer_words_on_longer_axes(case: tuple[str, str, str, int]) -> None:
    check_against_every_one(*case)


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("seed", first(1, range(30)))
def test_counts_of_many_programs_are_the_machines(pass_name: str, seed: int) -> None:
    rnd = random.Random(seed)
    problem = random_problem(seed, pass_name, 9, 4)
    for schedule in registered(pass_name, "plain"):
        if schedule.name == "best":
            continue
        most, family = schedule.greatest(problem), schedule.family(problem)
        least = {name: int(name not in schedule.may_be_zero) for name in schedule.smallest(problem)}
        tiles = [{name: rnd.randint(low, most[name]) for name, low in least.items()} for _ in range(4)]
        some_block = (one for one in tiles if one.get("blocks", 1) or one.get("slices", 0))
        programs = [schedule.program(problem, one) for one in some_block]
        for number in {len(program.numbered) for program in programs}:
            some = [program for program in programs if len(program.numbered) == number]
            counts = batch_counts(some, family, range(number))
            for place, program in enumerate(some):
                counted = run(program, family)
                assert (counts.words[place], counts.room[place]) == (counted.io, counted.peak)
                left = sum(np.count_nonzero(counted.final_state(array.name)[0]) for array in family.arrays)
                assert counts.growth[place] == left


def test_tiles_that_fit_under_the_mask_only_are_found_and_none_is_said() -> None:
    schedule, problem = get("flash-2"), Problem.square(12, 3, mask="causal")
    least = schedule.least_M(problem)
    assert fitting_tiles(schedule, problem, least) == {"rows": 1}
    with pytest.raises(CacheTooSmall):
        fitting_tiles(schedule, problem, least - 1)
