"""The schedules that there are: those in the files of ``schedules``, and those that other installed projects ship."""

from __future__ import annotations

import difflib
import pkgutil
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from inspect import isabstract
from itertools import product
from typing import Any

from pebble.common.entry_points import entry_points_of, loaded
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.computations.problem_form import FORMS
from pebble.program.schedule.level_schedule import LevelSchedule
from pebble.program.schedule.schedule import Schedule

_OWN = "schedules"
"""The package whose files define the built-in schedules."""
_OTHER_NAMES = {
    "naive": "naive",
    "vanilla": "standard",
    "standard": "standard",
    "flash": "flash-2",
    "flash1": "flash-1",
    "flash2": "flash-2",
}
"""What people call schedules, in small letters, without blanks, hyphens and the word attention."""

_ORDER = (
    "naive",
    "standard",
    "flash-1",
    "flash-2",
    "flash-2-pinned",
    "flash-2-causal",
    "flash-2-packed",
    "flash-2-sliced",
    "flash-2-mixed",
    "flash-2-late",
    "flash-2-parted",
    "split",
    "split-pinned",
    "small-cache",
    "square-tile",
    "p-tile",
    "p-first",
    "dp-sliced",
    "hybrid",
    "keys-pinned",
    "keys-mixed",
    "queries-pinned",
    "queries-sliced",
    "queries-causal",
    "split-causal",
    "split-packed",
    "keys-packed",
    "key-window",
    "state-tiles",
    "tiled-products",
    "chunked",
    "chunk-parallel",
    "best",
    "all-gather",
    "ring",
    "ring-q",
    "lightseq",
    "pass-q",
    "pass-q-ring",
    "ulysses",
    "usp",
    "grid",
    "grid-ring",
    "heads-grid",
    "triangle",
    "decode",
    "decode-tree",
)
"""How lists of schedules begin; all others follow by name."""


def registered(pass_name: str | None = None, form: str | None = None) -> list[Schedule]:
    """Return all registered schedules: the built-in ones first, in a fixed order, then the others by name.

    Parameters
    ----------
    pass_name : str, optional
        Only those that serve this pass.
    form : str, optional
        Only those that serve this computation, see :attr:`pebble.Problem.form`.
    """
    found: list[Schedule] = schedules_of(Schedule, "pebble.schedules", "pebble.program.schedule.Schedule")
    if pass_name is not None:
        found = [schedule for schedule in found if pass_name in schedule.passes]
    if form is not None:
        found = [schedule for schedule in found if form in schedule.forms]
    _check_names(found)
    return sorted(found, key=_order)


def offered(problem: Problem) -> list[Schedule]:
    """Return the schedules that are counted if none are named: those for masks only where there is one."""
    found = registered(problem.pass_name, problem.form)
    if not found:
        raise InvalidInput(f"no registered schedule computes {problem.describe()}")
    return [schedule for schedule in found if schedule.is_offered(problem)]


def is_built_in(name: str) -> bool:
    """Tell whether a schedule of this name comes with the package."""
    return any(schedule.name == name for schedule in _own(Schedule))


def available(pass_name: str = "forward", form: str = "plain") -> dict[str, Schedule]:
    """Return all registered schedules that serve a pass of a computation, by name."""
    return {schedule.name: schedule for schedule in registered(pass_name, form)}


def get(name: str, pass_name: str = "forward", form: str = "plain") -> Schedule:
    """Return the schedule with this name for a pass of a computation, see :attr:`pebble.Problem.form`.

    Examples
    --------
    >>> get("flash-2")
    <Schedule flash-2: queries outside, keys inside; outputs stay in fast memory until done>
    >>> get("FlashAttention").name, get("vanilla attention").name
    ('flash-2', 'standard')
    """
    if pass_name == "both":
        raise InvalidInput(
            f"a training step has two passes, each with its own schedule: use {name!r} for the forward "
            "and the backward pass separately, not for 'both'"
        )
    found = available(pass_name, form)
    for known in _called(name):
        if known in found:
            return found[known]
    what = f"the {pass_name} pass" + (f" ({form})" if form != "plain" else "")
    raise unknown(f"schedule {name!r} for {what}", name, found)


def named(name: str) -> list[Schedule]:
    """Return the registered schedules with a name, one for each pass or computation that has its own."""
    found = registered()
    for known in _called(name):
        if same := [schedule for schedule in found if schedule.name == known]:
            return same
    raise unknown(f"schedule {name!r}", name, {schedule.name: None for schedule in found})


def _called(name: str) -> tuple[str, str]:
    """Return a name, and the schedule that people mean by it."""
    return name, _OTHER_NAMES.get(re.sub(r"[\s_-]|attention", "", name.lower()), "")


def unknown(what: str, name: str, known: Iterable[str]) -> InvalidInput:
    """Return the error that there is no schedule of a name, which tells the nearest."""
    close = difflib.get_close_matches(name, known := [*known], n=1)
    hint = f"; did you mean {close[0]}?" if close else "."
    return InvalidInput(f"unknown {what}{hint} Known: {', '.join(known)}")


def level_schedules(problem: Problem) -> list[LevelSchedule]:
    """Return the registered schedules for several memory levels that serve a problem's pass, by name.

    Raises
    ------
    InvalidInput
        If one cannot be loaded, or the problem is none that they serve.

    Examples
    --------
    >>> [schedule.name for schedule in level_schedules(Problem.square(8, 2))]
    ['nested-flash-2']
    """
    if problem.form != "plain":
        raise InvalidInput(
            f"there is no schedule for several memory levels for this computation ({problem.form})"
        )
    found: list[LevelSchedule] = _level_schedules()
    serving = [schedule for schedule in found if problem.pass_name in schedule.passes]
    if not serving:
        raise InvalidInput(f"no schedule for several memory levels supports the {problem.pass_name} pass")
    return sorted(serving, key=lambda schedule: schedule.name)


def level_schedule(name: str, problem: Problem) -> LevelSchedule:
    """Return the schedule for several memory levels with a name."""
    known = {schedule.name: schedule for schedule in level_schedules(problem)}
    if name not in known:
        raise InvalidInput(
            f"{name!r} is not a schedule for several memory levels; for the {problem.pass_name} pass use "
            + ", ".join(known)
        )
    return known[name]


def level_schedule_names() -> list[str]:
    """Return the names of all registered schedules for several memory levels.

    >>> level_schedule_names()
    ['nested-flash-2']
    """
    return sorted({schedule.name for schedule in _level_schedules()})


def _level_schedules() -> list[LevelSchedule]:
    return schedules_of(LevelSchedule, "pebble.level_schedules", "pebble.program.LevelSchedule")


def schedules_of(kind: Any, group: str, told: str) -> list[Any]:
    """Return all schedules of a kind: the built-in ones, and what other projects register as entry points.

    Parameters
    ----------
    kind : type
        Their base class.
    group : str
        Of the entry points.
    told : str
        The public name of the base class, for messages.
    """
    others = [entry for entry in entry_points_of(group) if not entry.value.startswith(f"{_OWN}.")]
    return [*_own(kind), *(_made(loaded(entry, "schedule"), entry, kind, told) for entry in others)]


@lru_cache(maxsize=8)
def _own(kind: Any) -> tuple[Any, ...]:
    """Return the schedules of a kind that the files of the package define."""
    found: dict[type, None] = {}
    for module in pkgutil.walk_packages(import_module(_OWN).__path__, f"{_OWN}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, kind) and not isabstract(value):
                found[value] = None
    return tuple(one() for one in found)


@lru_cache(maxsize=256)
def _made(registered: Any, entry: Any, kind: Any, told: str) -> Any:
    """Return one of what an entry point registers, of a kind, which messages tell by its public name."""
    try:
        made = registered()
    except Exception as error:
        raise InvalidInput(f"schedule {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
    if not isinstance(made, kind):
        raise InvalidInput(f"schedule {entry.name!r} ({entry.value}) is not a {told}")
    return made


def _check_names(found: list[Schedule]) -> None:
    """Refuse two schedules of one name that serve the same pass of the same computation."""
    taken: dict[tuple[str, str, str], Schedule] = {}
    for schedule in found:
        for pass_name, form in product(schedule.passes, schedule.forms):
            other = taken.setdefault((pass_name, form, schedule.name), schedule)
            if other is not schedule:
                raise InvalidInput(
                    f"two schedules for the {pass_name} pass are called {schedule.name!r}: "
                    f"{type(other).__module__} and {type(schedule).__module__}"
                )


def place(name: str) -> tuple[int, str]:
    """Return what lists of schedules are sorted by."""
    return _ORDER.index(name) if name in _ORDER else len(_ORDER), name


def _order(schedule: Schedule) -> tuple[tuple[int, str], bool, int]:
    return place(schedule.name), "forward" not in schedule.passes, FORMS.index(schedule.forms[0])
