"""Plans: what fits by the machine's judgement, and what constraints mean and cost."""

from __future__ import annotations

from typing import Any

import pytest

import pebble
from pebble import CacheTooSmall, Problem
from pebble.computations.registry import family_of
from pebble.lab.plan import Constraints, plan
from pebble.lab.plan.constraints import product_tiles
from pebble.lab.plan.memory_need import Room
from pebble.program.closed_forms.count import closed_form
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, get
from tests.lab.plans import BACKWARD, FORWARD


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("problem", "M"),
    [
        (FORWARD, 300),
        (FORWARD, 3000),
        (FORWARD, 40_000),
        (FORWARD, 200_000),
        (Problem(100, 700, 32, 48), 900),
        (BACKWARD, 900),
        (BACKWARD, 6000),
        (BACKWARD, 50_000),
    ],
)
def test_without_constraints_a_plan_is_as_good_as_the_best_schedule(problem: Problem, M: int) -> None:
    found: Any = plan(problem, M)
    report = pebble.count(problem, M)
    cheapest = min(row.io for row in report.rows if row.io is not None)
    assert found.best.io <= cheapest
    assert found.best.ratio == pytest.approx(found.best.io / report.bounds.best.value)
    assert found.best.ratio >= 1
    assert found.costs == ()
    order = [(one.moved, one.io) for one in found.choices]
    assert order == sorted(order)
    for one in found.choices:
        assert one.room == Room(one.room.peak)
        assert one.room.words <= M
        tiles = get(one.schedule, problem.pass_name).check_tiles(one.tiles)
        rerun = run(get(one.schedule, problem.pass_name).program(problem, tiles), family_of(problem), M)
        assert (rerun.io, rerun.peak) == (one.io, one.room.peak)


@pytest.mark.many(1)
@pytest.mark.parametrize("problem", [FORWARD, BACKWARD], ids=["forward", "backward"])
@pytest.mark.parametrize(
    "asked",
    [
        {"multiple_of": 16},
        {"power_of_two": True},
        {"multiple_of": 32, "power_of_two": True, "double_buffer": True},
        {"multiple_of": 8, "at_least": {"rows": 24, "cols": 24}, "accumulate": "float32"},
        {"at_most": {"rows": 40, "cols": 50}, "accumulate": "float32", "double_buffer": True},
    ],
    ids=["16", "power", "32 power double", "least wide", "most wide double"],
)
def test_choices_keep_the_constraints(problem: Problem, asked: dict[str, Any]) -> None:
    M = 40_000
    found: Any = plan(problem, M, **asked, costs=False)
    for one in found.choices:
        assert one.room.words <= M
        schedule = get(one.schedule, problem.pass_name)
        program = schedule.program(problem, one.tiles)
        tiles = product_tiles(program, family_of(problem))
        assert {axis for axis, _ in tiles} == {"i", "j", "k", "e"}
        for axis, size in tiles:
            name = {"i": "rows", "j": "cols"}.get(axis, "")
            if size < family_of(problem).extents[axis]:
                assert size % asked.get("multiple_of", 1) == 0
                assert not asked.get("power_of_two") or size & (size - 1) == 0
                assert size >= asked.get("at_least", {}).get(name, 1)
            assert size <= asked.get("at_most", {}).get(name, size)
        assert int(closed_form(program, family_of(problem)).io) == one.io


def test_one_word_less_changes_the_tiles() -> None:
    asked: dict[str, Any] = {"multiple_of": 16, "double_buffer": True, "accumulate": "float32"}
    found: Any = plan(FORWARD, 60_000, schedules=["flash-2"], costs=False, **asked).best
    tight: Any = plan(FORWARD, found.room.words, schedules=["flash-2"], costs=False, **asked).best
    assert (tight.io, tight.room.words) == (found.io, found.room.words)
    less = plan(FORWARD, found.room.words - 1, schedules=["flash-2"], costs=False, **asked).best
    assert (less.tiles, less.room) != (found.tiles, found.room)


def test_when_nothing_fits_the_error_says_what_would() -> None:
    asked: dict[str, Any] = {"multiple_of": 16, "at_least": {"rows": 64}}
    with pytest.raises(
        CacheTooSmall, match=r"no schedule fits M = 1,000 words .*need [\d,]+ words"
    ) as caught:
        plan(FORWARD, 1000, **asked)
    least = caught.value.least_M
    assert least is not None
    best: Any = plan(FORWARD, least, costs=False, **asked).best
    assert best.room.words <= least
    with pytest.raises(CacheTooSmall):
        plan(FORWARD, least - 1, **asked)
    with pytest.raises(CacheTooSmall, match="however large M"):
        plan(FORWARD, 10**6, schedules=["naive"], multiple_of=16)


# What constraints cost


def test_sizes_and_rounding() -> None:
    sixteen = Constraints(multiple_of=16, at_least={"rows": 20}, at_most={"rows": 70, "cols": 512})
    assert sixteen.sizes("rows", 1000) == [32, 48, 64]
    assert sixteen.sizes("cols", 40) == [16, 32, 40]
    assert Constraints(power_of_two=True).sizes("rows", 20) == [1, 2, 4, 8, 16, 20]
    assert Constraints(power_of_two=True, multiple_of=8).sizes("rows", 20) == [8, 16, 20]
    assert Constraints(multiple_of=16).sizes("rows", 7) == [7]
    assert Constraints(multiple_of=16).down(15) == 0
    assert str(Constraints()) == "none"


def test_a_third_party_schedule_is_planned_too() -> None:
    class Mine(type(get("flash-2"))):  # type: ignore[misc]
        name = "mine"

    mine: Schedule = Mine()
    found = plan(FORWARD, 20_000, schedules=[mine, "flash-1"], multiple_of=16, costs=False)
    assert {one.schedule for one in found.choices} == {"mine", "flash-1"}


@pytest.mark.parametrize("name", ["split", "keys-pinned", "flash-2"])
def test_own_tiles_are_found_however_little_is_missing(name: str) -> None:
    """A choice that is a word too large gives way to the next smaller one, however close its other sizes are."""

    def best(M: int) -> Any:
        return plan(BACKWARD, M, schedules=[name], double_buffer=True, costs=False).choices[0]

    larger = best(20_000)
    found = best(larger.room.words - 1)
    assert found.form == larger.form == "native tiles"
    assert found.room.words < larger.room.words
    assert larger.io <= found.io <= 1.05 * larger.io
