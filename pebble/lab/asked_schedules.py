"""The schedules that a caller asks for, by name or as objects."""

from __future__ import annotations

from collections.abc import Iterable

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.schedule import Schedule, get, offered


def asked_schedule(asked: str | Schedule, problem: Problem) -> Schedule:
    """Return a schedule: the one registered under a name for the problem's pass and form, or the given object."""
    return get(asked, problem.pass_name, problem.form) if isinstance(asked, str) else asked


def asked_schedules(asked: Iterable[str | Schedule] | None, problem: Problem) -> list[Schedule]:
    """Return the schedules asked for; by default all that serve the problem's pass and form."""
    if asked is None:
        return offered(problem)
    chosen = [asked_schedule(one, problem) for one in asked]
    for schedule in chosen:
        if problem.pass_name not in schedule.passes:
            raise InvalidInput(f"{schedule.name} does not support the {problem.pass_name} pass")
        if problem.form not in schedule.forms:
            raise InvalidInput(f"{schedule.name} does not compute {problem.describe()}")
    return chosen
