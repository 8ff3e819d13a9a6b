"""Schedules for several devices as programs, with a schedule of one device inside."""

from __future__ import annotations

from dataclasses import replace

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.lab.parallel.parallel_table import ParallelReport, ParallelRow
from pebble.program.parallel import (
    DeviceProgram,
    DistributedSchedule,
    InnerWork,
    MemoryRun,
    Shape,
    SharedProblem,
    block_sizes,
    distributed_schedule,
    memory_run,
    run_one_device,
)

__all__ = ["inner_program", "program_text", "with_inner"]


def inner_program(
    schedule: DistributedSchedule, problem: SharedProblem, shape: Shape, inner: str, M: int
) -> DeviceProgram:
    """Return the program of a schedule with a schedule of one device inside, whose tiles are for M words.

    Raises
    ------
    InvalidInput
        If the schedule is not written as a program, or the devices are not alike.
    CacheTooSmall
        If the inner schedule does not fit.
    """
    if problem.dv is not None and problem.dv != problem.d:
        raise InvalidInput("inner schedules are for values as wide as keys: dv = d")
    plain = schedule.program(problem, shape)
    queries, keys = block_sizes(plain, problem)
    return schedule.program(problem, shape, InnerWork.of(inner, queries, keys, problem.d, M))


def with_inner(report: ParallelReport, inner: str, M: int) -> ParallelReport:
    """Return a report with what each device moves between its memory and M words of fast memory, where that is known.

    The program is verified on one device, too, and must move between devices what the row says.
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
    laid_out = problem.with_layout(row.layout)
    program = inner_program(distributed_schedule(row.name), laid_out, shape, inner, M)
    if run_one_device(program, laid_out).received != max(row.received):
        raise Violation(f"{row.name}: the program moves other words than the placement", "counts-differ")
    return memory_run(program, laid_out, M)


def program_text(
    name: str,
    problem: SharedProblem,
    shape: Shape | None = None,
    inner: str | None = None,
    M: int | None = None,
) -> str:
    """Return what each device does, as pseudo-code.

    Raises
    ------
    InvalidInput
        If the schedule is not written as a program, or an inner one is named without M.
    """
    schedule = distributed_schedule(name)
    chosen = (
        schedule.best_shape(problem) if shape is None or len(shape) != len(schedule.shape_names) else shape
    )
    if inner is None:
        return str(schedule.program(problem, chosen))
    if M is None:
        raise InvalidInput("the tiles of an inner schedule are chosen for M words of fast memory: give -M")
    return str(inner_program(schedule, problem, chosen, inner, M))
