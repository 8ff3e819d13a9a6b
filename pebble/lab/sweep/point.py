"""One point of a grid, and its rows: any worker counts the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pebble.common.tables import words
from pebble.computations.problem import Problem
from pebble.computations.problem_form import all_form_options
from pebble.lab.level_counts import count_levels
from pebble.lab.sweep.masking import NO_MASK, with_mask
from pebble.lab.training import count_any_pass
from pebble.program.hierarchy import Hierarchy

__all__ = ["COLUMNS", "CountedPoints", "Point", "Record", "count_point", "program_version", "work"]

_ROWS_VERSION = 1
Record = dict[str, Any]
CountedPoints = list[tuple[int, list[Record]]]

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
    "pairs": "integer",
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
    "note": "text",
    "softmax": "text",
    "attention": "text",
    "gate": "truth",
    "chunk": "integer",
    "shared_values": "truth",
    "shared_rope": "integer",
    "level": "integer",
    "hierarchy": "text",
}


@dataclass(frozen=True)
class Point:
    """One problem with M words of fast memory, and the schedules to count on it.

    Attributes
    ----------
    plain : Problem
        Without its mask.
    M : int
        Words of fast memory.
    schedules : tuple of str
        Names; one row each.
    mask, empty_rows, content : str
        The mask as it is written, and the rest of what :func:`~pebble.lab.sweep.masking.with_mask` needs.
    gate, chunk
        As in :class:`pebble.Problem`, of which they need the mask.
    levels : tuple of int
        Words of several memory levels, the innermost first, and then M is that of the outermost; one row each.
    exclusive : bool
        Whether a level need not hold what those within hold.
    """

    plain: Problem
    M: int
    schedules: tuple[str, ...]
    mask: str = NO_MASK
    empty_rows: str = "error"
    content: str = ""
    gate: bool = False
    chunk: int | None = None
    levels: tuple[int, ...] = ()
    exclusive: bool = False

    def problem(self) -> Problem:
        """Return the problem with its mask."""
        masked = with_mask(self.plain, self.mask, self.empty_rows, self.content)
        return replace(masked, gate=self.gate, chunk=self.chunk)

    def describe(self) -> str:
        """Return one line for people."""
        mask = "" if self.mask == NO_MASK else f", mask {self.mask}"
        gate = ", gated" * self.gate
        chunk = "" if self.chunk is None else f", chunks of {self.chunk:,}"
        memory = (
            f"levels of {' and '.join(map(words, self.levels))}" if self.levels else f"M = {words(self.M)}"
        )
        return f"{self.plain.describe()}{mask}{gate}{chunk}, {memory}"


def count_point(point: Point) -> list[Record]:
    """Count every schedule of a point: one row each, with the keys of :data:`COLUMNS` in their order.

    With several memory levels it is one for each boundary.

    A schedule that needs more than M words is a row with ``fits`` false and its ``least_M``; one that could not be
    verified has no ``fits``, and a ``note``.

    Examples
    --------
    >>> row, = count_point(Point(Problem.square(1024, 64), 98304, ("flash-2",)))
    >>> row["io"], row["tiles"], row["bound_name"]
    (393216, {'rows': 761}, 'D')
    """
    if point.levels:
        records = _level_records(point)
    else:
        one_level = {"level": None, "hierarchy": None}
        records = [
            record | one_level
            for record in count_any_pass(point.problem(), point.M, point.schedules).records()
        ]
    return [
        {name: (record | {"schema_version": _ROWS_VERSION})[name] for name in COLUMNS} for record in records
    ]


def _level_records(point: Point) -> list[Record]:
    """Count every schedule of a point at every boundary: a row for each, also where it does not fit."""
    hierarchy = Hierarchy(point.levels, not point.exclusive)
    report = count_levels(point.problem(), hierarchy, point.schedules)
    found = []
    for row in report.rows:
        counts = [one.to_dict() for one in row.boundaries] or [dict[str, Any]()] * hierarchy.levels
        for level, (count, bound) in enumerate(zip(counts, report.bounds, strict=True), start=1):
            numbers = {name: count.get(name) for name in ("reads", "writes", "io", "peak", "ratio")}
            found.append(
                report.problem.to_dict()
                | all_form_options(report.problem)
                | numbers
                | {
                    "M": point.levels[level - 1],
                    "schedule": row.name,
                    "chosen": None,
                    "fits": row.fits,
                    "tiles": row.tiles,
                    "least_M": row.least[level - 1],
                    "bound_name": bound.name,
                    "bound_value": bound.value,
                    "note": None,
                    "level": level,
                    "hierarchy": hierarchy.kind,
                }
            )
    return found


@cache
def program_version() -> str:
    """Return the version of the installed program."""
    from importlib.metadata import version

    return version("pebble-io")


def work(point: Point) -> tuple[str, list[Record]]:
    """Count a point on a worker: the worker's version of the program, and the rows."""
    return program_version(), count_point(point)
