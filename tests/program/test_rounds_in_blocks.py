"""Rounds of lines inside of one block of a mask of blocks: random programs, shortened and not, do the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from pebble.computations.masks import Mask, equal_documents_mask
from pebble.computations.masks.block_lines import parts_of_blocks
from pebble.program.machine import rounds, stretches
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.edits import acceptable
from tests.program.foretelling import all_rounds_executed
from tests.program.generator import Case, random_text
from tests.program.long_cases import affordable, disturbed, subject_under
from tests.program.names import (
    BandMask,
    BlockToeplitzMask,
    Family,
    Node,
    Problem,
    compute,
    delete,
    family_of,
    first,
    last,
    load,
    loop,
    make_mask,
    phase,
    run,
    store,
    when,
)
from tests.program.names import Program as ProgramOf
from tests.program.random_families import with_outputs

MANY = int(os.environ.get("PEBBLE_CASES", "6000")) // 6


ROWS = loop(
    "i",
    1,
    load("Q"),
    loop("j", 1, load("K"), compute("S"), delete("K"), store("S"), delete("S")),
    delete("Q"),
)
COLUMNS = loop(
    "j", 1, load("K"), loop("i", 1, load("Q"), compute("S"), delete("Q"), delete("S")), delete("K")
)
TILES = loop("i", 2, load("Q"), loop("j", 4, load("K"), compute("S"), delete("K", "S")), delete("Q"))
SUMS = loop(
    "i",
    1,
    load("Q"),
    loop("j", 1, load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K")),
    delete("Q", "l"),
)
ONCE = loop(
    "i",
    1,
    loop("j", 1, when(first("i"), load("K")), when(last("i"), delete("K"))),
)
HEADS = loop("i", 1, load("Q"), loop("j", 1, load("K"), delete("K"), start=5, stop=21), delete("Q"))
USUAL = [ROWS, COLUMNS, TILES, SUMS, ONCE, HEADS]


@pytest.fixture
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four rounds be enough for a shortcut."""
    for name in ("_FEWEST_ROUNDS", "_FEWEST_ROUNDS_INSIDE", "FEWEST_PERIODS"):
        monkeypatch.setattr(stretches, name, 4)
    monkeypatch.setattr(rounds, "FEWEST_PERIODS", 4)


def pattern(rnd: Random, L: int) -> BandMask:
    """Intervals whose ends stay, or move by one, for a while each; perhaps none at all."""
    if rnd.random() < 0.2:
        return BandMask("none", L, np.zeros(L, dtype=int), np.zeros(L, dtype=int))
    ends = np.sort([walk(rnd, L), walk(rnd, L)], axis=0)
    return BandMask("pattern", L, ends[0], ends[1])


def walk(rnd: Random, L: int) -> list[int]:
    place, slope, found = rnd.choice([0, 0, rnd.randint(0, L)]), rnd.randint(0, 1), []
    for _ in range(L):
        found.append(min(place, L))
        if rnd.random() < 0.06:
            place, slope = place + rnd.randint(0, 3), rnd.randint(0, 1)
        place += slope
    return found


def mask_of_blocks(rnd: Random) -> BlockToeplitzMask:
    L = rnd.randint(11, 18)
    N = L * rnd.choice([2, 3, 4, 8]) + rnd.choice([0, rnd.randint(1, L - 1)])
    while True:
        near = [pattern(rnd, L) for _ in range(rnd.randint(1, 2))]
        mask = BlockToeplitzMask("blocks", N, L, near, pattern(rnd, L))
        if rnd.random() < 0.4:
            named = make_mask(rnd.choice([f"strided:{L}", f"fixed:{L},{rnd.randint(1, L - 1)}"]), N, N)
            if isinstance(named, BlockToeplitzMask):
                return named
        if mask.pairs:
            mask.empty_rows = "zero"
            return mask


def case_of(seed: int, make: Callable[[Random], Mask] = mask_of_blocks, share: float = 0.3) -> Case:
    """The case with a number: a random program, or a usual one, both perhaps with a part of an axis made different.

    ``make`` draws its mask, and ``share`` of all are random programs.
    """
    rnd = Random(seed)
    while True:
        mask = make(rnd)
        subject, program = subject_under(rnd, mask), ProgramOf(())
        if rnd.random() < share:
            program, _ = random_text(rnd, subject)
            family = subject.family
        else:
            family = with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, mask=mask)), ())
            program = ProgramOf(tuple(phase("", rnd.choice(USUAL)) for _ in range(rnd.randint(1, 2))))
        if program.phases and rnd.random() < 0.4:
            program = disturbed(rnd, program, family)
        if program.phases and acceptable(program, family) and affordable(program, family):
            return Case(program, family, f"seed {seed}")


def equal_documents(rnd: Random) -> BlockToeplitzMask:
    """Packed sequences of one length, kept as blocks."""
    length = rnd.choice([1, 2, 3, 4, 6, 8, 12])
    return equal_documents_mask(length, rnd.randint(6, max(7, 60 // length)), causal=rnd.random() < 0.5)


def documents_case_of(seed: int) -> Case:
    return case_of(seed, equal_documents, 0.6)


def check_foretold(begin: int, stop: int, of: Callable[[int], Case] = case_of) -> int:
    total = 0
    for seed in range(begin, stop):
        case = of(seed)
        with all_rounds_executed() as found:
            judge(SHORTCUTS["induction"], case.program, case.family, None)
        assert not found.wrong, "\n".join([str(case), *found.wrong])
        total += found.rounds
    return total


def check_counts(begin: int, stop: int, of: Callable[[int], Case] = case_of) -> None:
    for seed in range(begin, stop):
        case = of(seed)
        plain = judge(PLAIN, case.program, case.family, None)
        for M in (None, plain.found.peak if plain.found else 5):
            expected = plain if M is None else judge(PLAIN, case.program, case.family, M)
            difference = judge(SHORTCUTS["induction"], case.program, case.family, M).differs(expected)
            assert not difference, "\n".join([str(case), str(difference)])


@pytest.mark.parametrize(
    ("spec", "nodes"),
    [("strided:24", ROWS), ("fixed:24,5", COLUMNS), ("fixed:24,5", TILES)],
    ids=["rows", "columns", "tiles"],
)
def test_few_lines_of_a_block_are_executed(spec: str, nodes: Node) -> None:
    family = with_outputs(family_of(Problem.square(24 * 16 + 5, 1, mask=spec)), ())
    program = ProgramOf((phase("", nodes),))
    quick = run(program, family)
    mask = family.mask
    assert mask is not None
    assert quick.computes["S"] == mask.pairs
    assert quick.steps < 4000
    small = with_outputs(family_of(Problem.square(24 * 3 + 5, 1, mask=spec)), ())
    plain = judge(PLAIN, program, small, None)
    assert not judge(SHORTCUTS["induction"], program, small, None).differs(plain)


def same_as_plain(program: ProgramOf, family: Family) -> bool:
    plain = judge(PLAIN, program, family, None)
    assert plain.found
    return not judge(SHORTCUTS["induction"], program, family, None).differs(plain)


def test_keys_of_a_window_that_later_blocks_see_again_stay() -> None:
    """The second row of later blocks sees keys 10 to 12, which no end tells of any other row."""
    L, rows = 24, np.arange(24)
    window = BandMask("window", L, np.maximum(rows - 2, 0), rows + 1)
    second, later = rows == 1, rows > 1
    columns = BandMask("columns", L, 5 + 5 * second + 18 * later, 6 + 7 * second + 18 * later)
    mask = BlockToeplitzMask("again", 5 * L, L, [window], columns)
    family = with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, mask=mask)), ())
    assert same_as_plain(ProgramOf((phase("", ONCE),)), family)


def test_keys_in_the_middle_of_a_block_far_away_are_met() -> None:
    """Keys 84 to 86 are there beforehand; of the rows from 168 on, row 180 is the first that sees one."""
    family = with_outputs(family_of(Problem.square(245, 1, mask="strided:24")), ())
    before = loop("j", 1, load("K"), start=84, stop=87)
    rows = loop("i", 1, loop("j", 1, load("K"), delete("K")), start=168)
    assert same_as_plain(ProgramOf((phase("", before), phase("", rows))), family)


def test_parts_of_blocks_end_where_ends_meet_a_turn() -> None:
    mask = make_mask("fixed:16,4", 53, 53)
    assert isinstance(mask, BlockToeplitzMask)
    # Query 4 is the last of the cut block; query 11 sees the last key before the columns that later blocks see.
    parts = [(part.start, part.stop) for part in parts_of_blocks(mask, "i")]
    assert sorted(parts) == [(0, 4), (4, 5), (5, 11), (11, 15), (15, 16)]
    assert {part.stop for part in parts_of_blocks(mask, "j")} >= {5, 12, 16}


def test_rounds_in_blocks_are_as_foretold(short_stretches: None) -> None:
    assert check_foretold(0, 8) > 10


def test_counts_with_rounds_in_blocks(short_stretches: None) -> None:
    check_counts(110, 112)


def test_counts_of_equal_documents(short_stretches: None) -> None:
    check_counts(0, 2, documents_case_of)


@pytest.mark.slow
def test_many_counts_of_equal_documents(short_stretches: None) -> None:
    check_counts(1000, 1000 + MANY // 50, documents_case_of)


@pytest.mark.slow
def test_many_rounds_in_blocks_are_as_foretold(short_stretches: None) -> None:
    assert check_foretold(1000, 1000 + MANY // 10) > 400


@pytest.mark.slow
def test_many_counts_with_rounds_in_blocks(short_stretches: None) -> None:
    check_counts(5000, 5000 + MANY // 20)
