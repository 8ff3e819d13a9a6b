"""Rounds of lines that see the same, under masks kept block by block: shortened and not, programs do the same."""

from __future__ import annotations

import os
from random import Random

import numpy as np
import pytest

from pebble.computations.masks import BlockMask
from pebble.program.machine import rounds, stretches
from tests.program.generator import Case
from tests.program.names import Problem, Program, family_of, phase, run
from tests.program.random_families import with_outputs
from tests.program.test_rounds_in_blocks import COLUMNS, ROWS, TILES, check_counts, check_foretold
from tests.program.test_rounds_in_blocks import case_of as case_under

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
    return case_under(seed, mask_of_blocks, 0.6)


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
    assert check_foretold(0, 12, case_of) > 20


def test_counts(short_stretches: None) -> None:
    check_counts(100, 104, case_of)


@pytest.mark.slow
def test_many_rounds_are_as_foretold(short_stretches: None) -> None:
    assert check_foretold(1000, 1000 + MANY // 20, case_of) > 250


@pytest.mark.slow
def test_many_counts(short_stretches: None) -> None:
    check_counts(5000, 5000 + MANY // 40, case_of)
