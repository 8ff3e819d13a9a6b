"""The plain machine against elementary referees: sets of pebbles, sets of terms, and the game with several levels."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.computations.matmul import matmul_family
from pebble.program.counting import storage
from pebble.program.counting.plain import execute
from pebble.program.parts_in_turn import for_each_part
from tests.program.generator import case_of
from tests.program.names import (
    Family,
    Problem,
    Program,
    Run,
    compute,
    delete,
    family_of,
    load,
    loop,
    make_mask,
    phase,
    program,
    store,
)
from tests.program.program_checks import place_of, place_text, seeded_program
from tests.program.program_reference import refer
from tests.program.random_programs import random_family
from tests.program.sums_reference import refer_to_sets
from tests.program.test_run_levels import NARROWER, masked_case, played, random_case
from tests.program.test_run_sums import free_case
from tests.support import amounts

PRODUCT = program(
    phase(
        "",
        loop(
            "i",
            2,
            load("A"),
            loop("j", 2, load("B"), compute("C"), delete("B"), store("C"), delete("C")),
            delete("A"),
        ),
    )
)


def held_to_pebbles(text: Program, family: Family, M: int | None = None) -> Run | str:
    """Compare verdict, place, counts, peak and final state; the run, or the broken rule."""
    expected, refused = refer(text, family, M), None
    try:
        found = execute(text, family, (M,))[0]
    except Violation as violation:
        refused = violation
    if refused is not None:
        assert refused.rule in expected.broken
        assert place_of(str(refused)) == place_text(expected)
        return refused.rule
    assert expected.legal
    assert (found.peak, sum(found.peak_words.values())) == (expected.peak, expected.peak)
    assert found.steps == expected.executed
    for array in family.arrays:
        name = array.name
        counts = found.reads[name], found.writes[name], found.computes[name]
        assert counts == (expected.reads[name], expected.writes[name], expected.computes[name])
        for state, pebbles in zip(found.final_state(name), (expected.red, expected.blue), strict=True):
            there = {
                index: max(steps) + 1 for (owner, index), steps in pebbles.items() if owner == name and steps
            }
            assert {index: state[index] for index in there} == there
            assert (state > 0).sum() == len(there)
    return found


def check_cases(seeds: range) -> Counter[str]:
    """Compare random programs, and legal ones at their peak and with a word less."""
    tally: Counter[str] = Counter()
    for seed in seeds:
        rnd = Random(seed)
        if seed % 3:
            case = case_of(seed)
            text, family = case.program, case.family
        else:
            family = random_family(rnd)
            text = seeded_program(rnd, family)
        try:
            found = held_to_pebbles(text, family)
            tally["legal" if isinstance(found, Run) else found] += 1
            if isinstance(found, Run) and found.peak > 1:
                assert isinstance(held_to_pebbles(text, family, found.peak), Run)
                assert held_to_pebbles(text, family, found.peak - 1) == "memory-full"
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {family!r}\n{text}\n{error}") from error
    return tally


@pytest.mark.parametrize("block", amounts.first(1, range(20)))
def test_random_programs_do_what_pebbles_do(block: int) -> None:
    tally = check_cases(range(120 * block, 120 * (block + 1)))
    assert tally["legal"] > 25
    assert len(tally) > 5


@pytest.mark.parametrize("block", amounts.first(1, range(10)))
def test_sums_in_any_order_do_what_sets_of_terms_do(block: int) -> None:
    legal = 0
    for seed in range(60 * block, 60 * (block + 1)):
        case = free_case(seed)
        if case is None:
            continue
        text, family = case
        try:
            found = execute(text, family)[0]
            moved = (("load", found.reads), ("store", found.writes), ("compute", found.computes))
            counts = {
                f"{action} {name}": count for action, of in moved for name, count in of.items() if count
            }
            answer = "", {**counts, "peak": found.peak}
            legal += 1
        except Violation as violation:
            answer = violation.rule, {}
        assert answer == refer_to_sets(text, family), f"seed {seed}, {family!r}\n{text}"
    assert legal >= 10


def check_levels(seed: int, masked: bool) -> str:
    """Compare a random program for several levels with the game; the broken rule, or nothing."""
    text, family, levels, inclusive = masked_case(seed) if masked else random_case(seed)
    sizes = tuple(10**6 + level for level in range(levels))
    game, rule = played(text, family, sizes, inclusive), ""
    try:
        runs = execute(text, family, sizes, inclusive=inclusive)
    except Violation as violation:
        rule = violation.rule
    if rule:
        # In the game a chain may be computed once more where a line has not begun.
        begun_again = masked and rule == "compute-needs-predecessors"
        assert game is None or rule in NARROWER or begun_again, f"seed {seed}\n{text}"
        return rule
    assert game is not None, f"seed {seed}\n{text}"
    for level, (one, tally) in enumerate(zip(runs, game.tallies, strict=True)):
        assert (one.total_reads, one.total_writes, one.peak) == (tally.reads, tally.writes, tally.peak)
        scarce = [one.peak - 1 if at == level else size for at, size in enumerate(sizes)]
        if one.peak > 1 and (not inclusive or scarce == sorted(scarce)):
            with pytest.raises(Violation, match="more are needed"):
                execute(text, family, scarce, inclusive=inclusive)
    return ""


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("block", amounts.first(1, range(10)))
def test_levels_do_what_the_game_does(block: int, masked: bool) -> None:
    found = [check_levels(seed, masked) for seed in range(30 * block, 30 * (block + 1))]
    assert found.count("") >= 2
    assert len(set(found)) >= 4


def test_parts_of_a_mask_are_executed_in_turn() -> None:
    problem = Problem.square(7, 1, mask="document:4,3")
    text = for_each_part(
        problem.allowed, lambda part: program(phase("", loop("i", 2, load("Q"), delete("Q"))))
    )
    family = family_of(problem)
    with pytest.raises(Violation, match="not all of O is in slow memory"):
        execute(text, family)
    seen: list[int] = []
    with pytest.raises(Violation):
        execute(text, family, observe=lambda machine: seen.append(machine.occupied))
    assert seen == [2, 0, 2, 0, 2, 0, 1, 0]


def test_what_is_too_large_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    family = matmul_family(4, 4, 3)
    assert execute(PRODUCT, family, (17,))[0].io == 12 + 24 + 16
    with pytest.raises(TooManyOperations, match="more than 5 operations, executed one by one"):
        execute(PRODUCT, family, step_limit=5)
    monkeypatch.setattr(storage, "MOST_ELEMENTS", 39)
    with pytest.raises(TooManyOperations, match=r"not verified at this size: .* 40 elements"):
        execute(PRODUCT, family)


def test_sums_in_any_order_under_a_mask_or_at_several_levels_are_refused() -> None:
    family = matmul_family(4, 4, 3)
    with pytest.raises(InvalidInput, match="not with sums in any order"):
        execute(PRODUCT, family.with_free_sums(["k"]), (10, 20))
    free = family_of(Problem.square(4, 1, sums="free"))
    mask = make_mask("causal", 4, 4)
    assert mask is not None
    with pytest.raises(InvalidInput, match="without a mask only"):
        execute(program(phase("", load("Q"))), free.under(mask))
