"""The schedules that a caller asks for, by name or as objects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from pebble.common.errors import InvalidInput, PebbleError
from pebble.computations.problem import Problem
from pebble.program.schedule import Schedule, get, offered


def asked_schedule(asked: str | Schedule, problem: Problem) -> Schedule:
    """Return a schedule: the given object, the one of a file, or the one registered for the problem's pass and form."""
    if not isinstance(asked, str):
        return asked
    in_file = re.fullmatch(r"(.+\.py):(\w+)", asked)
    return _of_file(*in_file.groups()) if in_file else get(asked, problem.pass_name, problem.form)


@lru_cache(maxsize=64)
def _of_file(path: str, name: str) -> Schedule:
    """Run a file of Python and return the schedule, or one of the class, that has a name in it."""
    source = Path(path).resolve()
    spec = spec_from_file_location(source.stem, source)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        found = getattr(module, name, None)
        made = found() if isinstance(found, type) else found
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error
    except PebbleError as error:
        raise type(error)(f"{path}: {error}") from error
    except Exception as error:
        raise InvalidInput(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    if not isinstance(made, Schedule):
        classes = (
            one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Schedule)
        )
        known = ", ".join(one.__name__ for one in classes if one.__module__ == module.__name__) or "none"
        raise InvalidInput(f"{path} has no schedule {name}; schedules in it: {known}")
    return made


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
