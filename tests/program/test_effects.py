"""Counts by proof and fold are those of the plain machine, of plain sets of pebbles and of the elementary game."""

from __future__ import annotations

import os
from contextlib import suppress
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.band_questions import BandQuestions
from pebble.computations.masks.union_mask import UnionQuestions
from pebble.computations.matmul import matmul_family
from pebble.program import program
from pebble.program.counting.boxes import Effect
from pebble.program.counting.effects import Fold
from pebble.program.counting.measure import measure
from pebble.program.counting.run import run
from pebble.program.counting.texts import texts_in_turn
from pebble.program.schedule import get, registered
from pebble.program.schedule.words_text import words_moved_by
from tests.program.differences import PLAIN, SHORTCUTS, against_plain_loops, differences, judge
from tests.program.generator import case_of, long_case_of
from tests.program.named_cases import NAMED, Named
from tests.program.names import (
    InvalidInput,
    Problem,
    compute,
    delete,
    family_of,
    load,
    loop,
    phase,
    store,
)
from tests.support import amounts

BLOCK = 50
MANY = int(os.environ.get("PEBBLE_CASES", "4000"))


def check(first: int, stop: int) -> None:
    """Judge the cases with these numbers."""
    for seed in range(first, stop):
        case = case_of(seed)
        found = differences(case)
        assert not found, "\n".join([str(case), *found])


@pytest.mark.many(1)
@pytest.mark.parametrize("block", amounts.first(3, range(6)))
def test_all_readings_of_random_programs_agree(block: int) -> None:
    check(BLOCK * block, BLOCK * (block + 1))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_all_readings_of_many_random_programs_agree(block: int) -> None:
    size = -(-MANY // 100)
    check(10**6 + size * block, 10**6 + size * (block + 1))


def check_long(first: int, stop: int) -> None:
    """Judge the long cases with these numbers, against the plain loops only."""
    for seed in range(first, stop):
        case = long_case_of(seed)
        found = against_plain_loops(case.program, case.family)
        assert not found, "\n".join([str(case), *found])


@pytest.mark.slow
@pytest.mark.parametrize("block", amounts.first(2, range(6)))
def test_long_programs_are_folded_as_they_are_executed(block: int) -> None:
    check_long(20 * block, 20 * (block + 1))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_many_long_programs_are_folded_as_they_are_executed(block: int) -> None:
    size = -(-MANY // 400)
    check_long(10**6 + size * block, 10**6 + size * (block + 1))


# Lines whose partners go up by one from line to line


@pytest.mark.slow
@pytest.mark.parametrize("block", amounts.first(2, range(12)))
def test_three_lines_stand_for_all_of_a_group(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = Random(block)
    groups, risen = [0], Fold._risen

    def counted(fold: Fold, *columns: Any) -> Any:
        found = risen(fold, *columns)
        groups[0] += not fold.piled
        return found

    monkeypatch.setattr(Fold, "_risen", counted)
    for _ in range(40):
        pass_name, n = rnd.choice(["forward", "backward"]), rnd.randint(8, 60)
        window, start = rnd.randint(1, n), rnd.randint(1, n - 1)
        mask = rnd.choice(
            ["causal", f"window:{window}", f"prefix:{start}", f"document:causal,{start},{n - start}"]
        )
        if rnd.random() < 0.5:
            mask = rnd.choice(
                [
                    f"longformer:window={2 * (window // 2)},global={-(-start // 4)}",
                    f"streaming:{-(-start // 4)},{window}",
                    f"{mask}+sink:{start}",
                    f"window:left={start},right={window}&causal+{mask}",
                ]
            )
        group = rnd.choice([1, 1, 2, 3])
        mask = f"group:{group}:{mask}" if group > 1 else mask
        problem = Problem(n * group, n, 2, 2, mask=mask, pass_name=pass_name)
        schedule = rnd.choice(registered(pass_name, "plain"))
        tiles = {
            name: rnd.randint(int(name not in schedule.may_be_zero), max(1, high))
            for name, high in schedule.greatest(problem).items()
        }
        with suppress(InvalidInput):
            text, family = schedule.program(problem, tiles), schedule.family(problem)
            grouped = measure([text], family)
            with monkeypatch.context() as one_by_one:
                for kind in (BandQuestions, UnionQuestions):
                    one_by_one.setattr(kind, "rises", False)
                    problem.allowed.__dict__.pop("questions", None)
                assert np.array_equal(grouped, measure([text], family)), (schedule.name, mask, n, tiles)
    assert groups[0] > 20


def test_what_lines_that_rise_add_up_to() -> None:
    """Growth and room that go up evenly, or down, from line to line are composed as line by line."""
    rnd = Random(1)
    for _ in range(200):
        number = rnd.randint(4, 12)
        more = number * (number - 1) // 2
        ends = [(rnd.randint(-9, 9), rnd.randint(-4, 4)) for _ in range(2)]
        grown, room = (np.array([first + rise * t for t in range(number)]) for first, rise in ends)
        lines = Effect(grown[None], room, np.zeros((0, number), dtype=np.int64))
        expected, _ = lines.sequence(np.zeros(number, dtype=np.int64))
        samples, times = lines.take(np.array([0, 1, number - 1])), np.array([number - more, more, 0])
        fold: Any = SimpleNamespace(piled=False)
        found, _, once = Fold._risen(fold, samples, np.zeros(3, dtype=np.int64), times)
        assert found.grown.tolist() == expected.grown.tolist()
        assert found.room.tolist() == expected.room.tolist()
        assert (once.tolist(), fold.piled) == ([1], False)


@pytest.mark.parametrize("mask", ["causal", "window:3"])
@pytest.mark.parametrize(
    ("array", "at"), [("Q", {"i": (0, 3)}), ("K", {"j": (2, 5)}), ("P", {"j": (2, 5)}), ("P", {"i": (2, 5)})]
)
def test_parts_that_each_line_takes_are_moved_again(array: str, at: dict[str, Any], mask: str) -> None:
    text = program(phase("", loop("i", 1, load(array, **at), delete(array, **at))))
    family = family_of(Problem.square(9, 1, mask=mask))
    one_by_one = Fold(texts_in_turn(text, family)[0][0], {}, by_array=True).moved[0, 0, 0].sum()
    assert words_moved_by([text], family, 10**6) == measure([text], family)[0] == one_by_one


# Several programs at once, and very large ones


@pytest.mark.parametrize("mask", [None, "causal", "window:10"])
def test_sizes_beyond_64_bits_are_counted_exactly(mask: str | None) -> None:
    """Words, computations and room grow linearly with d = dv, once it is not tiny: two sizes foretell a third."""
    schedule, large = get("flash-2", "forward"), 10**18

    def words(d: int) -> list[int]:
        problem = Problem.square(2000, d, mask=mask)
        found = run(schedule.program(problem, {"rows": 7}), schedule.family(problem))
        return [found.io, sum(found.computes.values()), found.peak]

    one, two = words(100), words(101)
    assert words(large) == [a + (large - 100) * (b - a) for a, b in zip(one, two, strict=True)]


def test_what_is_not_proved_is_executed_or_refused() -> None:
    """Terms that come in no order are no matter for the proof."""
    parts = (
        loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"), start=a, stop=b)
        for a, b in ((2, 4), (0, 2))
    )
    text = program(phase("", loop("i", 1, loop("j", 1, *parts, store("C"), delete("C")))))
    small = run(text, matmul_family(4, 4, 4).with_free_sums(("k",)))
    assert (small.io, small.proved) == (2 * 64 + 16, False)
    with pytest.raises(TooManyOperations, match="the text does not prove that it is legal"):
        run(text, matmul_family(400, 400, 4).with_free_sums(("k",)), step_limit=1000)


@pytest.mark.parametrize("named", NAMED, ids=lambda named: named.name)
def test_all_readings_of_telling_programs_agree(named: Named) -> None:
    text, family = named.case.program, named.case.family
    assert not differences(named.case), str(named.case)
    assert {judge(runner, text, family, None).rule for runner in (PLAIN, *SHORTCUTS.values())} == {named.rule}
