"""Schedules side by side on several problems and memories: one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import Table, TableResult, words
from pebble.computations.problem import Problem
from pebble.lab.count_row import Row
from pebble.lab.count_table import CountTable
from pebble.lab.training import count_any_pass
from pebble.program.schedule import Schedule

_SHOWN = ("io", "ratio", "reads", "writes", "peak", "least_M")


@dataclass(frozen=True)
class Comparison(TableResult):
    """What :func:`compare` returns: a line for each problem and memory, a column for each schedule.

    Attributes
    ----------
    reports : tuple of CountTable
        What was counted, one for each problem and memory.
    show : str
        What the cells of the table are.
    """

    reports: tuple[CountTable, ...]
    show: str = "io"

    @property
    def schedules(self) -> list[str]:
        """The names of the schedules, in the order of the columns."""
        return list(dict.fromkeys(row.name for report in self.reports for row in report.rows))

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {"show": self.show, "rows": self.records()}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each problem, memory and schedule, as plain data."""
        return [row for report in self.reports for row in report.records()]

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the table, and why something is not counted."""
        names = self.schedules
        cells = [["problem", "M", *names, "best bound"]]
        for report in self.reports:
            rows = {row.name: row for row in report.rows}
            bound, value = report.best_bound
            values = [_cell(rows.get(name), self.show) for name in names]
            cells.append([report.problem.describe(), words(report.M), *values, f"{words(value)} ({bound})"])
        notes = dict.fromkeys(note for report in self.reports for note in report.notes())
        return [Table(cells, notes=[*notes])]


def compare(
    problems: Problem | Iterable[Problem],
    M: int | Iterable[int],
    schedules: Iterable[str | Schedule] | None = None,
    *,
    show: str = "io",
) -> Comparison:
    """Count schedules on several problems with several memories, as :func:`pebble.count` does one by one.

    Parameters
    ----------
    problems : Problem or iterable of Problem
    M : int or iterable of int
        Words of fast memory.
    schedules : iterable of str or Schedule, optional
        Which ones; by default all that serve each problem's pass.
    show : {"io", "ratio", "reads", "writes", "peak", "least_M"}
        What the cells are: words, or I/O divided by the best proved bound. The other values are in ``records()``.

    Returns
    -------
    Comparison
        Prints as a table, with ``to_latex``, ``to_markdown``, ``to_frame``, ``records`` and ``to_dict``. A dash is a
        schedule that does not fit, is not counted, or is not one of that problem's pass.

    Examples
    --------
    >>> found = compare(Problem.square(4096, 64), [2048, 25000], ["flash-2"], show="ratio")
    >>> print(found)
    problem                                    M  flash-2       best bound
    ──────────────────────────────────────────────────────────────────────
    attention forward, N = 4,096, d = 64   2,048    1.619  89,061,043 (T4)
    attention forward, N = 4,096, d = 64  25,000    1.094  11,020,013 (T1)
    """
    if show not in _SHOWN:
        raise InvalidInput(f"a comparison cannot show {show!r}; it can show {', '.join(_SHOWN)}")
    asked = [problems] if isinstance(problems, Problem) else list(problems)
    memories = list(M) if isinstance(M, Iterable) and not isinstance(M, str) else [M]
    names = [schedules] if isinstance(schedules, str) else None if schedules is None else list(schedules)
    if not asked or not memories:
        raise InvalidInput(
            f"nothing to compare: {len(asked)} problems and {len(memories)} memories were given"
        )
    if strange := [one for one in asked if not isinstance(one, Problem)]:
        raise InvalidInput(f"a comparison is of problems (pebble.Problem), not of {strange[0]!r}")
    reports = (count_any_pass(problem, words, names) for problem in asked for words in memories)
    return Comparison(tuple(reports), show)


def _cell(row: Row | None, show: str) -> str:
    value = None if row is None or not row.fits else getattr(row, show)
    return "–" if value is None else f"{value:.3f}" if show == "ratio" else words(value)
