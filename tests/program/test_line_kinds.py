"""Lines that are folded by kinds: the same words and room as line by line, under every kind of mask."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program import compute, delete, load, loop, program, store
from pebble.program.counting.boxes import Effect
from pebble.program.counting.effects import Fold
from pebble.program.counting.line_kinds import LineKinds
from pebble.program.counting.measure import measure
from pebble.program.counting.run import run
from pebble.program.schedule import registered
from tests.program.generator import case_of
from tests.program.names import DenseMask
from tests.program.random_families import under
from tests.program.random_masks import random_mask
from tests.support import amounts


@pytest.mark.many(1)
@pytest.mark.parametrize("block", amounts.first(2, range(20)))
def test_schedules_move_the_same_by_kinds_of_lines(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 0
    for seed in range(60 * block, 60 * (block + 1)):
        rnd = Random(seed)
        n, m = rnd.randint(4, 60), rnd.randint(4, 60)
        if rnd.random() < 0.5:
            m, period = n, rnd.randint(2, 9)
            name = rnd.choice(
                [f"strided:{period}", f"fixed:{period},{rnd.randint(1, period)}", "causal", "nm:2:4"]
            )
            mask = make_mask(name, n, n, empty_rows="zero")
        else:
            mask = random_mask(rnd, n, m)
        problem = Problem(
            n, m, rnd.choice([1, 2, 3]), 2, mask=mask, pass_name=rnd.choice(["forward", "backward"])
        )
        schedule = rnd.choice([one for one in registered(problem.pass_name, "plain") if one.name != "best"])
        texts, family = [], schedule.family(problem)
        for _ in range(4):
            sizes = {
                name: rnd.randint(int(name not in schedule.may_be_zero), max(1, high))
                for name, high in schedule.greatest(problem).items()
            }
            with suppress(InvalidInput):
                texts.append(schedule.program(problem, sizes))
        by_kinds = measure(texts, family)
        with monkeypatch.context() as patch:
            patch.setattr(Fold, "_in_lines", lambda *_: None)
            assert np.array_equal(by_kinds, measure(texts, family)), (
                seed,
                schedule.name,
                problem.allowed.spec,
            )
        taken += len(texts)
    assert taken > 60


@pytest.mark.many(1)
@pytest.mark.parametrize("block", amounts.first(2, range(20)))
def test_random_programs_count_the_same_by_kinds_of_lines(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    proved = 0
    for seed in range(100 * block, 100 * (block + 1)):
        case = case_of(5 * 10**6 + seed)
        with suppress(InvalidInput, Violation, TooManyOperations):
            found = run(case.program, case.family)
            with monkeypatch.context() as patch:
                patch.setattr(Fold, "_in_lines", lambda *_: None)
                plain = run(case.program, case.family)
            assert (found.reads, found.writes, found.computes, found.peak) == (
                plain.reads, plain.writes, plain.computes, plain.peak
            ), str(case)  # fmt: skip
            proved += found.proved
    assert proved > 10


def test_sums_that_begin_behind_a_part_of_the_keys() -> None:
    """In a loop over the first keys, partial sums are there of the queries alone that have seen some of these."""
    proved = partly = 0
    for seed in range(120):
        rnd = Random(seed)
        n, m = rnd.randint(4, 12), rnd.randint(4, 14)
        table, cut = np.random.default_rng(seed).random((n, m)) < 0.3, rnd.randint(1, m - 1)
        mask = DenseMask("scattered", table | (table.sum() == 0))
        mask.empty_rows = "zero"
        step = (
            load("K", "V", "U", "l"),
            compute("S"),
            compute("P", replacing="S"),
            compute("l"),
            compute("U"),
            store("U", "l"),
            delete("P", "U", "l", "K", "V"),
        )
        keys = loop("j", 1, *step, stop=cut), loop("j", 1, *step, start=cut)
        done = load("U", "l"), compute("O"), store("O"), delete("O", "U", "l", "Q")
        text = program(loop("i", rnd.randint(1, 5), load("Q"), *keys, *done))
        family = under(family_of(Problem(n, m, 2, 2)), mask)
        with suppress(Violation):
            found, plain = (run(text, family, induction=induction) for induction in (True, False))
            assert (found.reads, found.writes, found.peak) == (plain.reads, plain.writes, plain.peak), seed
            proved += found.proved
            partly += bool(np.any(mask.first("i") >= cut) and np.any(mask.first("i") < cut))
    assert proved > 20
    assert partly > 10


class Line(NamedTuple):
    """Growth and room of a line with n pairs: linear, and a maximum of linear functions."""

    base: int
    slope: int
    needs: list[tuple[int, int]]

    def __call__(self, n: int) -> tuple[int, int]:
        growth = self.base + self.slope * n
        return growth, max(0, growth, *(a + b * n for a, b in self.needs))


def in_order(lines: list[tuple[int, int]]) -> tuple[int, int]:
    """Growth and room of lines one after the other."""
    grown = room = 0
    for growth, need in lines:
        room, grown = max(room, grown + need), grown + growth
    return grown, room


def test_room_that_no_order_of_the_lines_changes() -> None:
    """Where the room of a loop is right, it is that of its lines in any order, with any numbers of pairs."""
    rnd, right, largest = Random(1), [0, 0], 0
    for _ in range(4000):
        kinds = object.__new__(LineKinds)
        single = rnd.random() < 0.5
        if single:
            forms = [
                (rnd.randint(-1, 2) * rnd.randint(0, 1), rnd.randint(0, 3)) for _ in range(rnd.randint(1, 2))
            ]
            forms = [(growth, max(0, growth) + more) for growth, more in forms]
            times = [rnd.randint(1, 4) for _ in forms]
            lines = [form for form, number in zip(forms, times, strict=True) for _ in range(number)]
        else:
            base, slope = rnd.choice([(0, 0), (0, 0), (rnd.randint(-2, 2), rnd.randint(-1, 1))])
            needs = [(rnd.randint(-2, 3), rnd.randint(-1, 2)) for _ in range(3)]

            of = Line(base, slope, needs)
            most = rnd.randint(2, 6)
            pairs = [rnd.randint(1, most) for _ in range(rnd.randint(1, 6))]
            forms, lines = [of(1), of(2), of(most)], [of(n) for n in pairs]
            more = sum(pairs) - len(pairs)
            times = [len(pairs) - more, more, 0]
        kinds._single = np.array([single])
        kinds.row, kinds.times = np.zeros(len(forms), dtype=np.int64), np.array(times)
        grown, room = np.array(forms).T
        found, _, (is_right,), (is_largest,) = kinds.joined(
            Effect(grown[None, :].copy(), room.copy(), np.zeros((0, len(forms)), dtype=np.int64))
        )
        rnd.shuffle(lines)
        told = int(found.grown[0, 0]), int(found.room[0])
        if is_right:
            assert told == in_order(lines)
        if is_largest:
            assert in_order(lines) == (0, of(max(pairs))[1])
        right[int(is_right)] += single
        largest += bool(is_largest)
    assert min(*right, largest) > 50
