"""A shortcut never decides: whatever shortens a loop says what running every iteration says."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pebble import Schedule
from pebble.program.machine import rounds, stretches
from pebble.program.machine.loops import ShortcutFails
from pebble.program.machine.rounds import Rounds
from pebble.program.counting.run import run
from pebble.program.schedule import registered
from tests.program.differences import PLAIN, SHORTCUTS, against_plain_loops, differences, judge
from tests.program.generator import case_of
from tests.program.long_cases import long_case_of
from tests.program.named_cases import NAMED, Named, attention
from tests.program.named_cases_of_signatures import SIGNATURES
from tests.program.names import (
    Loop,
    Phase,
    Problem,
    Program,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    store,
    when,
)
from tests.program.program_reference import refer
from tests.program.shrinking import as_python
from tests.support import amounts

BLOCK = 50
MANY = int(os.environ.get("PEBBLE_CASES", "4000"))


def check(first: int, stop: int) -> None:
    """Judge the cases with these numbers."""
    for seed in range(first, stop):
        case = case_of(seed)
        found = differences(case)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


@pytest.mark.parametrize("block", amounts.first(3, range(6)))
def test_all_readings_of_random_programs_agree(block: int) -> None:
    check(BLOCK * block, BLOCK * (block + 1))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_all_readings_of_many_random_programs_agree(block: int) -> None:
    size = -(-MANY // 100)
    check(10**6 + size * block, 10**6 + size * (block + 1))


@dataclass
class Taken:
    """How often a stretch was cut short, and how often the last round was not what was foretold."""

    all: int = 0
    failed: int = 0


@pytest.fixture
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Let four rounds be enough for a shortcut, and note how often one is taken."""
    monkeypatch.setattr(stretches, "_FEWEST_ROUNDS", 4)
    monkeypatch.setattr(stretches, "_FEWEST_ROUNDS_INSIDE", 4)
    for module in (stretches, rounds):
        monkeypatch.setattr(module, "FEWEST_PERIODS", 4)
    taken, skip = Taken(), Rounds._skip

    def noted(self: Rounds, *arguments: Any) -> None:
        taken.all += 1
        try:
            skip(self, *arguments)
        except ShortcutFails:
            taken.failed += 1
            raise

    monkeypatch.setattr(Rounds, "_skip", noted)
    return taken


def check_long(first: int, stop: int) -> None:
    """Judge the long cases with these numbers, against the plain loops only."""
    for seed in range(first, stop):
        case = long_case_of(seed)
        found = against_plain_loops(case.program, case.family)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


@pytest.mark.parametrize("block", amounts.first(2, range(6)))
def test_rounds_say_what_all_tiles_say(block: int, short_stretches: Taken) -> None:
    check_long(20 * block, 20 * (block + 1))
    assert short_stretches.all > 8
    assert short_stretches.failed <= 2


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_rounds_say_what_all_tiles_say_in_many_programs(block: int, short_stretches: Taken) -> None:
    size = -(-MANY // 400)
    check_long(10**6 + size * block, 10**6 + size * (block + 1))


KEYS_OF_A_PART = loop("j", 3, load("K"), when(first("j"), store("Q")), when(last("j"), load("Q")), start=4)
ROWS_IN_A_PART = loop("j", 3, load("K"), when(not_first("i"), store("Q")), when(last("i"), delete("K")))


@pytest.mark.parametrize("mask", ["causal", "window:9", "window:left=3,right=8"])
@pytest.mark.parametrize(
    "nodes",
    [
        loop("i", 2, load("Q"), KEYS_OF_A_PART, delete("Q")),
        loop("i", 2, load("Q"), ROWS_IN_A_PART, delete("Q"), start=5, stop=79),
        loop("i", 2, load("Q"), replace(ROWS_IN_A_PART, start=7, stop=71), delete("Q"), start=5),
    ],
    ids=["keys", "rows", "both"],
)
def test_rounds_under_conditions_on_parts_of_an_axis(
    mask: str, nodes: Loop, short_stretches: list[int]
) -> None:
    family = attention(80, 80, mask=mask)
    program = Program((Phase("", (nodes,)),))
    slow = judge(PLAIN, program, family, None)
    quick = judge(SHORTCUTS["induction"], program, family, None)
    assert slow.found is not None
    assert not quick.differs(slow)
    # Under causal the tiles of such a loop are executed one by one, ever more of them: no round is like the one before.
    assert short_stretches or mask == "causal"


def test_conditions_are_on_the_loop_around_not_on_others_with_its_label() -> None:
    problem = Problem.square(32768, 128, mask="causal", pass_name="backward")
    (split,) = (schedule for schedule in registered("backward") if schedule.name == "split")
    tiles = {"cols": 175, "rows": 231, "pinned_queries": 0, "pinned_keys": 2}
    assert run(split.program(problem, tiles), Schedule.family(problem), 100_000).steps < 2000


@pytest.mark.parametrize("named", [*NAMED, *SIGNATURES], ids=lambda named: named.name)
def test_all_readings_of_telling_programs_agree(named: Named) -> None:
    assert not differences(named.case), as_python(named.case.program)


@pytest.mark.parametrize("named", [*NAMED, *SIGNATURES], ids=lambda named: named.name)
@pytest.mark.parametrize("name", ["plain", *SHORTCUTS])
def test_telling_programs_are_judged_right(named: Named, name: str) -> None:
    runner = PLAIN if name == "plain" else SHORTCUTS[name]
    assert judge(runner, named.case.program, named.case.family, None).rule == named.rule


def test_cases_are_the_same_every_time() -> None:
    assert [str(case_of(seed)) for seed in range(20)] == [str(case_of(seed)) for seed in range(20)]


def test_cases_are_of_all_sorts() -> None:
    cases = [case_of(seed) for seed in range(120)]
    legal = sum(refer(case.program, case.family).legal for case in cases)
    assert 30 <= legal <= 90
    assert sum(case.family.mask is not None for case in cases) > 50
    assert len({case.family.name for case in cases}) >= 5
