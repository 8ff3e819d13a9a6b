"""The registered schedules for several memory levels."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.problem import PASSES
from pebble.program.schedule.level_schedule import LevelSchedule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pebble.computations.problem import Problem

__all__ = ["level_schedule", "level_schedule_names", "level_schedules"]

_GROUP = "pebble.level_schedules"


def level_schedules(problem: Problem) -> list[LevelSchedule]:
    """Return the registered schedules for several memory levels that serve a problem's pass, by name.

    Raises
    ------
    InvalidInput
        If one cannot be loaded, or the problem is none that they serve.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> [schedule.name for schedule in level_schedules(Problem.square(8, 2))]
    ['nested-flash-2']
    """
    if problem.form != "plain":
        raise InvalidInput(
            f"there is no schedule for several memory levels for this computation ({problem.form})"
        )
    found = [_load(entry) for entry in _entries() if _may_serve(entry.name, problem.pass_name)]
    serving = [schedule for schedule in found if problem.pass_name in schedule.passes]
    if not serving:
        raise InvalidInput(f"no schedule for several memory levels serves the {problem.pass_name} pass")
    return sorted(serving, key=lambda schedule: schedule.name)


def level_schedule(name: str, problem: Problem) -> LevelSchedule:
    """Return the schedule for several memory levels with a name.

    Raises
    ------
    InvalidInput
        If there is none for the problem's pass.
    """
    known = {schedule.name: schedule for schedule in level_schedules(problem)}
    if name not in known:
        raise InvalidInput(
            f"{name!r} is no schedule for several memory levels; for the {problem.pass_name} pass there is "
            + ", ".join(known)
        )
    return known[name]


def level_schedule_names() -> list[str]:
    """Return the names of all registered schedules for several memory levels; none is loaded.

    >>> level_schedule_names()
    ['nested-flash-2']
    """
    return sorted({entry.name.removesuffix(f".{_suffix(entry.name)}") for entry in _entries()})


def _may_serve(entry_name: str, pass_name: str) -> bool:
    """Whether an entry point called NAME or NAME.PASS is worth loading."""
    return _suffix(entry_name) in ("", pass_name)


def _suffix(entry_name: str) -> str:
    """Return the pass in an entry point's name, or nothing."""
    suffix = entry_name.rpartition(".")[2]
    return suffix if suffix in PASSES else ""


@lru_cache(maxsize=1)
def _entries() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted(set(entry_points(group=_GROUP)), key=lambda entry: entry.name))


@lru_cache(maxsize=64)
def _load(entry: EntryPoint) -> LevelSchedule:
    try:
        made = entry.load()()
    except Exception as error:
        raise InvalidInput(f"schedule {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
    if not isinstance(made, LevelSchedule):
        raise InvalidInput(f"schedule {entry.name!r} ({entry.value}) is no pebble.program.LevelSchedule")
    return made
