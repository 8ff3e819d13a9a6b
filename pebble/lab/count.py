"""Counting schedules and programs on one pass of a problem, each count verified by a machine run that enforces M."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from pebble.common.clock import tell
from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError, TooManyOperations
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.count_row import Price, Row
from pebble.lab.count_table import Report
from pebble.lab.hardware.device import Device, memory_words
from pebble.lab.hardware.device import device as device_of
from pebble.lab.work import flops, footprint
from pebble.lower_bounds.table import BoundTable, bounds
from pebble.program import Program
from pebble.program.closed_forms.count import closed_form
from pebble.program.counting import run as machine
from pebble.program.counting.counted import Run
from pebble.program.counting.plain import Machine
from pebble.program.schedule import Schedule, Tiles, resolve_tiles


def count(
    problem: Problem,
    M: int | None = None,
    schedules: Iterable[str | Schedule] | None = None,
    tiles: Tiles | str | None = None,
    *,
    device: str | Device | None = None,
    level: str | None = None,
    dtype: str | None = None,
) -> Report:
    """Count the I/O of schedules on a problem with M words of fast memory.

    Every count is the closed form's and has been confirmed by a machine run that enforces M. A schedule for which
    that would take too long, under a mask, is a row with a note and without counts.

    Parameters
    ----------
    problem : Problem
    M : int, optional
        Words of fast memory; or give a device.
    schedules : iterable of str or Schedule, optional
        Which ones; all registered ones that serve the problem's pass by default.
    tiles : mapping or str, optional
        Tile sizes for every schedule, or the name of a preset such as ``"literal"``; by default each schedule
        chooses its own.
    device : str or Device, optional
        Sets M.
    level : {"smem", "smem+regs", "l2"}, optional
        What of the device is fast memory.
    dtype : str, optional
        What a word is; bfloat16 by default on a device. With it, rows have bytes, and on a device the least time.

    Examples
    --------
    >>> report = count(Problem.square(1024, 64), 98304, ["flash-2"])
    >>> report["flash-2"].io, report["flash-2"].tiles
    (393216, {'rows': 761})
    """
    M = memory_words(M, device, level, dtype or "bfloat16")
    found = bounds(problem, M)
    rows = []
    for schedule in asked_schedules(schedules, problem):
        tell(f"counting {schedule.name} …")
        try:
            rows.append(count_schedule(schedule, problem, M, tiles, found.best.value))
        except TooManyOperations as error:
            rows.append(_uncounted(schedule, problem, str(error)))
    if counted := [row for row in rows if row.io is not None]:
        least = min(counted, key=lambda row: row.io or 0)
        held = found.held_to(least.io or 0, least.name)
        if held is not found:
            found, bound = held, held.best.value
            rows = [row if row.io is None else replace(row, ratio=row.io / bound) for row in rows]
    report = Report(problem, M, tuple(rows), found)
    if device is None and dtype is None:
        return report
    on = device_of(device) if isinstance(device, str) else device
    return report.priced(Price(dtype or "bfloat16", on, level))


@dataclass(frozen=True)
class ProblemRun(Run):
    """What :func:`pebble.run` returns: a run of a program, counted for all heads and batch elements of its problem.

    The peak and the final state are of one of them.

    Attributes
    ----------
    problem : Problem or None
        None if the program was run on a family, of which there are no bounds here.
    """

    problem: Problem | None = None

    @classmethod
    def of(cls, one: Run, problem: Problem | None) -> ProblemRun:
        """Return a run of one copy as one of all copies."""
        copies = 1 if problem is None else problem.copies
        moved = {
            name: {array: words * copies for array, words in getattr(one, name).items()}
            for name in ("reads", "writes", "computes")
        }
        return cls(**{**vars(one), **moved, "copies": copies, "problem": problem})

    @cached_property
    def bounds(self) -> BoundTable:
        """The bounds for M words, or for as many as the peak where there was no limit."""
        if self.problem is None:
            raise InvalidInput(
                "the program was run on a family, which has no bounds; pass the problem to pebble.run instead"
            )
        return bounds(self.problem, self.peak if self.M is None else self.M).held_to(self.io, "the program")

    @property
    def ratio(self) -> float:
        """I/O divided by the best proved lower bound."""
        return self.io / self.bounds.best.value


def run(
    program: Program,
    problem: Problem | Family,
    M: int | None = None,
    *,
    induction: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> ProblemRun:
    """Run a program of your own on the machine, and hold what it moves to the bounds.

    Parameters
    ----------
    program : Program
        For one head of one batch element: all others are copies, so it is run once and what it moves is multiplied. Of
        query heads that share keys and values the queries are one axis, see :class:`pebble.Problem`.
    problem : Problem or Family
        With a family there are no bounds.
    M : int, optional
        Words of fast memory to enforce. None measures without a limit.
    induction : bool
        Whether a program that its text proves to be legal is counted without being executed.
    observe : callable, optional
        Called with the machine after every operation; needs ``induction=False``.
    step_limit : int, optional
        Most operations to execute; five million by default, 600,000 under a mask.

    Raises
    ------
    Violation
        If an operation breaks a rule of the game, or an output is not in slow memory at the end.
    TooManyOperations
        If it takes too many operations, or is expected to under a mask of repeating blocks.

    Notes
    -----
    Cost: some milliseconds at any size where the text is proved to be legal (docs/check-a-bound.md); about 10 µs for
    each operation where it is executed.

    Examples
    --------
    >>> from pebble.program import compute, delete, load, program, store
    >>> all_at_once = program(
    ...     load("Q", "K", "V"), compute("S"), compute("P"), compute("l"), compute("U"), compute("O"), store("O")
    ... )
    >>> found = run(all_at_once, Problem.square(64, 8, heads=4), M=20_000)
    >>> found.io, found.peak, found.bounds.best.value, found.ratio
    (8192, 10816, 8192, 1.0)
    """
    known, family = (problem, family_of(problem)) if isinstance(problem, Problem) else (None, problem)
    one = machine.run(program, family, M, induction=induction, observe=observe, step_limit=step_limit)
    return ProblemRun.of(one, known)


def _uncounted(schedule: Schedule, problem: Problem, why: str) -> Row:
    """Return a row that says why a schedule is not counted, with the least M, or what it is without the mask."""
    try:
        least = schedule.least_M(problem)
    except TooManyOperations:
        least = schedule.least_M(problem.without_mask())
    return Row(schedule.name, None, least, note=why)


def count_schedule(
    schedule: Schedule, problem: Problem, M: int, tiles: Tiles | str | None, bound: int | float
) -> Row:
    """Count one schedule; a row that says so if it does not fit.

    ``bound`` is the best proved one, for all heads and batch elements.
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
    counted = ProblemRun.of(counted, problem)
    pick = getattr(schedule, "chosen", None)
    return Row(
        name=schedule.name,
        fits=True,
        tiles=dict(sizes),
        reads=counted.total_reads,
        writes=counted.total_writes,
        io=counted.io,
        peak=counted.peak,
        least_M=schedule.least_M(problem) if tiles is None else counted.peak,
        ratio=counted.io / bound,
        by_array={
            name: {"reads": reads, "writes": counted.writes[name]}
            for name, reads in counted.reads.items()
            if reads or counted.writes[name]
        },
        chosen=pick(problem, sizes).name if pick else "",
        flops=flops(counted),
        footprint=footprint(counted),
        computes={name: vertices for name, vertices in counted.computes.items() if vertices},
    )


def _compare(schedule: Schedule, program: Program, family: Family, counted: Run) -> None:
    """Hold the count to the closed form; under a mask both are one fold."""
    if family.masked_axes:
        return
    formula = int(closed_form(program, family).io)
    if formula != counted.io:
        raise PebbleError(
            f"{schedule.name}: the closed form gives {formula} words and the machine {counted.io}; "
            "please report this"
        )


def _unfit(schedule: Schedule, tiles: Tiles | None, least_M: int) -> Row:
    return Row(schedule.name, False, least_M, None if tiles is None else dict(tiles))
