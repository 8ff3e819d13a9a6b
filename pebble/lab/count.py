"""Counting schedules on a problem: verified rows, the bounds beside them, as tables, JSON or CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pebble.common.errors import CacheTooSmall, InvalidInput, NoClosedForm, PebbleError, TooManyOperations
from pebble.common.tables import csv_text, html_table, table, tiles_text, words
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lower_bounds.table import BoundTable, bounds
from pebble.program import Program
from pebble.program.closed_form.count import closed_form
from pebble.program.machine.counted import Run
from pebble.program.schedule import Schedule, Tiles, get, offered, resolve_tiles

__all__ = ["SCHEMA_VERSION", "Report", "Row", "count", "count_schedule"]

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Row:
    """One schedule on one problem, verified by the machine with at most M words.

    Attributes
    ----------
    name : str
    fits : bool or None
        Whether it can be done with M words; None if nothing was counted.
    tiles : dict of str to int, or None
        None if no choice of tiles fits.
    reads, writes, io : int or None
        Words loaded, stored and both, for all heads and batch elements.
    peak : int or None
        Largest number of words in fast memory.
    least_M : int
        Least number of words it needs: with the given tiles if they were given, else with the smallest.
    ratio : float or None
        I/O divided by the best proved lower bound.
    by_array : dict
        ``{"Q": {"reads": ..., "writes": ...}, ...}`` for the arrays that are moved.
    chosen : str
        For a schedule that picks among others, which one it picked.
    note : str
        Why nothing was counted, where the count could not be verified in reasonable time.
    """

    name: str
    fits: bool | None
    tiles: dict[str, int] | None
    reads: int | None
    writes: int | None
    io: int | None
    peak: int | None
    least_M: int
    ratio: float | None
    by_array: dict[str, dict[str, int]] = field(default_factory=dict)
    chosen: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        row: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "name",
                "fits",
                "tiles",
                "reads",
                "writes",
                "io",
                "peak",
                "least_M",
                "ratio",
                "by_array",
            )
        }
        extra = {name: text for name, text in (("chosen", self.chosen), ("note", self.note)) if text}
        return {**row, **extra}


@dataclass(frozen=True)
class Report:
    """What :func:`count` returns: rows by schedule, bounds, and the regime.

    Prints as a table, shows as one in a notebook, and gives JSON-ready data with :meth:`to_dict`.
    """

    problem: Problem
    M: int
    rows: tuple[Row, ...]
    bounds: BoundTable

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise InvalidInput(f"no row {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def __repr__(self) -> str:
        fitting = sum(bool(row.fits) for row in self.rows)
        return f"<Report {self.problem!r} M={self.M}: {len(self.rows)} schedules, {fitting} fit>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "problem": self.problem.to_dict(),
            "M": self.M,
            "regime": self.bounds.regime_name,
            **self.bounds.dividing_points(),
            "schedules": [row.to_dict() for row in self.rows],
            "bounds": self.bounds.to_list(),
        }

    def why_nothing_fits(self) -> str:
        """Return what would be needed, where no schedule fits."""
        least = min(self.rows, key=lambda row: row.least_M)
        text = f"no schedule fits M = {words(self.M)}; {least.name} needs the least, {words(least.least_M)} words"
        needed = family_of(self.problem).max_indegree + 1
        if needed > self.M:
            text += (
                f". No schedule can do with less than {needed}: some vertex has {needed - 1} predecessors, which "
                "must all be in fast memory together with the vertex itself"
            )
        return text

    def cells(self) -> list[list[str]]:
        """Return the table of schedules as text, the header first."""
        cells = [["schedule", "tiles", "reads", "writes", "I/O", "peak", "I/O ÷ bound"]]
        for row in self.rows:
            if row.note:
                cells.append([row.name, "not counted, see below", "", "", "", "", ""])
                continue
            if not row.fits:
                cells.append(
                    [row.name, f"does not fit: needs {words(row.least_M)} words", "", "", "", "", ""]
                )
                continue
            tiles = tiles_text(row.tiles or {}) + (f" ({row.chosen})" if row.chosen else "")
            counts = [words(value) for value in (row.reads, row.writes, row.io, row.peak)]
            cells.append([row.name, tiles, *counts, f"{row.ratio:.3f}" if row.ratio is not None else ""])
        return cells

    def __str__(self) -> str:
        return "\n\n".join(
            [
                f"{self.problem.describe()}; M = {words(self.M)} words\n{self.bounds.regime}",
                "\n".join([table(self.cells(), left=2), *self._notes()]),
                str(self.bounds),
            ]
        )

    def _notes(self) -> list[str]:
        """Why schedules were not counted."""
        return [f"{row.name}: {row.note}" for row in self.rows if row.note]

    def _repr_html_(self) -> str:
        return html_table(self.cells()) + self.bounds._repr_html_()

    def to_csv(self) -> str:
        """Return the rows as CSV with a header line."""
        return csv_text(self.rows)


def count(
    problem: Problem,
    M: int,
    schedules: Iterable[str | Schedule] | None = None,
    tiles: Tiles | str | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Count the I/O of schedules on a problem with M words of fast memory.

    Every count is the closed form's and has been confirmed by a machine run that enforces M.

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
    table = bounds(problem, M)
    chosen = _resolve(problem, schedules)
    rows = []
    for schedule in chosen:
        if progress is not None:
            progress(schedule.name)
        try:
            rows.append(count_schedule(schedule, problem, M, tiles, table.best.value))
        except TooManyOperations as error:
            if schedules is not None:
                raise
            rows.append(_uncounted(schedule, problem, str(error)))
    return Report(problem, M, tuple(rows), table)


def _uncounted(schedule: Schedule, problem: Problem, why: str) -> Row:
    """Return a row that says that a schedule nobody asked for by name was too long to verify."""
    least = schedule.least_M(problem)
    return Row(schedule.name, None, None, None, None, None, None, least, None, note=why)


def _resolve(problem: Problem, schedules: Iterable[str | Schedule] | None) -> list[Schedule]:
    if schedules is None:
        return offered(problem)
    chosen = [get(item, problem.pass_name) if isinstance(item, str) else item for item in schedules]
    for schedule in chosen:
        if problem.pass_name not in schedule.passes:
            raise InvalidInput(f"{schedule.name} does not serve the {problem.pass_name} pass")
    return chosen


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
    return Row(
        schedule.name, False, None if tiles is None else dict(tiles), None, None, None, None, least_M, None
    )
