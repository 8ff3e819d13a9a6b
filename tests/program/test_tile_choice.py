"""The largest tiles that fit: told by the text of a program, measured in the end."""

from __future__ import annotations

import pytest

from pebble import Problem
from pebble.program.schedule import Schedule, Tiles, get, largest


@pytest.mark.parametrize("wrong", [0.5, 1, 2])
def test_what_the_text_tells_is_measured(wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, schedule = Problem.square(100, 4), get("flash-2", "forward", "plain")
    told = schedule.room_told

    def room_told(self: Schedule, problem: Problem, tiles: Tiles) -> int:
        return int(told(problem, tiles) * wrong)

    monkeypatch.setattr(Schedule, "room_told", room_told)
    for M in (50, 333, 700):
        rows = largest(schedule, problem, M, "rows", problem.Nq, 3)["rows"]
        assert schedule.measure(problem, {"rows": rows}).peak <= M
        if wrong <= 1:
            assert rows == problem.Nq or schedule.measure(problem, {"rows": rows + 1}).peak > M


def test_what_is_told_is_what_is_measured() -> None:
    for mask in (None, "causal"):
        problem = Problem.square(60, 4, mask=mask)
        for name in ("flash-1", "flash-2", "small-cache", "hybrid"):
            schedule = get(name, "forward", "plain")
            tiles = {one: max(size, 7) for one, size in schedule.smallest(problem).items()}
            assert schedule.room_told(problem, tiles) == schedule.measure(problem, tiles).peak
