"""Lines of packed sequences that follow from others do what they do one by one, in schedules whole and broken."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from pebble.program.machine import interpolation, memo, ramps
from pebble.program.schedule import registered
from tests.program.breaking import BREAKING
from tests.program.differences import against_plain_loops
from tests.program.edits import acceptable
from tests.program.names import (
    Family,
    InvalidInput,
    Node,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    load,
    loop,
    not_first,
    program,
    store,
    when,
)
from tests.program.random_families import with_outputs

SCHEDULES = [
    (pass_name, schedule)
    for pass_name in ("forward", "backward")
    for schedule in registered(pass_name, "plain")
    if not schedule.in_sequences  # whose sequences are executed one by one
]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many lines followed from others, one by one and at once; few samples are enough."""
    found: Counter[str] = Counter()
    effect, account = interpolation.Interpolation.effect, ramps.account_ramp

    def told(self: Any, signature: Any, sight: Any) -> Any:
        one = effect(self, signature, sight)
        found["one by one"] += self.one_by_one and one is not None
        return one

    def noted(machine: Any, ramp: Any, *rest: Any) -> None:
        found["at once"] += ramp.times
        account(machine, ramp, *rest)

    monkeypatch.setattr(interpolation.Interpolation, "effect", told)
    monkeypatch.setattr(memo, "account_ramp", noted)
    monkeypatch.setattr(ramps, "_FEW", 3)
    return found


def documents(rnd: Random, number: int, longest: int, pass_name: str = "forward") -> Problem:
    lengths = [rnd.randint(longest // 3, longest) for _ in range(number)]
    mask = rnd.choice(["document:", "document:causal,"]) + ",".join(map(str, lengths))
    return Problem.square(sum(lengths), rnd.choice([1, 1, 2]), mask=mask, pass_name=pass_name)


def check(text: Program, family: Family) -> None:
    """Compare a program's run with that of all its iterations, with room enough, with just enough, and with less."""
    found = against_plain_loops(text, family)
    assert not found, f"{family.mask}\n{text}\n{found}"


def check_random(seed: int) -> None:
    """Judge a schedule with random tiles under random documents, now and then broken once or twice."""
    rnd = Random(seed)
    pass_name, schedule = rnd.choice(SCHEDULES)
    problem = documents(rnd, rnd.randint(4, 7), rnd.randint(12, 26), pass_name)
    smallest = schedule.smallest(problem)
    few = {name for name in smallest if name.startswith("pinned") or name in ("first", "sums_first")}
    tiles = {name: (0 if name in few else max(least, rnd.randint(5, 23))) for name, least in smallest.items()}
    try:
        text, family = schedule.program(problem, tiles), schedule.family(problem)
    except InvalidInput:
        return
    for _ in range(rnd.choice([0, 1, 1, 2])):
        changed = rnd.choice(BREAKING)(rnd, text, family)
        text = changed if changed.phases and acceptable(changed, family) else text
    check(text, family)


def test_lines_of_schedules_follow_from_others(taken: Counter[str]) -> None:
    for seed in range(3):
        check_random(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_lines_of_many_schedules_follow_from_others(block: int, taken: Counter[str]) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        check_random(seed)


SCORES = (compute("S"), compute("P", replacing="S"))
ROWS: list[tuple[Node | tuple[Node, ...], ...]] = [
    (*SCORES, compute("l"), compute("U"), delete("P")),
    (*SCORES, when(first("j"), load("Q")), compute("l"), store("P"), compute("U"), delete("P")),
]


@pytest.mark.parametrize("rows", range(len(ROWS)))
def test_partners_one_by_one(rows: int, taken: Counter[str]) -> None:
    """The rows of a key, in a loop inside."""
    rnd = Random(rows)
    for kind in ("document:", "document:causal,"):
        lengths = [rnd.randint(9, 20) for _ in range(9)]
        problem = Problem.square(sum(lengths), 1, mask=kind + ",".join(map(str, lengths)))
        family = with_outputs(family_of(problem), ())
        keys = loop(
            "j", 1, load("K"), load("V"), loop("i", 1, *ROWS[rows], label="row"), delete("K"), delete("V")
        )
        text = program(loop("i", 17, load("Q"), keys, delete("U"), delete("l"), delete("Q")))
        check(text, family)
    assert taken["one by one"] + taken["at once"] > 20


def check_lines_of_whole_axis(seed: int) -> None:
    """Judge a schedule whose loops over single rows are outside of all others, now and then broken."""
    rnd = Random(seed)
    pass_name, name = rnd.choice([("forward", "naive"), ("forward", "standard"), ("backward", "naive")])
    schedule = next(one for one in registered(pass_name, "plain") if one.name == name)
    problem = documents(rnd, rnd.randint(7, 10), rnd.randint(8, 13), pass_name)
    tiles = {size: rnd.randint(4, 9) for size in schedule.smallest(problem)}
    text, family = schedule.program(problem, tiles), schedule.family(problem)
    for _ in range(rnd.choice([0, 1, 2])):
        changed = rnd.choice(BREAKING)(rnd, text, family)
        text = changed if changed.phases and acceptable(changed, family) else text
    check(text, family)


def test_lines_outside_of_all_loops_follow_from_others(taken: Counter[str]) -> None:
    for seed in range(2):
        check_lines_of_whole_axis(seed)
    assert taken["one by one"] + taken["at once"] > 20


@pytest.mark.slow
def test_lines_outside_of_all_loops_follow_from_others_in_many_programs(taken: Counter[str]) -> None:
    for seed in range(1000, 1008):
        check_lines_of_whole_axis(seed)


LINES: list[list[Node | tuple[Node, ...]]] = [
    [loop("j", 1, load("K"), *SCORES, delete("K")), loop("j", 1, load("V"), compute("U"), delete("V", "P"))],
    [loop("j", 1, load("K"), *SCORES, delete("K"), when(first("j"), store("Q")), store("P"), delete("P"))],
    [loop("j", 2, load("K"), *SCORES, delete("K", "P"))],
    [when(first("i"), load("V")), loop("j", 1, load("K"), *SCORES, delete("K", "P"))],
    [loop("j", 1, load("K"), *SCORES, delete("K", "P"), start=30)],
    [load("K"), loop("j", 1, *SCORES, delete("P")), delete("K")],
]


@pytest.mark.parametrize("lines", range(len(LINES)))
def test_lines_of_one_loop_over_documents(lines: int, taken: Counter[str]) -> None:
    """Keys are loaded once or twice, in tiles, at the first row of all, in a part of the axis, or all at once."""
    rnd = Random(lines)
    for kind in ("document:", "document:causal,"):
        lengths = [rnd.randint(4, 11) for _ in range(9)]
        family = family_of(Problem.square(sum(lengths), 1, mask=kind + ",".join(map(str, lengths))))
        family = with_outputs(family, ())
        check(program(loop("i", 1, load("Q"), *LINES[lines], delete("Q"))), family)


@pytest.mark.parametrize("moved", [("store",), ("store", "delete")])
def test_sums_of_the_tile_around_that_are_moved(moved: tuple[str, ...], taken: Counter[str]) -> None:
    """With every key the row sums of all of the tile that have begun are stored: how many have matters."""
    lengths = [9, 13, 11, 9]
    again = when(not_first("j"), load("l")) if "delete" in moved else ()
    ends = (store("l"), delete("l")) if "delete" in moved else (store("l"),)
    for kind in ("document:", "document:causal,"):
        family = family_of(Problem.square(42, 1, mask=kind + ",".join(map(str, lengths))))
        family = with_outputs(family, ())
        keys = loop("j", 1, load("K"), *SCORES, again, compute("l"), *ends, delete("P", "K"))
        check(program(loop("i", 17, load("Q"), keys, delete("Q"))), family)
