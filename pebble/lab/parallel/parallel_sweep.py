"""Schedules for several devices at several lengths and numbers of devices: one table of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pebble.common.tables import Table, TableResult, words
from pebble.lab.parallel.parallel_table import TIME_HEAD, ParallelReport, ParallelRow, time_cells

__all__ = ["ParallelSweep"]

_HEAD = ["N", "P", "schedule", "shape", "words received, busiest", "total", "rounds", "memory"]


@dataclass(frozen=True)
class ParallelSweep(TableResult):
    """Reports for several N and P.

    Attributes
    ----------
    reports : tuple of ParallelReport
        One for each N and P, in the order asked for.
    """

    reports: tuple[ParallelReport, ...]

    def content(self) -> dict[str, Any]:
        """Return plain data: the document of each N and P."""
        return {"points": [report.content() for report in self.reports]}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, each with its N and P."""
        return [
            {"N": report.problem.N, "P": report.problem.P, **row.to_dict()}
            for report in self.reports
            for row in report.rows
        ]

    def parts(self) -> list[str | Table]:
        """Return what is printed: all rows, and which schedules do not apply where."""
        rows = [_cells(report, row) for report in self.reports for row in report.rows]
        times = TIME_HEAD if self.reports[0].links else []
        head = [*_HEAD, *times, "ratio"]
        right = (0, 1, *range(4, len(head)))
        table = Table([head, *rows], right=right, drop=("rounds", "memory", "total"))
        notes = [
            f"{name} is left out at N = {report.problem.N:,}, P = {report.problem.P:,}: {why}"
            for report in self.reports
            for name, why in report.not_applicable.items()
        ]
        return [table, *(["\n".join(notes)] if notes else [])]


def _cells(report: ParallelReport, row: ParallelRow) -> list[str]:
    memory = words(max(row.traffic.memory)) if row.traffic else ""
    ratio = "" if row.ratio_busiest is None else f"{row.ratio_busiest:,.3f}"
    sizes = [f"{report.problem.N:,}", f"{report.problem.P:,}", row.name, row.shape]
    times = time_cells(row.wire) if report.links else []
    return [*sizes, words(max(row.received)), words(row.total), str(row.rounds), memory, *times, ratio]
