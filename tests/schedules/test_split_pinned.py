"""Safe softmax by groups of row blocks: words and room by formula, the cheapest choice, and safe softmax near N·d."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from pebble.computations.problem import Problem
from pebble.program.schedule import get
from pebble.testing import check_schedule
from schedules._staying_rows import StayingRows
from schedules.best import Best
from tests.schedules.test_flash2_mixed import formula, random_problem, random_tiles
from tests.support.amounts import first

MIXED = get("flash-2-mixed", "forward", "safe")
SPLIT = get("split-pinned", "forward", "safe")


def random_groups(rnd: random.Random, problem: Problem) -> dict[str, int]:
    group = rnd.randint(1, problem.Nq)
    pinned = rnd.choice([0, 1, 3, rnd.randint(0, 2 * problem.Nk)])
    slices = rnd.choice([1, 1, 2, problem.dv])
    return {"max_rows": group, "rows": rnd.randint(1, group), "slices": slices, "pinned": pinned}


@pytest.mark.many(1)
@pytest.mark.parametrize("seed", first(4, range(40)))
def test_all_readings_agree_at_any_tiles(seed: int) -> None:
    rnd = random.Random(seed)
    problem = replace(random_problem(rnd, rnd.choice([None, None, "causal", "window:3"])), softmax="safe")
    for schedule, tiles in ((MIXED, random_tiles(rnd, problem)), (SPLIT, random_groups(rnd, problem))):
        needed = schedule.measure(problem, tiles).peak
        found = check_schedule(schedule, problem, max(needed, schedule.least_M(problem)), tiles)
        assert found.peak == needed


@pytest.mark.many(10)
@pytest.mark.parametrize("seed", first(40, range(400)))
def test_words_are_those_of_the_formulas(seed: int) -> None:
    rnd = random.Random(seed)
    problem = replace(random_problem(rnd), softmax="safe")
    tiles, groups = random_tiles(rnd, problem), random_groups(rnd, problem)
    assert MIXED.measure(problem, tiles).io == formula(problem, tiles)
    assert SPLIT.measure(problem, groups).io == formula_of_groups(problem, groups)


def formula_of_groups(problem: Problem, tiles: dict[str, int]) -> int:
    """Words by the formula of the schedule's docstring, with rows of V that stay, and what is kept of each row."""
    group, rows = tiles["max_rows"], tiles["rows"]
    parts = StayingRows(problem, min(tiles["slices"], problem.dv), tiles["pinned"])
    sizes = [min(group, problem.Nq - start) for start in range(0, problem.Nq, group)]
    blocks = sum(-(-size // rows) for size in sizes)
    again = sum(size - min(rows, size) for size in sizes)
    of_K = len(sizes) + blocks * -(-problem.dv // parts.width)
    words = problem.Nq * (problem.d + problem.dv + 2 * problem.stats) + again * problem.d
    words += (problem.Nk * of_K - parts.keys * (of_K - 1)) * problem.d
    return words + (problem.Nk * blocks - parts.values * (blocks - 1)) * problem.dv


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "words", "name"),
    [
        ((1, 1), 8.5, "flash-2-mixed"),
        ((33, 16), 4.0, "split-pinned"),
        *(
            pytest.param(*more, marks=pytest.mark.slow)
            for more in [
                ((3, 8), 17.24, "split-pinned"),
                ((1, 2), 14.76, "flash-2-mixed"),
                ((5, 4), 7.05, "split-pinned"),
                ((3, 2), 5.7, "split-pinned"),
                ((15, 8), 4.65, "split-pinned"),
            ]
        ),
    ],
)
def test_words_at_4096(share: tuple[int, int], words: float, name: str) -> None:
    """N = 4096, d = 64, in units of N·d words; best moves as many."""
    problem, unit = Problem.square(4096, 64, softmax="safe"), 4096 * 64
    M = unit * share[0] // share[1]
    best = Best()
    tiles = best.tiles(problem, M)
    run = best.measure(problem, tiles)
    assert (round(run.io / unit, 2), best.chosen(problem, tiles).name) == (words, name)
    assert run.peak <= M


def test_the_last_group_and_block_may_be_short() -> None:
    """Seven rows in groups of 5 and 2, of blocks of 2, 2, 1 and 2; three rows of Q are read again."""
    problem, tiles = Problem(7, 6, 3, 2, softmax="safe"), {"max_rows": 5, "rows": 2, "slices": 2, "pinned": 4}
    words = 7 * (3 + 2) + 3 * 3 + 6 * ((2 + 4 * 2) * 3 + 4 * 2) - (2 + 4 * 2 - 1) * 4 * 3
    assert SPLIT.measure(problem, tiles).io == words
