"""Verified counts for pictures: one report for each point."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, SupportsIndex

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem

if TYPE_CHECKING:
    from pebble.lab.count import Report
    from pebble.lab.training import TrainingReport
    from pebble.program.schedule import Schedule

__all__ = [
    "Progress",
    "best_bound_of",
    "bounds_of",
    "but_length",
    "counted",
    "length_name",
    "memories",
    "problems_of",
]

Progress = Callable[[str], None]


def memories(M: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Return sizes of fast memory in rising order, each once.

    Raises
    ------
    InvalidInput
        If there is none, or one is no positive whole number.
    """
    found = list(M) if isinstance(M, Iterable) else [M]
    if not found:
        raise InvalidInput("there is no size of fast memory to draw (M): give at least one")
    return tuple(sorted({_whole(size) for size in found}))


def _whole(size: SupportsIndex) -> int:
    try:
        found = operator.index(size)
    except TypeError:
        found = 0
    if isinstance(size, bool) or found < 1:
        raise InvalidInput(f"M must be a positive whole number of words, not {size!r}")
    return found


def problems_of(problem: Problem | Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems in order of their number of keys.

    Raises
    ------
    InvalidInput
        If there is none, or they differ in more than their length.
    """
    found = [problem] if isinstance(problem, Problem) else list(problem)
    if not found:
        raise InvalidInput("there is no problem to draw: give at least one")
    if len({but_length(one) for one in found}) > 1:
        raise InvalidInput("the problems of one picture may differ in their length only")
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.Nk, one.Nq)))


def length_name(problems: Sequence[Problem]) -> str:
    """Return what the lengths of some problems are lengths of."""
    return "N" if all(one.Nq == one.Nk for one in problems) else "Nk"


def but_length(problem: Problem) -> str:
    """Describe a problem, all but its length.

    Examples
    --------
    >>> but_length(Problem.square(1024, 64, mask="causal"))
    'attention forward, d = 64, causal mask'
    """
    text = replace(problem, Nq=1, Nk=1, mask=None).describe().replace(", N = 1,", ",", 1)
    return text if problem.mask is None else f"{text}, {problem.mask.spec} mask"


def counted(
    problem: Problem, M: int, schedules: Iterable[str | Schedule] | None = None
) -> Report | TrainingReport:
    """Count a problem with M words, whatever its pass."""
    if problem.pass_name == "both":
        from pebble.lab.training import count_training

        return count_training(problem, M, schedules)
    from pebble.lab.count import count

    return count(problem, M, schedules)


def bounds_of(report: Report | TrainingReport) -> dict[str, int | float]:
    """Return the proved bounds of a report by name; of both passes, the sum of the best of each."""
    from pebble.lab.count import Report

    if isinstance(report, Report):
        return {bound.name: bound.value for bound in report.bounds.proved}
    return {"forward + backward": report.forward.bounds.best.value + report.backward.bounds.best.value}


def best_bound_of(report: Report | TrainingReport) -> int | float:
    """Return the greatest proved bound of a report."""
    return max(bounds_of(report).values())
