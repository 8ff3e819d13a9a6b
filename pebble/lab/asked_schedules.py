"""The schedules that a caller asks for, by name or as objects."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.schedule import Schedule, get, offered


def asked_schedule(asked: str | Schedule, problem: Problem) -> Schedule:
    """Return a schedule: the given object, the one of a file, or the one registered for the problem's pass and form."""
    if not isinstance(asked, str):
        return asked
    in_file = re.fullmatch(r"(.+\.py):(\w+)", asked)
    if in_file is None:
        return get(asked, problem.pass_name, problem.form)
    path, name = in_file.groups()
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error
    return _of_file(path, name, Path(path).resolve(), changed)


@lru_cache(maxsize=64)
def _of_file(path: str, name: str, source: Path, changed: int) -> Schedule:
    """Run a file of Python, again once it has changed, and return the schedule that has a name in it, or its class."""
    spec = spec_from_file_location(f"schedules_of_{source.stem}", source)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        found = getattr(module, name, None)
        made = found() if isinstance(found, type) else found
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
    """Return the schedules asked for, each once; by default all that serve the problem's pass and form."""
    if asked is None:
        return offered(problem)
    chosen = list(dict.fromkeys(asked_schedule(one, problem) for one in asked))
    for schedule in chosen:
        if problem.pass_name not in schedule.passes:
            raise InvalidInput(f"{schedule.name} does not support the {problem.pass_name} pass")
        if problem.form not in schedule.forms:
            raise InvalidInput(f"{schedule.name} does not compute {problem.describe()}")
    return chosen
