"""Tiles cut at the multiples of a length, as loops in loops of one label: one loop for all conditions."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import InvalidInput
from pebble.program.schedule import get
from pebble.program.schedule.block_cuts import cuts_at
from tests.program.differences import against_plain_loops, differences
from tests.program.generator import Case, case_of
from tests.program.long_cases import affordable, long_case_of
from tests.program.names import Condition, Family, Loop, Node, Operation, Problem, Program, When, delete, load
from tests.program.shrinking import as_python
from tests.support import amounts

BLOCK = 15


def cut(case: Case, seed: int) -> Case | None:
    """The case with its tiles cut at some lengths, and questions between the two loops; None without a mask."""
    rnd, family = Random(seed), case.family
    if len(family.masked_axes) < 2:
        return None
    program = cuts_at(case.program, rnd.randint(2, 12))
    if rnd.random() < 0.3:
        program = cuts_at(program, rnd.randint(8, 30))
    if rnd.random() < 0.4:
        program = Program(
            tuple(
                replace(part, body=tuple(asked(rnd, node, family) for node in part.body))
                for part in program.phases
            )
        )
    return Case(program, family, f"{case.description}, cut") if program != case.program else None


def asked(rnd: Random, node: Node, family: Family) -> Node:
    """A node in which loops that hold one of their label ask something before it, or behind it."""
    if isinstance(node, Operation):
        return node
    body = tuple(asked(rnd, inner, family) for inner in node.body)
    if isinstance(node, Loop) and any(isinstance(one, Loop) and one.label == node.label for one in node.body):
        inputs = [array.name for array in family.arrays if array.is_input]
        name, which = rnd.choice(inputs), rnd.choice(("first", "last"))
        told = When(
            Condition(node.label, which, rnd.random() < 0.5),  # type: ignore[arg-type]
            (*load(name), *(delete(name) if rnd.random() < 0.8 else ())),
        )
        body = (told, *body) if rnd.random() < 0.5 else (*body, told)
    return replace(node, body=body)


def check(first: int, stop: int) -> int:
    """Judge random cases that are cut, against all readings; how many there were."""
    judged = 0
    for seed in range(first, stop):
        case = cut(case_of(seed), seed)
        if case is not None:
            found = differences(case)
            assert not found, "\n".join([str(case), as_python(case.program), *found])
            judged += 1
    return judged


def check_long(first: int, stop: int) -> int:
    """Judge long random cases that are cut, against the plain loops; how many there were."""
    judged = 0
    for seed in range(first, stop):
        case = cut(long_case_of(seed), seed)
        if case is not None and affordable(case.program, case.family):
            found = against_plain_loops(case.program, case.family)
            assert not found, "\n".join([str(case), as_python(case.program), *found])
            judged += 1
    return judged


@pytest.mark.parametrize("block", amounts.first(1, range(12)))
def test_all_readings_of_random_programs_that_are_cut_agree(block: int) -> None:
    assert check(BLOCK * block, BLOCK * (block + 1)) > 0


@pytest.mark.parametrize("block", amounts.first(1, range(12)))
def test_long_programs_that_are_cut_are_folded_as_they_are_executed(block: int) -> None:
    assert check_long(4 * block, 4 * (block + 1)) > 0


@pytest.mark.parametrize("name", amounts.first(1, ["flash-1", "flash-2-pinned", "square-tile"]))
@pytest.mark.parametrize("mask", amounts.first(1, ["strided:5", "fixed:5,2"]))
def test_schedules_cut_at_blocks_count_what_plain_loops_count(name: str, mask: str) -> None:
    schedule, problem = get(name), Problem.square(36, 1, mask=mask)
    tiles = {**{tile: 2 for tile in schedule.tile_names if tile != "rows" or name != "flash-1"}, "block": 5}
    program, family = schedule.program(problem, tiles), schedule.family(problem)
    assert not against_plain_loops(program, family)
    assert schedule.words(problem, tiles) == schedule.measure(problem, tiles).io


def test_a_block_is_a_size_of_every_schedule_under_masks_that_repeat() -> None:
    flash = get("flash-2")
    assert flash.check_tiles({"block": 26, "rows": 4}) == {"rows": 4, "block": 26}
    with pytest.raises(InvalidInput, match="block"):
        flash.check_tiles({"rows": 4, "block": 0})
    with pytest.raises(InvalidInput, match="only masks of blocks that repeat"):
        flash.program(Problem.square(64, 4, mask="causal"), {"rows": 4, "block": 26})
