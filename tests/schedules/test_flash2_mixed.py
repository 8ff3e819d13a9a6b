"""flash-2 with its last row block in slices: machine, closed form and formula agree, and the choice is the cheapest."""

from __future__ import annotations

import random

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.program.closed_forms.count import closed_form
from pebble.program.schedule import fitting_tiles, get
from pebble.testing import check_schedule
from schedules.flash2_mixed import MixedBlocks
from tests.support.amounts import first

MIXED = get("flash-2-mixed")


def random_problem(rnd: random.Random, mask: str | None = None) -> Problem:
    Nq = rnd.randint(1, 14)
    Nk = Nq if mask == "causal" else rnd.randint(1, 12)
    sizes = Nq, Nk, rnd.randint(1, 5), rnd.randint(1, 6)
    allowed = None if mask is None else make_mask(mask, Nq, Nk, empty_rows="zero")
    return Problem(*sizes, stats=rnd.random() < 0.5, mask=allowed)


def random_tiles(rnd: random.Random, problem: Problem) -> dict[str, int]:
    slices = rnd.choice([0, 0, 1, 2, 2, 3, problem.dv])
    blocks = rnd.randint(0 if slices else 1, 5)
    return {
        "blocks": blocks,
        "slices": slices,
        "pinned": rnd.choice([0, 1, 3, rnd.randint(0, 2 * problem.Nk)]),
    }


@pytest.mark.many(2)
@pytest.mark.parametrize("seed", first(8, range(60)))
def test_all_readings_agree_at_any_tiles(seed: int) -> None:
    rnd = random.Random(seed)
    mask = rnd.choice([None, None, "causal", "window:3", "blocks:size=2,density=0.5"])
    problem = random_problem(rnd, mask)
    tiles = random_tiles(rnd, problem)
    needed = MIXED.measure(problem, tiles).peak
    found = check_schedule(MIXED, problem, max(needed, MIXED.least_M(problem)), tiles)
    assert found.peak == needed


@pytest.mark.many(10)
@pytest.mark.parametrize("seed", first(50, range(600)))
def test_words_are_those_of_the_formula(seed: int) -> None:
    rnd = random.Random(seed)
    problem = random_problem(rnd)
    tiles = random_tiles(rnd, problem)
    run = MIXED.measure(problem, tiles)
    assert run.io == formula(problem, tiles)
    assert run.io == int(closed_form(MIXED.program(problem, tiles), MIXED.family(problem)).io)


def formula(problem: Problem, tiles: dict[str, int]) -> int:
    """Words by the formula of the schedule's docstring, with rows of V that stay, and the row sums if kept."""
    mixed = MixedBlocks(problem, tiles["slices"], tiles["pinned"], tiles["blocks"])
    sums = (1 + (problem.form != "plain")) * problem.stats
    blocks = -(-(problem.Nq - mixed.sliced_rows) // mixed.rows) if mixed.rows else 0
    of_V = blocks + (mixed.slices > 0)
    slices = -(-problem.dv // mixed.width) if mixed.slices else 0
    of_K = blocks + slices + (problem.form == "safe") * of_V
    words = problem.Nq * (problem.d + problem.dv + sums)
    words += (problem.Nk * of_K - mixed.keys * (of_K - 1)) * problem.d
    return words + (problem.Nk * of_V - mixed.values * (of_V - 1)) * problem.dv


@pytest.mark.parametrize("seed", first(12, range(200)))
def test_a_mask_takes_no_more_room(seed: int) -> None:
    rnd = random.Random(seed)
    problem = random_problem(rnd, rnd.choice(["causal", "window:2", "blocks:size=2,density=0.6", "prefix:1"]))
    tiles = random_tiles(rnd, problem)
    assert MIXED.measure(problem, tiles).peak <= MIXED.measure(problem.without_mask(), tiles).peak


def test_words_by_the_formula() -> None:
    problem, tiles = Problem(40, 30, 4, 6), {"blocks": 3, "slices": 2, "pinned": 7}
    sweeps_of_K, sweeps_of_V = 3 + 2, 3 + 1
    words = 40 * (4 + 6) + 30 * (sweeps_of_K * 4 + sweeps_of_V * 6) - (sweeps_of_K - 1) * 7 * 4
    assert MIXED.measure(problem, tiles).io == words == formula(problem, tiles)


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("share", "words", "tiles"),
    [
        ((1, 4), 18.94, (7, 2, 30)),
        ((3, 8), 13.81, (6, 0, 157)),
        ((13, 8), 4.89, (0, 2, 446)),
        *(
            pytest.param(*more, marks=pytest.mark.slow)
            for more in [
                ((1, 16), 67.98, (33, 0, 2)),
                ((1, 8), 34.98, (15, 2, 4)),
                ((1, 2), 10.86, (3, 2, 139)),
                ((5, 8), 8.94, (2, 2, 78)),
                ((3, 4), 7.85, (3, 0, 316)),
                ((7, 8), 6.98, (1, 2, 38)),
                ((1, 1), 6.73, (1, 2, 550)),
                ((33, 16), 4.00, (1, 0, 0)),
            ]
        ),
    ],
)
def test_words_at_4096(share: tuple[int, int], words: float, tiles: tuple[int, int, int]) -> None:
    """N = 4096, d = 64, in units of N·d words: what these tiles move, which fit; best moves as many."""
    problem, unit = Problem.square(4096, 64), 4096 * 64
    M = unit * share[0] // share[1]
    run = MIXED.measure(problem, MIXED.tiles(problem, M))
    known = MIXED.measure(problem, dict(zip(("blocks", "slices", "pinned"), tiles, strict=True)))
    assert (run.io, round(run.io / unit, 2)) == (known.io, words)
    assert max(run.peak, known.peak) <= M
    best = get("best")
    assert best.measure(problem, best.tiles(problem, M)).io == run.io


@pytest.mark.many(1)
@pytest.mark.parametrize("mask", ["causal", "window:40", "document:50,110"])
def test_under_a_mask_it_fits_and_counts_the_mask(mask: str) -> None:
    problem = Problem.square(160, 8, mask=mask)
    M = 160 * 8 // 2
    tiles = fitting_tiles(MIXED, problem, M)
    run = MIXED.measure(problem, tiles)
    assert run.peak <= M
    assert run.io < MIXED.measure(problem.without_mask(), tiles).io


def test_slices_are_chosen_under_a_mask_that_leaves_most_pairs() -> None:
    problem = Problem.square(160, 8, mask="prefix:140")
    tiles = fitting_tiles(MIXED, problem, 160 * 8)
    run = MIXED.measure(problem, tiles)
    assert (tiles["slices"], run.io) == (2, 8480)
    assert run.peak <= 160 * 8
    whole = (MIXED.measure(problem, tiles | {"blocks": blocks, "slices": 0}) for blocks in range(1, 9))
    assert run.io < min(one.io for one in whole if one.peak <= 160 * 8)


def test_one_of_blocks_and_slices_is_needed() -> None:
    with pytest.raises(InvalidInput, match="must be at least 1"):
        MIXED.program(Problem(4, 4, 2, 2), {"blocks": 0, "slices": 0, "pinned": 0})
