"""Words of texts without what moves nothing: those of the whole text, whatever the program and the mask."""

from __future__ import annotations

from random import Random

import pytest

from pebble.common.errors import PebbleError
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.program import (
    first,
    load,
    loop,
    phase,
    program,
    when,
)
from pebble.program.counting.measure import measure
from pebble.program.counting.run import run
from pebble.program.schedule import registered
from pebble.program.schedule.words_text import words_moved_by
from tests.program.generator import case_of
from tests.support import amounts

MASKS = "causal", "window:5", "prefix:4", "strided:4", "fixed:5,2", "document:causal,4,9,8", "butterfly:4"


@pytest.mark.slow
@pytest.mark.parametrize("block", amounts.first(2, range(12)))
def test_random_programs_move_as_many_words(block: int) -> None:
    compared = 0
    for seed in range(60 * block, 60 * (block + 1)):
        case = case_of(seed)
        try:
            if not run(case.program, case.family).proved:
                continue
        except PebbleError:
            continue
        (right,), _ = measure([case.program], case.family)
        assert words_moved_by([case.program], case.family, 10**6) == [right], f"seed {seed}\n{case.program}"
        compared += 1
    assert compared > 5


def test_a_condition_on_a_loop_that_cuts_a_tile() -> None:
    """Without the loop around, only the first piece of all of the axis would be loaded."""
    piece = loop("k", 2, when(first("piece"), load("A")), label="piece")
    text, family = program(phase("", loop("k", 4, piece))), matmul_family(3, 2, 12)
    assert words_moved_by([text], family, 10**6) == measure([text], family)[0] == 3 * 2 * 3


@pytest.mark.many(1)
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("mask", MASKS)
def test_schedules_with_any_tiles_move_as_many_words(mask: str, pass_name: str) -> None:
    """Loops over single lines, whose conditions are on the other axis, are asked of at once."""
    rnd = Random(f"{mask} {pass_name}")
    problem = Problem.square(21, 2, mask=mask, pass_name=pass_name)
    compared = 0
    for schedule in registered(pass_name, "plain"):
        greatest = schedule.greatest(problem)
        tiles = {
            name: rnd.randint(int(name not in schedule.may_be_zero), max(1, greatest[name]))
            for name in schedule.smallest(problem)
        }
        try:
            text, family = schedule.program(problem, tiles), schedule.family(problem)
            right = run(text, family).io
        except PebbleError:
            continue
        assert words_moved_by([text], family, 10**6) == [right], f"{schedule.name} {tiles}"
        compared += 1
    assert compared > 6
