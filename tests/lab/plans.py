"""Problems and the room of their tiles, for the tests of plans."""

from __future__ import annotations

from pebble import Problem
from pebble.lab.plan import Constraints
from pebble.lab.plan.memory_need import Room, room
from pebble.program.schedule import get

FORWARD = Problem.square(2048, 64)


BACKWARD = Problem.square(2048, 64, pass_name="backward")


def room_of(name: str, problem: Problem, tiles: dict[str, int], constraints: Constraints, dtype: str) -> Room:
    schedule = get(name, problem.pass_name)
    program = schedule.program(problem, tiles)
    measured = schedule.measure(problem, tiles)
    return room(program, schedule.family, problem, measured, constraints, dtype)
