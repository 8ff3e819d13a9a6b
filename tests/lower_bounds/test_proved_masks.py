"""Bounds under masks are never above what can be done: random pebblings, machine runs, exact optima."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pebble import optimal, schedule_dag
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lab.count import count_schedule
from pebble.lower_bounds import (
    best_bound,
    proved_bounds,
)
from pebble.lower_bounds.attention import by_parts as by_parts_module
from pebble.lower_bounds.attention.compulsory import compulsory_attention, compulsory_words
from pebble.program.schedule import get
from tests.lower_bounds.masked_pebblings import Player, io
from tests.lower_bounds.masked_problems import PASSES, kinds, random_mask


def random_problem(seed: int, most: int = 4) -> tuple[Problem, np.random.Generator]:
    rng = np.random.default_rng(seed)
    Nq, Nk = (int(n) for n in rng.integers(1, most + 1, 2))
    d, dv = (int(n) for n in rng.integers(1, 3, 2))
    pass_name = PASSES[seed % 2]
    stats = pass_name == "forward" and bool(rng.integers(2))
    return Problem(Nq, Nk, d, dv, stats=stats, pass_name=pass_name, mask=random_mask(Nq, Nk, rng)), rng


@pytest.mark.parametrize("seed", range(30))
def test_compulsory_words_are_the_inputs_and_outputs_of_the_family(seed: int) -> None:
    problem, _ = random_problem(seed, most=6)
    family = family_of(problem)
    outputs = sum(family.words(array.name) for array in family.outputs)
    inputs = sum(family.words(array.name) for array in family.inputs)
    assert compulsory_attention(problem, 9).value == compulsory_words(problem) == inputs + outputs


# Leaving pairs out: the lemma, on pebblings


def _compulsory(problem: Problem) -> int:
    return compulsory_words(problem)


# No bound is above what can be done


def check(problem: Problem, M: int, words: int) -> int:
    """Every bound that is not just a curve is at most a legal program's I/O; return the greatest."""
    found = proved_bounds(problem, M)
    for bound in found:
        assert bound.proved
        assert bound.value <= words, (problem, M, bound)
    assert {"by parts", "compulsory"} <= {bound.name for bound in found}
    return int(found[0].value)


@pytest.mark.many(12)
@pytest.mark.parametrize("seed", range(40))
def test_no_bound_is_above_a_random_pebbling(seed: int) -> None:
    problem, rng = random_problem(seed, most=5)
    dag = family_of(problem).dag()
    M = family_of(problem).max_indegree + 1 + int(rng.integers(0, 4))
    check(problem, M, io(Player(dag, M, rng).moves))


NAMES = {"forward": ("flash-1", "flash-2", "square-tile"), "backward": ("flash-2", "p-first")}


@pytest.mark.many(1)
@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("sizes", [(8, 8, 2, 2), (5, 7, 1, 2)])
def test_no_bound_is_above_a_machine_run(pass_name: str, sizes: tuple[int, int, int, int]) -> None:
    Nq, Nk, d, dv = sizes
    for spec in kinds(Nq, Nk, 3, 2):
        mask = make_mask(spec, Nq, Nk, empty_rows="zero")
        problem = Problem(Nq, Nk, d, dv, pass_name=pass_name, mask=mask)
        for name in NAMES[pass_name]:
            schedule = get(name, pass_name)
            M = schedule.least_M(problem) + 3
            row = count_schedule(schedule, problem, M, None, 1)
            if row.io is not None:
                check(problem, M, row.io)


@pytest.mark.slow
def test_bounds_above_compulsory_are_below_schedules_that_come_near() -> None:
    """Small heads and little memory, where T1, T2, B1 and the parts say more than the compulsory words."""
    above = 0
    for spec in (
        "causal",
        "document:12,12",
        "document:causal,12,6,6",
        "window:9",
        "longformer:window=6,global=4",
    ):
        for pass_name, d, name, M in (
            ("forward", 1, "flash-2", 10),
            ("forward", 2, "flash-2", 20),
            ("backward", 1, "split", 16),
        ):
            problem = Problem.square(24, d, pass_name=pass_name, mask=spec)
            row = count_schedule(get(name, pass_name), problem, M, None, 1)
            assert row.io is not None
            above += check(problem, M, row.io) > _compulsory(problem)
    assert above >= 9


TINY = [
    ("forward", [[1, 1], [0, 1]], 1, 1, False),
    ("forward", [[1, 0, 0], [0, 1, 1]], 1, 1, True),
    ("forward", [[1, 0], [0, 0], [1, 1]], 1, 1, False),
    ("forward", [[1, 0], [0, 1]], 2, 1, False),
    ("forward", [[1, 1, 0], [0, 1, 1]], 1, 1, False),
    ("backward", [[1, 0], [0, 1]], 1, 1, False),
    ("backward", [[1, 1]], 1, 1, False),
]


@pytest.mark.many(1)
@pytest.mark.parametrize(("pass_name", "allowed", "d", "dv", "stats"), TINY)
def test_no_bound_is_above_an_exact_optimum(
    pass_name: str, allowed: list[list[int]], d: int, dv: int, stats: bool
) -> None:
    mask = mask_from_array(np.array(allowed, dtype=bool), empty_rows="zero")
    problem = Problem(mask.Nq, mask.Nk, d, dv, stats=stats, pass_name=pass_name, mask=mask)
    family = family_of(problem)
    least = family.max_indegree + 1
    for M in (least, 64) if pass_name == "backward" else (least, least + 1, 64):
        best = optimal(family.dag(), M)
        assert best.proved
        check(problem, M, best.io)
    assert best.io == best_bound(problem, 64).value == _compulsory(problem)


def test_no_bound_is_above_an_automatic_schedule() -> None:
    rng = np.random.default_rng(5)
    above = 0
    for pass_name, order in (("forward", "depth-first"), ("backward", "depth-first")):
        for spec in ("causal", "document:5,5", "window:4"):
            problem = Problem.square(10, 1, pass_name=pass_name, mask=spec)
            family = family_of(problem)
            for M in (family.max_indegree + 1, family.max_indegree + 1 + int(rng.integers(1, 9))):
                found = schedule_dag(family.dag(), M, order=order)
                above += check(problem, M, found.io) > _compulsory(problem)
    assert above >= 3


# Wrong bounds are found out


def _machine_io(problem: Problem, M: int) -> int:
    row = count_schedule(get("flash-2", problem.pass_name), problem, M, None, 1)
    assert row.io is not None
    return row.io


@pytest.mark.parametrize("pass_name", PASSES)
def test_all_pairs_instead_of_those_allowed_would_be_caught(pass_name: str) -> None:
    problem = Problem.square(48, 1, pass_name=pass_name, mask="window:8")
    M = 24
    words = _machine_io(problem, M)
    check(problem, M, words)
    caught = {bound.name for bound in proved_bounds(problem.without_mask(), M) if bound.value > words}
    assert caught >= ({"T1"} if pass_name == "forward" else {"B1"})


def test_queries_without_keys_counted_as_others_would_be_caught() -> None:
    allowed = np.tri(12, dtype=bool)
    allowed[3:9] = False
    for pass_name in PASSES:
        problem = Problem.square(12, 2, pass_name=pass_name, mask=mask_from_array(allowed, empty_rows="zero"))
        words = _machine_io(problem, 400)
        check(problem, 400, words)
        assert _compulsory(problem.without_mask()) > words


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        # What is left out counts although its lines still have pairs.
        ("compulsory_words", lambda original: lambda part: original(replace(part, keys=part.pairs))),
        # More pairs than there are.
        ("_part", lambda original: lambda problem, counted: original(problem, counted * [4, 1, 1])),
    ],
)
def test_a_wrong_bound_by_parts_would_be_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any
) -> None:
    problem, M = Problem.square(48, 1, mask="causal"), 60
    words = _machine_io(problem, M)
    assert proved_bounds(problem, M)[0].value <= words
    monkeypatch.setattr(by_parts_module, name, wrong(getattr(by_parts_module, name)))
    assert proved_bounds(problem, M)[0].value > words
