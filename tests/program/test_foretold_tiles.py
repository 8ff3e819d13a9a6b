"""About how many tiles the machine looks at: told before the run, and said instead of it where they are too many."""

from __future__ import annotations

import pytest

from pebble.common.errors import TooManyOperations
from pebble.computations.problem import Problem
from pebble.lab.count import count_schedule
from pebble.program.machine.foretold_tiles import MOST_TILES, foretold_tiles
from pebble.program.machine.run import run
from pebble.program.schedule import Tiles, get


def told(problem: Problem, name: str, tiles: Tiles) -> int:
    schedule = get(name, problem.pass_name)
    return foretold_tiles(schedule.program(problem, tiles), schedule.family(problem))


@pytest.mark.parametrize("mask", ["strided:1024", "fixed:1024,8"])
def test_tiles_that_share_factors_with_the_period_are_few(mask: str) -> None:
    problem = Problem.square(10**6, 128, mask=mask)
    numbers = [told(problem, "small-cache", {"side": side}) for side in (128, 144, 158)]
    assert numbers == sorted(numbers)
    assert numbers[0] * 50 < numbers[2]
    assert numbers[0] < 20_000 < MOST_TILES < numbers[2]
    assert told(problem, "flash-2", {"rows": 384}) * 10 < told(problem, "flash-2", {"rows": 385})


def test_they_do_not_depend_on_the_length() -> None:
    problems = [Problem.square(N, 128, mask="strided:1024") for N in (10**6, 10**9)]
    for name, tiles in (
        ("small-cache", {"side": 128}),
        ("flash-2", {"rows": 384}),
        ("flash-1", {"cols": 256}),
    ):
        one, two = (told(problem, name, tiles) for problem in problems)
        assert one == two


def test_short_axes_have_few() -> None:
    assert told(Problem.square(5_000, 8, mask="strided:1024"), "small-cache", {"side": 158}) < 10_000


def test_other_masks_are_not_told() -> None:
    for mask in (None, "causal", "longformer:window=8,global=2"):
        assert told(Problem.square(64, 4, mask=mask), "small-cache", {"side": 3}) == 0


def test_phases_add_up() -> None:
    problem = Problem.square(10**6, 128, mask="fixed:1024,8")
    schedule, family = get("small-cache"), get("small-cache").family(problem)
    program = schedule.program(problem, {"side": 144})
    parts = [foretold_tiles(program, family, [number]) for number in range(len(program.phases))]
    assert abs(sum(parts) - foretold_tiles(program, family)) <= len(parts)


def test_what_is_too_large_is_said_before_the_work() -> None:
    """With a side that shares no factor with the period the machine would take minutes."""
    problem = Problem.square(10**6, 128, mask="strided:1021")
    schedule = get("small-cache")
    with pytest.raises(TooManyOperations, match=r"about .* tiles would have to be looked at"):
        run(schedule.program(problem, {"side": 158}), schedule.family(problem))
    with pytest.raises(TooManyOperations, match="common factors with 1,021"):
        count_schedule(schedule, problem, 100_000, {"side": 158}, 1)


def test_every_iteration_is_executed_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem.square(12, 2, mask="strided:3")
    schedule = get("flash-2")
    program, family = schedule.program(problem, {"rows": 2}), schedule.family(problem)
    plain = run(program, family, induction=False)
    assert plain.io == run(program, family).io
    monkeypatch.setattr("pebble.program.machine.run.MOST_TILES", 1)
    with pytest.raises(TooManyOperations):
        run(program, family)
    assert run(program, family, induction=False).io == plain.io
