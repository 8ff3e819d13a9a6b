"""Plans on short axes against every tile size that the constraints allow, each counted by the machine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from pebble import CacheTooSmall, InvalidInput, Problem
from pebble.lab.plan import Constraints, plan
from pebble.lab.plan.roofline import moved_bytes
from pebble.lab.plan.setting import Setting
from pebble.program.schedule import Schedule, Tiles, get

MASKS = [None, "causal", "window:4", "prefix:3", "document:causal,2,4"]
CASES = [(name, pass_name) for name in ("flash-1", "flash-2") for pass_name in ("forward", "backward")]
WITH_RESIDENTS = [
    ("flash-2-pinned", "forward"),
    ("queries-pinned", "backward"),
    ("flash-2-causal", "forward"),
]


def asked_of(rnd: Random, whole: bool) -> dict[str, Any]:
    """Some constraints at random; on sizes only where whole tiles can keep them."""
    asked: dict[str, Any] = {"multiple_of": rnd.choice([1, 1, 2, 4]) if whole else 1}
    if whole and rnd.random() < 0.5:
        asked["at_least"] = {rnd.choice(["rows", "cols"]): rnd.choice([2, 3, 4])}
    if whole and rnd.random() < 0.3:
        asked["at_most"] = {rnd.choice(["rows", "cols"]): rnd.choice([4, 6, 8])}
    if rnd.random() < 0.5:
        asked["double_buffer"] = True
    if rnd.random() < 0.5:
        asked["accumulate"] = "float32"
    return asked


def every_tile(schedule: Schedule, problem: Problem) -> Iterator[Tiles]:
    """Its own tiles of all sizes, and all whole tiles, if it takes such."""
    most = {"rows": problem.Nq, "cols": problem.Nk, **schedule.greatest(problem)}
    whole = [("rows", "cols")] if "literal" in schedule.presets else []
    for names in (tuple(schedule.smallest(problem)), *whole):
        least = [int(name not in schedule.may_be_zero) for name in names]
        for sizes in product(*(range(low, most[name] + 1) for low, name in zip(least, names, strict=True))):
            yield dict(zip(names, sizes, strict=True))


def moved_and_room(schedule: Schedule, tiles: Tiles, setting: Setting) -> tuple[int, int]:
    """Bytes that the machine counts, and the room that it measures under the mask."""
    moved = moved_bytes(setting.run(schedule, tiles), "bf16", setting.constraints.accumulate)
    return moved, setting.room(schedule, tiles).words


def check(name: str, pass_name: str, mask: str | None, rnd: Random) -> bool:
    """Compare one random plan; False where none keeps the constraints."""
    problem = Problem.square(6, rnd.choice([1, 2, 3]), mask=mask, pass_name=pass_name)
    schedule, asked = get(name, pass_name), asked_of(rnd, (name, pass_name) in CASES)
    try:
        constraints = Constraints(**asked)
    except InvalidInput:
        return False
    setting, family = Setting(problem, 10**6, constraints, "bf16"), schedule.family(problem)
    allowed = [
        tiles
        for tiles in every_tile(schedule, problem)
        if constraints.allow(schedule.program(problem, tiles), family)
    ]
    found = [moved_and_room(schedule, tiles, setting) for tiles in allowed]
    if not found:
        return False
    rooms = sorted({room for _, room in found})
    for M in {rooms[0], rooms[-1], rnd.choice(rooms), rnd.choice(rooms) + 1}:
        best: Any = plan(problem, M, schedules=[name], costs=False, **asked).best
        assert best is not None
        assert best.room.words <= M
        least = min(moved for moved, room in found if room <= M)
        assert best.moved == least, (mask, problem.d, M, asked, best.tiles, best.moved, least)
    with pytest.raises(CacheTooSmall):
        plan(problem, rooms[0] - 1, schedules=[name], costs=False, **asked)
    return True


@pytest.mark.many(2)
@pytest.mark.parametrize(("name", "pass_name"), CASES)
def test_a_plan_is_the_best_of_all_tiles_that_are_allowed(name: str, pass_name: str) -> None:
    rnd = Random(name + pass_name)
    assert any(check(name, pass_name, rnd.choice(MASKS), rnd) for _ in range(2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pass_name", "masks"),
    [*((*case, [None, *MASKS[2:4]]) for case in CASES), *((*case, ["causal"]) for case in WITH_RESIDENTS)],
)
def test_plans_are_the_best_of_all_tiles_that_are_allowed(
    name: str, pass_name: str, masks: list[str | None]
) -> None:
    rnd = Random(name + pass_name + "many")
    assert any([check(name, pass_name, mask, rnd) for mask in masks])  # noqa: C419
