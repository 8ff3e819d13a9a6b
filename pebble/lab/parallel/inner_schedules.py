"""Schedules for several devices with a schedule of one device inside."""

from __future__ import annotations

from dataclasses import replace

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.lab.parallel.parallel_table import ParallelReport, ParallelRow
from pebble.program.parallel import DeviceShare, MemoryRun, SharedProblem, distributed_schedule
from pebble.program.schedule import get

__all__ = ["with_inner"]


def with_inner(report: ParallelReport, inner: str, M: int) -> ParallelReport:
    """Return a report with what each device moves between its memory and M words of fast memory, where that is known.

    The schedule's tiles are those for M words and the share of queries and keys that a device works on at a time.
    """
    rows, reasons = [], dict(report.not_applicable)
    for row in report.rows:
        try:
            rows.append(replace(row, inner=_run(report.problem, row, inner, M)))
        except (InvalidInput, CacheTooSmall) as error:
            rows.append(row)
            reasons[f"inner I/O of {row.name}"] = str(error)
    return replace(report, rows=tuple(rows), not_applicable=reasons)


def _run(problem: SharedProblem, row: ParallelRow, inner: str, M: int) -> MemoryRun:
    shape = tuple(int(part) for part in row.shape.split("x")) if row.shape else ()
    laid_out, schedule = problem.with_layout(row.layout), get(inner)
    share = DeviceShare(laid_out, distributed_schedule(row.name).placement(laid_out, shape))
    return share.run(schedule.program(share.problem, schedule.tiles(share.problem, M)), M)
