"""Tiles under every kind of mask, on short axes: the machine runs every program of a schedule, at several M."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.problem import Problem
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles, fitting_tiles, get, registered
from schedules.best import Best
from tests.program.random_masks import regular
from tests.support.amounts import first

EXPLORE = os.environ.get("HYPOTHESIS_PROFILE") == "explore"
"""All schedules under all kinds of masks: an hour or more."""
KINDS = [
    *("causal", "window", "prefix", "document", "longformer", "strided", "fixed", "blocks"),
    *("selected", "butterfly", "nm", "group"),
]


def problem_of(kind: str, pass_name: str, form: str, seed: int, most: int) -> Problem:
    """A small problem under a random mask of a kind."""
    rnd = random.Random(f"{kind} {pass_name} {form} {seed}")
    N = 2 * rnd.randint(1, most // 2) if kind == "group" else rnd.randint(2, most)
    mask = None
    while mask is None or not mask.spec.startswith(kind) or {"+", "&"} & set(mask.spec):
        with suppress(InvalidInput):
            mask = regular(rnd, N, N)
    stats = pass_name == "forward" and rnd.random() < 0.3
    return Problem(
        N, N, rnd.randint(1, 2), rnd.randint(1, 3), stats, pass_name=pass_name, softmax=form, mask=mask
    )


def every_tile(schedule: Schedule, problem: Problem) -> Iterator[Tiles]:
    """Every combination of tile sizes for which there is a program, of each set of sizes that it takes."""
    most = schedule.greatest(problem)
    for names in (schedule.smallest(problem), *schedule.other_smallest(problem)):
        for sizes in product(
            *(range(int(name not in schedule.may_be_zero), most[name] + 1) for name in names)
        ):
            tiles = dict(zip(names, sizes, strict=True))
            try:
                schedule.program(problem, tiles)
            except InvalidInput:  # flash-2-mixed has a block, whole or in slices
                continue
            yield tiles


def check_all_sizes(schedule: Schedule, problem: Problem, rnd: random.Random) -> None:
    """At several M: the choice fits, and moves as few words as any tiles that fit; where none do it says so."""
    family = schedule.family(problem)
    runs = [run(schedule.program(problem, tiles), family) for tiles in every_tile(schedule, problem)]
    peaks = sorted({counted.peak for counted in runs})
    for M in (1, peaks[0] - 1):
        with pytest.raises(CacheTooSmall) as refused:
            fitting_tiles(schedule, problem, M)
        assert refused.value.least_M == peaks[0]
    for M in {peaks[0], peaks[-1], *(rnd.choice(peaks) + rnd.randint(0, 1) for _ in range(4))}:
        chosen = schedule.measure(problem, fitting_tiles(schedule, problem, M))
        assert chosen.peak <= M
        assert chosen.io == min(counted.io for counted in runs if counted.peak <= M), f"{problem}, M = {M}"


def searched(pass_name: str, form: str) -> list[str]:
    """The schedules that choose tiles: ``best`` has those of the others, ``small-cache`` a published size."""
    found = registered(pass_name, form)
    return [one.name for one in found if one.tile_names and one.name != "best" and not one.published_tiles]


CASES = [
    (name, pass_name, form)
    for pass_name, form in [
        ("forward", "plain"),
        ("forward", "safe"),
        ("forward", "online"),
        ("backward", "plain"),
    ]
    for name in searched(pass_name, form)
    if EXPLORE or len(get(name, pass_name, form).tile_names) <= 3
]


QUICK = [
    ("flash-2-packed", "forward", "document:causal"),
    ("flash-2-mixed", "forward", "window"),
    ("key-window", "forward", "blocks"),
    ("queries-causal", "backward", "prefix"),
]


@pytest.mark.parametrize(("name", "pass_name", "kind"), QUICK)
def test_the_choice_is_the_best_of_all_tiles(name: str, pass_name: str, kind: str) -> None:
    check_all_sizes(get(name, pass_name), problem_of(kind, pass_name, "plain", 0, 5), random.Random(name))


DENSE = [
    Problem(5, 4, 2, 3),
    Problem(4, 5, 3, 2, softmax="safe", stats=True),
    Problem(3, 4, 2, 2, pass_name="backward"),
    Problem.square(6, 2, pass_name="weights"),
    Problem.square(8, 3, attention="linear"),
    Problem.square(5, 3, 2, attention="linear", mask="causal"),
    Problem.square(4, 2, 3, attention="linear", mask="causal", gate=True),
    Problem(4, 4, 3, 2, shared_values=True),
    Problem(4, 4, 2, 1, heads=2, shared_rope=1),
]


@pytest.mark.many(3)
@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (problem, name)
        for problem in DENSE
        for name in searched(problem.pass_name, problem.form)
        if len((one := get(name, problem.pass_name, problem.form)).tile_names) <= 3
        and one.is_offered(problem)
    ],
    ids=str,
)
def test_the_choice_is_the_best_of_all_tiles_without_a_mask(problem: Problem, name: str) -> None:
    check_all_sizes(get(name, problem.pass_name, problem.form), problem, random.Random(name))


def some_kinds(cases: Sequence[tuple[str, ...]], of_each: int) -> list[tuple[str, ...]]:
    """Each case with some kinds of masks, other ones from case to case."""
    if EXPLORE:
        of_each = len(KINDS)
    return [
        (*case, KINDS[(place * of_each + more) % len(KINDS)])
        for place, case in enumerate(cases)
        for more in range(of_each)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pass_name", "form", "kind"), some_kinds(CASES, 1))
def test_the_choice_is_the_best_of_all_tiles_under_every_kind_of_mask(
    name: str, pass_name: str, form: str, kind: str
) -> None:
    for seed in (1, 2):
        sizes = len(get(name, pass_name, form).tile_names)
        most = 7 if sizes <= 2 else 4 if sizes <= 5 else 2
        check_all_sizes(
            get(name, pass_name, form),
            problem_of(kind, pass_name, form, seed, most),
            random.Random(f"{seed} {name}"),
        )


@pytest.mark.parametrize("pass_name", ["forward", pytest.param("backward", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", first(2, KINDS))
def test_best_is_no_worse_than_any_schedule(pass_name: str, kind: str) -> None:
    check_best(problem_of(kind, pass_name, "plain", 4, 6), random.Random(kind))


def check_best(problem: Problem, rnd: random.Random) -> None:
    """``best`` against each schedule that it picks among, with its own choice."""
    best = get("best", problem.pass_name, problem.form)
    assert isinstance(best, Best)
    others = [one for one in best.candidates(problem) if one.is_offered(problem)]
    N = max(problem.Nq, problem.Nk)
    for M in (best.least_M(problem), rnd.randint(8, 4 * N), rnd.randint(8, 20 * N)):
        words = {}
        for one in others:
            try:
                words[one.name] = one.measure(problem, fitting_tiles(one, problem, M)).io
            except CacheTooSmall:
                continue
        if words:
            chosen = best.measure(problem, fitting_tiles(best, problem, M))
            assert chosen.peak <= M
            assert chosen.io <= min(words.values()), f"{problem}, M = {M}: {chosen.io}, {words}"
