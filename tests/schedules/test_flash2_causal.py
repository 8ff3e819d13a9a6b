"""flash-2 with the short block first: machine, closed form and formula agree, and best takes it under a causal mask."""

from __future__ import annotations

import random

import pytest

from pebble.computations.problem import Problem
from pebble.program.closed_forms.count import closed_form
from pebble.program.schedule import Tiles, fitting_tiles, get
from pebble.testing import check_schedule
from tests.support.amounts import first


def formula(problem: Problem, tiles: Tiles) -> int:
    """Words of the queries and outputs, of the keys that each block sees, and of the row sums where they are kept."""
    N, width = problem.Nq, problem.d + problem.dv
    ends = [*range(tiles["first"] or tiles["rows"], N, tiles["rows"]), N]
    return int(N * width + width * sum(ends) + N * problem.stats)


@pytest.mark.many(4)
@pytest.mark.parametrize("seed", first(12, range(60)))
def test_machine_closed_form_and_formula_agree(seed: int) -> None:
    rnd = random.Random(seed)
    N = rnd.randint(1, 16)
    problem = Problem(N, N, rnd.randint(1, 4), rnd.randint(1, 4), stats=rnd.random() < 0.5, mask="causal")
    schedule = get("flash-2-causal")
    M = schedule.least_M(problem) + rnd.randint(0, 60)
    tiles = schedule.tiles(problem, M)
    found = check_schedule(schedule, problem, M, tiles)
    assert found.io == formula(problem, tiles)
    assert found.io <= check_schedule(get("flash-2"), problem, M).io


def test_without_a_mask_it_moves_what_flash_2_moves() -> None:
    for M in (25, 40, 100, 300):
        problem = Problem(23, 19, 3, 4)
        counts = [
            schedule.measure(problem, schedule.tiles(problem, M)).io
            for schedule in (get("flash-2-causal"), get("flash-2"))
        ]
        assert counts[0] == counts[1]


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("numerator", "denominator", "words"), [(1, 4, 2_906_624), (1, 2, 1_846_528), (1, 1, 1_317_248)]
)
def test_best_causal_count_at_4096(numerator: int, denominator: int, words: int) -> None:
    """The best that is known for N = 4096, d = 64 and M = Nd/4, Nd/2 and Nd."""
    problem = Problem.square(4096, 64, mask="causal")
    M = 4096 * 64 * numerator // denominator
    tiles = fitting_tiles(get("best"), problem, M)
    assert set(tiles) == {"first", "rows"}
    assert int(closed_form(get("best").program(problem, tiles), get("best").family(problem)).io) == words
