"""Lines that stay: those searched against all numbers of them, and what the search takes for granted."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.program.nodes import Program
from pebble.program.schedule import Schedule, Tiles, every_size, fitting_tiles, get
from pebble.program.schedule.batch_counts import BatchCounts
from pebble.program.schedule.resident_sizes import most_resident
from tests.program.random_masks import random_mask
from tests.support.amounts import first

STAYING = [
    ("flash-2-mixed", "forward", "plain"),
    ("split-pinned", "forward", "safe"),
    ("flash-2-mixed", "forward", "online"),
    ("flash-2-mixed", "forward", "safe"),
    ("flash-2-pinned", "forward", "plain"),
    ("flash-2-sliced", "forward", "plain"),
    ("keys-pinned", "backward", "plain"),
    ("keys-mixed", "backward", "plain"),
    ("queries-pinned", "backward", "plain"),
    ("split", "backward", "plain"),
]
COMBINED = STAYING[:4]
"""Those with two more sizes and more."""


def random_problem(seed: int, pass_name: str, form: str, size: int) -> Problem:
    rnd = random.Random(f"{seed} {pass_name} {form}")
    Nq, Nk = rnd.randint(1, size), rnd.randint(1, size)
    problem = Problem(Nq, Nk, rnd.randint(1, 4), rnd.randint(1, 5), pass_name=pass_name, softmax=form)
    return replace(problem, mask=random_mask(rnd, Nq, Nk))


def chosen_words(schedule: Schedule, problem: Problem, M: int) -> int | None:
    """What the choice moves, if some tiles fit."""
    try:
        chosen = schedule.measure(problem, fitting_tiles(schedule, problem, M))
    except CacheTooSmall:
        return None
    assert chosen.peak <= M
    return chosen.io


def check_searched(monkeypatch: pytest.MonkeyPatch, schedule: Schedule, problem: Problem, seed: int) -> None:
    """At several M, the smallest among them: the same words with all numbers tried and with the search."""
    least = schedule.measure(problem, schedule.smallest(problem)).peak
    rnd = random.Random(seed)
    tried = [least - 1, least, *(least + rnd.randint(1, 8 * max(problem.Nq, problem.Nk)) for _ in range(4))]
    monkeypatch.setattr(every_size, "_EVERY_RESIDENT", 1 << 40)
    every = [chosen_words(schedule, problem, M) for M in tried]
    monkeypatch.setattr(every_size, "_EVERY_RESIDENT", 0)
    every_size._most_resident.cache_clear()
    assert [chosen_words(schedule, problem, M) for M in tried] == every, f"{problem}, M of {tried}"


@pytest.mark.parametrize("case", first(1, STAYING), ids=str)
def test_the_search_finds_what_trying_all_numbers_finds(
    monkeypatch: pytest.MonkeyPatch, case: tuple[str, str, str]
) -> None:
    check_searched(monkeypatch, get(*case), random_problem(0, *case[1:], 4), 0)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pass_name", "form"), STAYING)
@pytest.mark.parametrize("seed", range(1, 2))
def test_the_search_finds_what_trying_all_numbers_finds_on_longer_axes(
    monkeypatch: pytest.MonkeyPatch, name: str, pass_name: str, form: str, seed: int
) -> None:
    check_searched(monkeypatch, get(name, pass_name, form), random_problem(seed, pass_name, form, 6), seed)


def random_tables(rnd: np.random.Generator, starts: list[int], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Words and room of some programs with every number of lines: in each range fewer words, and more room."""
    shape = int(rnd.integers(1, 300)), most + 1
    words, room = rnd.integers(0, 9, shape), rnd.integers(1, 40, shape)
    for low, high in pairwise([*starts, most + 1]):
        words[:, low:high] = np.sort(words[:, low:high])[:, ::-1]
        room[:, low:high] = np.sort(room[:, low:high])
    return words, room


@pytest.mark.parametrize("seed", range(20))
def test_the_search_finds_the_least_of_any_tables(seed: int) -> None:
    rnd = np.random.default_rng(seed)
    Nq, Nk = rnd.integers(1, 9, 2).tolist()
    problem = Problem(Nq, Nk, 1, 1)
    most = problem.Nk * int(rnd.integers(1, 3))
    starts = sorted({0, *(n for n in (problem.Nq, problem.Nk, 2 * problem.Nq, 2 * problem.Nk) if n <= most)})
    words, room = random_tables(rnd, starts, most)
    staying = np.minimum.accumulate(room.min(axis=0)[::-1])[::-1].tolist()

    def count(places: np.ndarray, lines: np.ndarray) -> BatchCounts:
        return BatchCounts(words[places, lines], room[places, lines], 0 * lines)

    for M in range(42):
        lines, found = most_resident(problem, M, len(words), most, count, staying.__getitem__)
        fitting = found.room <= M
        if (room <= M).any():
            assert found.words[fitting].min() == words[room <= M].min()
            places = np.flatnonzero(fitting)
            assert (words[places, lines[places]] == found.words[places]).all()
            assert (room[places, lines[places]] == found.room[places]).all()
        else:
            assert not fitting.any()


def every_program(schedule: Schedule, problem: Problem) -> dict[tuple[int, ...], Program]:
    names, most = list(schedule.smallest(problem)), schedule.greatest(problem)
    found = {}
    for sizes in product(*(range(int(name not in schedule.may_be_zero), most[name] + 1) for name in names)):
        try:
            found[sizes] = schedule.program(problem, dict(zip(names, sizes, strict=True)))
        except InvalidInput:  # flash-2-mixed has a block, whole or in slices
            continue
    return found


@pytest.mark.parametrize(("name", "pass_name", "form"), COMBINED)
def test_of_tiles_with_the_same_program_one_is_said_to_differ(name: str, pass_name: str, form: str) -> None:
    schedule, problem = get(name, pass_name, form), Problem(5, 2, 1, 6, softmax=form, pass_name=pass_name)
    names = list(schedule.smallest(problem))
    found = every_program(schedule, problem)
    kept = {
        program
        for sizes, program in found.items()
        if schedule.differs(problem, dict(zip(names, sizes, strict=True)))
    }
    assert kept == set(found.values())
    assert len(kept) < len(found)


@pytest.mark.parametrize("seed", first(1, range(6)))
@pytest.mark.parametrize(("name", "pass_name", "form"), COMBINED)
def test_lines_that_stay_take_no_more_than_the_program_needs(
    name: str, pass_name: str, form: str, seed: int
) -> None:
    schedule, problem, rnd = (
        get(name, pass_name, form),
        random_problem(seed, pass_name, form, 8),
        random.Random(seed),
    )
    most = schedule.greatest(problem)
    tiles: Tiles = {one: rnd.randint(1, most[one]) for one in schedule.smallest(problem)}
    staying = [schedule.staying(problem, lines) for lines in range(most["pinned"] + 1)]
    assert staying == sorted(staying)
    assert staying[tiles["pinned"]] <= schedule.measure(problem, tiles).peak


def test_sizes_of_both_kinds_are_tried() -> None:
    """Whole tiles of the backward pass where keys alone do not fit, rectangles where they move fewer words."""
    one_tile = Problem(1, 5, 8, 8, mask=make_mask("causal", 1, 5), pass_name="backward")
    flash = get("flash-1", "backward")
    assert flash.measure(one_tile, {"cols": 1}).peak > 53
    assert set(fitting_tiles(flash, one_tile, 53)) == {"rows", "cols"}
    square, causal = get("square-tile"), Problem.square(3, 6, dv=3, mask="causal")
    assert square.measure(causal, fitting_tiles(square, causal, 6)).io == 99


@pytest.mark.slow
def test_more_combinations_than_were_tried_one_by_one() -> None:
    """Wide values have many slices; few differ. A block of as many rows and slices fits that others do not."""
    schedule, problem = get("flash-2-mixed"), Problem.square(6, 4, dv=100, mask="causal")
    assert len({-(-100 // slices) for slices in range(1, 101)}) == sum(
        schedule.differs(problem, {"blocks": 0, "slices": slices, "pinned": 0}) for slices in range(1, 101)
    )
    rnd, words = random.Random(1), schedule.measure(problem, fitting_tiles(schedule, problem, 700)).io
    for _ in range(30):
        tiles = {
            "blocks": rnd.randint(1, 6),
            "slices": int(rnd.choice(np.arange(100))),
            "pinned": rnd.randint(0, 12),
        }
        counted = schedule.measure(problem, tiles)
        assert counted.peak > 700 or counted.io >= words
