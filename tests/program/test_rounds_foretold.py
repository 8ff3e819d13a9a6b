"""Under the conditions of the shortcut every round is as foretold, not the last one only."""

from __future__ import annotations

import os

import numpy as np
import pytest

from pebble.program.machine import rounds, stretches
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.foretelling import all_rounds_executed
from tests.program.long_cases import long_case_of
from tests.program.names import (
    BandMask,
    BlockToeplitzMask,
    Family,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    load,
    loop,
    phase,
    run,
    when,
)
from tests.program.random_families import with_outputs
from tests.program.shrinking import as_python
from tests.program.test_rounds import COLUMNS, LONG, ROWS, SCORES, TILES, Long, attention, long

MANY = int(os.environ.get("PEBBLE_CASES", "6000"))


@pytest.fixture
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four rounds be enough for a shortcut."""
    for name in ("_FEWEST_ROUNDS", "_FEWEST_ROUNDS_INSIDE", "FEWEST_PERIODS"):
        monkeypatch.setattr(stretches, name, 4)
    monkeypatch.setattr(rounds, "FEWEST_PERIODS", 4)


def check(program: Program, family: Family) -> int:
    """Execute all rounds of a program, and return how many were foretold."""
    with all_rounds_executed() as found:
        judge(SHORTCUTS["induction"], program, family, None)
    assert not found.wrong, "\n".join(
        [as_python(program), family.mask.spec if family.mask else "", *found.wrong]
    )
    return found.rounds


def check_seeds(first: int, stop: int) -> int:
    cases = [long_case_of(seed) for seed in range(first, stop)]
    return sum(check(case.program, case.family) for case in cases)


def blocks(n_blocks: int, near: list[str], far: str) -> Family:
    """Attention under blocks of intervals, each written as text: where those of its queries begin, and end."""
    patterns = [pattern(text) for text in (*near, far)]
    period = patterns[0].Nq
    mask = BlockToeplitzMask("blocks", n_blocks * period, period, patterns[:-1], patterns[-1])
    mask.empty_rows = "zero"
    return with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, mask=mask)), ())


def pattern(text: str) -> BandMask:
    ends = np.array([[int(place) for place in line] for line in text.split()])
    return BandMask("pattern", len(ends), ends[:, 0], ends[:, 1])


STRIPES = blocks(24, ["01 02", "12 22"], "12 12")
LONGER: list[Long] = [
    long(
        "a key far from its block, which has no query near it",
        blocks(20, ["01 01 01"], "11 12 22"),
        loop("i", 1, loop("j", 1, when(first("i"), load("V"), delete("V")), start=13, stop=14), start=1),
    ),
    long("rounds of keys in rounds of rows", STRIPES, ROWS),
    long("rounds of rows in rounds of keys", STRIPES, COLUMNS),
    long("rows in the middle, in rounds of rounds", STRIPES, load("Q", i=(23, 25)), COLUMNS),
    long("sums of many tiles", attention("causal", 1, 60), TILES, loop("i", 1, load("l"), delete("l"))),
    long("sums of many tiles of fewer rows than keys", attention("causal", 1, 40, 80), TILES),
    long("sums of many tiles under blocks", STRIPES, TILES),
    long(
        "a loop over keys in the middle, in tiles that begin there",
        attention("window:9", 1, 96),
        loop("i", 2, load("Q"), loop("j", 4, load("K"), delete("K"), start=26, stop=33), SCORES, delete("Q")),
    ),
]
KEY = (19, 20)
NAMED = [case for case in LONG if not case.name.startswith("partial sums left behind")]


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case.name)
def test_rounds_of_named_programs_are_as_foretold(case: Long, short_stretches: None) -> None:
    check(case.program, case.family)


@pytest.mark.parametrize("case", LONGER, ids=lambda case: case.name)
def test_rounds_of_longer_programs_are_as_foretold(case: Long, short_stretches: None) -> None:
    assert check(case.program, case.family)
    plain = judge(PLAIN, case.program, case.family, None)
    assert plain.found
    for M in (None, plain.found.peak):
        assert not judge(SHORTCUTS["induction"], case.program, case.family, M).differs(plain)


def test_no_round_is_foretold_where_an_operation_says_itself_on_what_it_acts() -> None:
    """Only three rows have a pair with key 19: neither the first rows nor the last ones tell."""
    steps = (
        load("Q"),
        load("K", j=KEY),
        compute("S", j=KEY),
        delete("S", j=KEY),
        delete("K", j=KEY),
        delete("Q"),
    )
    program, family = Program((phase("", loop("i", 1, steps)),)), attention("window:3", 1, 48)
    assert not check(program, family)
    assert run(program, family).computes["S"] == 3


def test_rounds_are_as_foretold(short_stretches: None) -> None:
    assert check_seeds(200, 220) > 100


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_rounds_of_many_programs_are_as_foretold(block: int, short_stretches: None) -> None:
    size = -(-MANY // 400)
    assert check_seeds(2 * 10**6 + size * block, 2 * 10**6 + size * (block + 1)) > size
