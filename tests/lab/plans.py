"""Problems and the room of their tiles, for the tests of plans."""

from __future__ import annotations

from pebble import Problem
from pebble.lab.plan import Constraints
from pebble.lab.plan.evaluations import Evaluations
from pebble.lab.plan.memory_need import Room
from pebble.program.schedule import get

FORWARD = Problem.square(2048, 64)


BACKWARD = Problem.square(2048, 64, pass_name="backward")


def room_of(name: str, problem: Problem, tiles: dict[str, int], constraints: Constraints, dtype: str) -> Room:
    schedule = get(name, problem.pass_name)
    return Evaluations(problem, dtype).room(schedule, tiles, constraints)
