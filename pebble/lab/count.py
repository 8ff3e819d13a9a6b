"""Counting schedules on one pass of a problem, each count verified by a machine run that enforces M."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pebble.common.errors import CacheTooSmall, NoClosedForm, PebbleError, TooManyOperations
from pebble.common.units import fast_memory_words
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.count_table import Report, Row
from pebble.lower_bounds.table import bounds
from pebble.program import Program
from pebble.program.closed_forms.count import closed_form
from pebble.program.machine.counted import Run
from pebble.program.schedule import Schedule, Tiles, resolve_tiles
from pebble.program.schedule.light_tiles import taken_to_be_verified

__all__ = ["count", "count_schedule"]

_FORCED = "the tiles were taken because they can be verified under this mask; others may move fewer words"


def count(
    problem: Problem,
    M: int,
    schedules: Iterable[str | Schedule] | None = None,
    tiles: Tiles | str | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Count the I/O of schedules on a problem with M words of fast memory.

    Every count is the closed form's and has been confirmed by a machine run that enforces M. A schedule for which
    that would take too long, under a mask, is a row with a note and without counts.

    Parameters
    ----------
    problem : Problem
    M : int
        Words of fast memory.
    schedules : iterable of str or Schedule, optional
        Which ones; all registered ones that serve the problem's pass by default.
    tiles : mapping or str, optional
        Tile sizes for every schedule, or the name of a preset such as ``"literal"``; by default each schedule
        chooses its own.
    progress : callable, optional
        Called with the name of each schedule before it is counted.

    Returns
    -------
    Report

    Raises
    ------
    InvalidInput
        For unknown schedules, tiles or presets, or an M that is no positive whole number.

    Examples
    --------
    >>> report = count(Problem.square(1024, 64), 98304, ["flash-2"])
    >>> report["flash-2"].io, report["flash-2"].tiles
    (393216, {'rows': 761})
    """
    M = fast_memory_words(M)
    found = bounds(problem, M)
    rows = []
    for schedule in asked_schedules(schedules, problem):
        if progress is not None:
            progress(schedule.name)
        try:
            rows.append(count_schedule(schedule, problem, M, tiles, found.best.value))
        except TooManyOperations as error:
            rows.append(_uncounted(schedule, problem, str(error)))
    return Report(problem, M, tuple(rows), found)


def _uncounted(schedule: Schedule, problem: Problem, why: str) -> Row:
    """Return a row that says why a schedule is not counted."""
    return Row(schedule.name, None, schedule.least_M(problem), note=why)


def count_schedule(
    schedule: Schedule, problem: Problem, M: int, tiles: Tiles | str | None, bound: int | float
) -> Row:
    """Count one schedule; a row that says so if it does not fit.

    Parameters
    ----------
    bound : int or float
        The best proved lower bound, for all heads and batch elements.
    """
    try:
        sizes = resolve_tiles(schedule, problem, M, tiles)
    except CacheTooSmall as error:
        return _unfit(schedule, None, error.least_M or schedule.least_M(problem))
    program, family = schedule.program(problem, sizes), schedule.family(problem)
    counted = schedule.measure(problem, sizes)
    if counted.peak > M:
        return _unfit(schedule, sizes, counted.peak)
    _compare(schedule, program, family, counted)
    copies = problem.copies
    moved = {name: (counted.reads[name], counted.writes[name]) for name in counted.reads}
    pick = getattr(schedule, "chosen", None)
    forced = tiles is None and taken_to_be_verified(schedule, problem, M, sizes)
    return Row(
        name=schedule.name,
        fits=True,
        tiles=dict(sizes),
        reads=counted.total_reads * copies,
        writes=counted.total_writes * copies,
        io=counted.io * copies,
        peak=counted.peak,
        least_M=schedule.least_M(problem) if tiles is None else counted.peak,
        ratio=counted.io * copies / bound,
        by_array={
            name: {"reads": reads * copies, "writes": writes * copies}
            for name, (reads, writes) in moved.items()
            if reads or writes
        },
        chosen=pick(sizes).name if pick else "",
        note=_FORCED if forced else "",
    )


def _compare(schedule: Schedule, program: Program, family: Family, counted: Run) -> None:
    """Hold the machine's count to the closed form, where there is one."""
    try:
        formula = int(closed_form(program, family).io)
    except NoClosedForm:
        return
    if formula != counted.io:
        raise PebbleError(
            f"{schedule.name}: the closed form gives {formula} words and the machine {counted.io}; "
            "please report this"
        )


def _unfit(schedule: Schedule, tiles: Tiles | None, least_M: int) -> Row:
    return Row(schedule.name, False, least_M, None if tiles is None else dict(tiles))
