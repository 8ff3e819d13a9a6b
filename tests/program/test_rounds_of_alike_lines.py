"""Rounds of lines that see the same, under masks kept block by block: shortened and not, programs do the same."""

from __future__ import annotations

import os
from random import Random

import numpy as np
import pytest

from pebble.computations.masks import BlockMask
from pebble.program.machine import rounds, stretches
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.edits import acceptable
from tests.program.foretelling import all_rounds_executed
from tests.program.generator import Case, random_text
from tests.program.long_cases import affordable, disturbed, subject_under
from tests.program.names import Problem, Program, family_of, phase, run
from tests.program.random_families import with_outputs
from tests.program.test_rounds_in_blocks import COLUMNS, ROWS, TILES, USUAL

MANY = int(os.environ.get("PEBBLE_CASES", "6000")) // 6


@pytest.fixture
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four rounds be enough for a shortcut."""
    for name in ("_FEWEST_ROUNDS", "_FEWEST_ROUNDS_INSIDE"):
        monkeypatch.setattr(stretches, name, 4)
    monkeypatch.setattr(rounds, "FEWEST_PERIODS", 4)


def mask_of_blocks(rnd: Random) -> BlockMask:
    """Few blocks of many lines, the last ones often cut; lines without any pair."""
    sides = rnd.randint(7, 16), rnd.choice([1, 3, rnd.randint(4, 16)])
    Nq, Nk = (max(4, side * rnd.randint(1, 3) + rnd.choice([0, rnd.randint(1, side)])) for side in sides)
    shape = -(-Nq // sides[0]), -(-Nk // sides[1])
    density = rnd.choice([0.3, 0.6])
    blocks = np.array([[rnd.random() < density for _ in range(shape[1])] for _ in range(shape[0])])
    blocks[rnd.randrange(shape[0]), rnd.randrange(shape[1])] = True
    if rnd.random() < 0.5:
        Nq, Nk, sides, blocks = Nk, Nq, sides[::-1], blocks.T
    mask = BlockMask("blocks", Nq, Nk, (sides[0], sides[1]), blocks)
    mask.empty_rows = "zero"
    return mask


def case_of(seed: int) -> Case:
    """The case with a number: a random program, or a usual one, both perhaps with a part of an axis made different."""
    rnd = Random(seed)
    while True:
        mask = mask_of_blocks(rnd)
        subject, program = subject_under(rnd, mask), Program(())
        if rnd.random() < 0.6:
            program, _ = random_text(rnd, subject)
            family = subject.family
        else:
            family = with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, mask=mask)), ())
            program = Program(tuple(phase("", rnd.choice(USUAL)) for _ in range(rnd.randint(1, 2))))
        if program.phases and rnd.random() < 0.4:
            program = disturbed(rnd, program, family)
        if program.phases and acceptable(program, family) and affordable(program, family):
            return Case(program, family, f"seed {seed}")


def check_foretold(begin: int, stop: int) -> int:
    total = 0
    for seed in range(begin, stop):
        case = case_of(seed)
        with all_rounds_executed() as found:
            judge(SHORTCUTS["induction"], case.program, case.family, None)
        assert not found.wrong, "\n".join([str(case), *found.wrong])
        total += found.rounds
    return total


def check_counts(begin: int, stop: int) -> None:
    for seed in range(begin, stop):
        case = case_of(seed)
        plain = judge(PLAIN, case.program, case.family, None)
        for M in (None, plain.found.peak if plain.found else 5):
            expected = plain if M is None else judge(PLAIN, case.program, case.family, M)
            difference = judge(SHORTCUTS["induction"], case.program, case.family, M).differs(expected)
            assert not difference, "\n".join([str(case), str(difference)])


@pytest.mark.parametrize("nodes", [ROWS, COLUMNS, TILES], ids=["rows", "columns", "tiles"])
def test_few_lines_of_a_block_are_executed(nodes: object) -> None:
    program = Program((phase("", nodes),))  # type: ignore[arg-type]
    found = []
    for side in (100, 1000):
        family = with_outputs(family_of(Problem.square(8 * side, 1, mask=f"butterfly:{side}")), ())
        quick = run(program, family)
        assert family.mask is not None
        assert quick.computes["S"] == family.mask.pairs == 32 * side**2
        found.append(quick.steps)
    assert found[0] == found[1] < 4000


def test_rounds_are_as_foretold(short_stretches: None) -> None:
    assert check_foretold(0, 12) > 20


def test_counts(short_stretches: None) -> None:
    check_counts(100, 104)


@pytest.mark.slow
def test_many_rounds_are_as_foretold(short_stretches: None) -> None:
    assert check_foretold(1000, 1000 + MANY // 20) > 400


@pytest.mark.slow
def test_many_counts(short_stretches: None) -> None:
    check_counts(5000, 5000 + MANY // 40)
