"""Problems and the room of their tiles, for the tests of plans."""

from __future__ import annotations

import pytest

from pebble import Problem
from pebble.lab.plan import Constraints, setting
from pebble.lab.plan.memory_need import Room
from pebble.lab.plan.setting import Setting
from pebble.program.counting.life import Unproved
from pebble.program.schedule import get

FORWARD = Problem.square(2048, 64)


BACKWARD = Problem.square(2048, 64, pass_name="backward")


def room_of(name: str, problem: Problem, tiles: dict[str, int], constraints: Constraints, dtype: str) -> Room:
    schedule = get(name, problem.pass_name)
    return Setting(problem, 1, constraints, dtype).room(schedule, tiles)


def without_proofs(monkeypatch: pytest.MonkeyPatch, operations: int) -> None:
    """Let no text prove that it is legal, so that plans execute programs, up to some operations."""

    def stops(*_: object, **__: object) -> None:
        raise Unproved("it is left out")

    monkeypatch.setattr("pebble.program.counting.run.proof", stops)
    monkeypatch.setattr(setting, "MASKED_STEPS", operations)
    setting._run.cache_clear()
