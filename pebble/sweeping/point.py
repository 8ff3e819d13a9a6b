"""One point of a grid and the rows it gives: a pure function, so any worker gives the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pebble.errors import InvalidInput
from pebble.problem import Problem
from pebble.tables import words

if TYPE_CHECKING:
    from pebble.report import Report, Row
    from pebble.training import TrainingReport

__all__ = ["COLUMNS", "NO_MASK", "Point", "Record", "count_point", "masked", "program_version", "work"]

SCHEMA_VERSION = 1
NO_MASK = "none"
Record = dict[str, Any]

COLUMNS: dict[str, str] = {
    "schema_version": "integer",
    "pass": "text",
    "Nq": "integer",
    "Nk": "integer",
    "d": "integer",
    "dv": "integer",
    "stats": "truth",
    "heads": "integer",
    "batch": "integer",
    "mask": "text",
    "M": "integer",
    "schedule": "text",
    "chosen": "text",
    "fits": "truth",
    "tiles": "tiles",
    "reads": "integer",
    "writes": "integer",
    "io": "integer",
    "peak": "integer",
    "least_M": "integer",
    "ratio": "number",
    "bound_name": "text",
    "bound_value": "integer",
}
_OF_PROBLEM = ("Nq", "Nk", "d", "dv", "stats", "heads", "batch")
_OF_ROW = ("fits", "tiles", "reads", "writes", "io", "peak", "least_M", "ratio")


@dataclass(frozen=True)
class Point:
    """One problem with M words of fast memory, and the schedules to count on it.

    Attributes
    ----------
    problem : Problem
    mask : str
        How the mask is written, ``"none"`` without one.
    M : int
        Words of fast memory.
    schedules : tuple of str
        Names; one row each.
    """

    problem: Problem
    mask: str
    M: int
    schedules: tuple[str, ...]

    def describe(self) -> str:
        """Return one line for people."""
        mask = "" if self.mask == NO_MASK else f", mask {self.mask}"
        return f"{self.problem.describe()}{mask}, M = {words(self.M)}"


def masked(problem: Problem, mask: str) -> Problem:
    """Return the problem under a mask; the one place where sweeps learn what a mask is.

    Raises
    ------
    InvalidInput
        If there is no such mask.
    """
    if mask != NO_MASK:
        raise InvalidInput(f"unknown mask {mask!r}; known: {NO_MASK}")
    return problem


def count_point(point: Point) -> list[Record]:
    """Count every schedule of a point: one row each, with the keys of :data:`COLUMNS` in their order.

    A schedule that needs more than M words is a row with ``fits`` false and its ``least_M``.

    Examples
    --------
    >>> row, = count_point(Point(Problem.square(1024, 64), "none", 98304, ("flash-2",)))
    >>> row["io"], row["tiles"], row["bound_name"]
    (393216, {'rows': 761}, 'T1')
    """
    report = _report(point)
    name, value = _best_bound(report)
    return [_record(point, row, name, value) for row in report.rows]


def _report(point: Point) -> Report | TrainingReport:
    if point.problem.pass_name == "both":
        from pebble.training import count_training

        return count_training(point.problem, point.M, point.schedules)
    from pebble.report import count

    return count(point.problem, point.M, point.schedules)


def _best_bound(report: Report | TrainingReport) -> tuple[str, int | float]:
    """Return what ``ratio`` divides by: the greatest proved bound, or for both passes the sum of theirs."""
    from pebble.report import Report

    parts = (report,) if isinstance(report, Report) else (report.forward, report.backward)
    best = [part.bounds.best for part in parts]
    return " + ".join(bound.name for bound in best), sum(bound.value for bound in best)


def _record(point: Point, row: Row, bound_name: str, bound_value: int | float) -> Record:
    record: Record = {
        "schema_version": SCHEMA_VERSION,
        "pass": point.problem.pass_name,
        **{name: getattr(point.problem, name) for name in _OF_PROBLEM},
        "mask": point.mask,
        "M": point.M,
        "schedule": row.name,
        "chosen": row.chosen or None,
        **{name: getattr(row, name) for name in _OF_ROW},
        "bound_name": bound_name,
        "bound_value": bound_value,
    }
    return {name: record[name] for name in COLUMNS}


@cache
def program_version() -> str:
    """Return the version of the installed program."""
    from importlib.metadata import version

    return version("pebble-io")


def work(point: Point) -> tuple[str, list[Record]]:
    """Count a point on a worker: the worker's version of the program, and the rows."""
    return program_version(), count_point(point)
