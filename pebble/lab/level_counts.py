"""Counting schedules at every boundary between several memory levels, each count verified by the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pebble.common.clock import tell
from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError
from pebble.common.plain import PlainRow, plain
from pebble.common.tables import Table, TableResult, csv_text, tiles_text, words
from pebble.common.units import bytes_text, seconds_text
from pebble.computations.problem import Problem
from pebble.lab.level_pebblings import boundary_bounds, level_pebbling
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.table import no_pebbling, sharing_notes
from pebble.program.closed_forms.count import words_moved
from pebble.program.hierarchy import Hierarchy
from pebble.program.projection import project
from pebble.program.schedule.level_schedule import LevelSchedule, fits
from pebble.program.schedule.registry import level_schedule, level_schedules
from pebble.program.schedule.tiled_programs import Tiles


@dataclass(frozen=True)
class Boundary(PlainRow):
    """What a schedule moves between a memory level and the next one out.

    Attributes
    ----------
    level : int
        The level inside; the innermost is 1.
    capacity : int or None
        Its words.
    reads, writes : int
        Words loaded into the level and stored from it, for all heads and batch elements.
    peak : int
        Largest number of words in the level.
    bound : int or float
        What no program moves fewer words than, for all heads and batch elements.
    """

    KEYS = "level capacity reads writes io peak bound ratio"

    level: int
    capacity: int | None
    reads: int
    writes: int
    peak: int
    bound: int | float

    @property
    def io(self) -> int:
        """Words moved: loads plus stores."""
        return self.reads + self.writes

    @property
    def ratio(self) -> float:
        """Words moved, divided by the bound."""
        return self.io / self.bound


@dataclass(frozen=True)
class LevelRow(PlainRow):
    """One schedule on one problem, verified by the machine at every level.

    Attributes
    ----------
    name : str
    tiles : dict of str to int, or None
        None if no choice of tiles fits.
    least : tuple of int
        Least words of each level that it needs: with the given tiles if they were given, else with the smallest.
    boundaries : tuple of Boundary
        The innermost first; empty if it does not fit.
    """

    KEYS = (
        "name fits tiles reads=outermost.reads writes=outermost.writes io=outermost.io peak=outermost.peak least_M "
        "ratio=outermost.ratio least_by_level=least boundaries"
    )

    name: str
    tiles: dict[str, int] | None
    least: tuple[int, ...]
    boundaries: tuple[Boundary, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether it can be done with these levels."""
        sizes = [(one.peak, one.capacity) for one in self.boundaries]
        return bool(sizes) and all(room is None or peak <= room for peak, room in sizes)

    @property
    def outermost(self) -> Boundary | None:
        """What moves at the outermost boundary: what a count with one fast memory has; None if it does not fit."""
        return self.boundaries[-1] if self.boundaries else None

    @property
    def least_M(self) -> int:
        """Least words of the outermost level."""
        return self.least[-1]


@dataclass(frozen=True, repr=False)
class LevelReport(TableResult):
    """What :func:`~pebble.lab.level_counts.count_levels` returns: rows by schedule, a bound for each boundary.

    Attributes
    ----------
    problem : Problem
    hierarchy : Hierarchy
    rows : tuple of LevelRow
    bounds : tuple of Bound
        For each boundary, the innermost first, for all heads and batch elements.
    bandwidths : tuple of float or None
        Bytes per second through each boundary.
    bytes_per_word : int or None
    """

    problem: Problem
    hierarchy: Hierarchy
    rows: tuple[LevelRow, ...]
    bounds: tuple[Bound, ...]
    bandwidths: tuple[float | None, ...]
    bytes_per_word: int | None = None

    def __getitem__(self, name: str) -> LevelRow:
        for row in self.rows:
            if row.name == name:
                return row
        raise InvalidInput(f"no row {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def seconds(self, boundary: Boundary) -> float | None:
        """Return the least time that a boundary's bytes take; None without a figure for the device."""
        rate = self.bandwidths[boundary.level - 1]
        return (
            None if rate is None or self.bytes_per_word is None else boundary.io * self.bytes_per_word / rate
        )

    def slowest(self, row: LevelRow) -> Boundary | None:
        """Return the boundary that takes the longest, if the time of each is known."""
        times = [self.seconds(boundary) for boundary in row.boundaries]
        known = [time for time in times if time is not None]
        if not known or len(known) < len(times):
            return None
        return row.boundaries[times.index(max(known))]

    def why_nothing_fits(self) -> str:
        """Return what would be needed, where no schedule fits."""
        row, sizes = self.rows[0], _and(tuple(size or 0 for size in self.hierarchy.capacities))
        return f"no schedule fits levels of {sizes} words; {row.name} needs {_and(row.least)} words"

    def heading(self) -> str:
        """Return the lines above the table: what was counted, and on which levels."""
        levels = ", ".join(
            f"{f'level {name}' if name.isdigit() else name} of {words(size)} words"
            for name, size in zip(self.hierarchy.names, self.hierarchy.capacities, strict=True)
        )
        return f"{self.problem.describe()}\n{self.hierarchy.kind} memory levels, innermost first: {levels}"

    def parts(self) -> list[str | Table | TableResult]:
        """Return what is printed: the problem, a row for each boundary of each schedule, the bounds."""
        price = [] if self.bytes_per_word is None else ["bytes", "roofline"]
        head = ["schedule", "tiles", "boundary", "reads", "writes", "I/O", *price]
        cells = [[*head, "peak", "of", "bound", "I/O ÷ bound"]]
        for row in self.rows:
            needs = [row.name, f"does not fit: needs {_and(row.least)} words"]
            cells += self._cells(row) or [needs + [""] * (len(cells[0]) - 2)]
        drop = ("writes", "reads", "of", "bytes", "peak", "bound")
        table = Table(cells, left=3, notes=self.notes(), drop=drop)
        rows = [
            [name, bound.name, words(bound.value), bound.note]
            for name, bound in zip(self.hierarchy.boundaries, self.bounds, strict=True)
        ]
        bounds = Table([["boundary", "bound", "words", "from"], *rows], right=(2,))
        inner = self.hierarchy.capacities[0]
        why = None if inner is None else no_pebbling(self.problem, inner)
        alone = [] if why is None else [f"note: {why}"]
        return [self.heading(), table, bounds, *alone, *sharing_notes(self.problem)]

    def notes(self) -> list[str]:
        """Return which boundary limits each schedule, where that is known."""
        found = [(row, self.slowest(row)) for row in self.rows]
        names = self.hierarchy.boundaries
        return [f"{row.name}: {names[one.level - 1]} takes the longest" for row, one in found if one]

    def _cells(self, row: LevelRow) -> list[list[str]]:
        cells = []
        for name, one in zip(self.hierarchy.boundaries, row.boundaries, strict=False):
            head = [row.name, tiles_text(row.tiles or {})] if one.level == 1 else ["", ""]
            moved, room = (one.reads, one.writes, one.io), (one.peak, one.capacity, one.bound)
            price = []
            if self.bytes_per_word is not None:
                price = [bytes_text(one.io * self.bytes_per_word), seconds_text(self.seconds(one))]
            cells.append([*head, name, *map(words, moved), *price, *map(words, room), f"{one.ratio:.3f}"])
        return cells

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        levels = self.hierarchy
        sizes = zip(levels.names, levels.capacities, levels.boundaries, strict=True)
        schedules = []
        for row in self.rows:
            price: dict[str, Any] = {}
            if self.bytes_per_word is not None:
                price["bytes"] = [one.io * self.bytes_per_word for one in row.boundaries]
                price["seconds"] = [self.seconds(one) for one in row.boundaries]
            schedules.append(row.to_dict() | price)
        return {
            **plain(self, "problem softmax=problem.softmax attention=problem.attention"),
            "M": self.hierarchy.capacities[-1],
            "hierarchy": self.hierarchy.kind,
            "levels": [
                {"level": at, "name": name, "words": size, "boundary": boundary}
                for at, (name, size, boundary) in enumerate(sizes, start=1)
            ],
            "schedules": schedules,
            "bounds": [
                {"level": level, **bound.to_dict()} for level, bound in enumerate(self.bounds, start=1)
            ],
        }

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each boundary of each schedule as plain data."""
        return [
            {
                "schedule": row.name,
                "tiles": row.tiles,
                **boundary.to_dict(),
                "seconds": self.seconds(boundary),
                **self.problem.to_dict(),
                "hierarchy": self.hierarchy.kind,
            }
            for row in self.rows
            for boundary in row.boundaries
        ]

    def to_csv(self) -> str:
        """Return a line of CSV for each boundary of each schedule, below a header line."""
        return csv_text([*self.records()[0]] if self.records() else ["schedule"], self.records())


def _and(sizes: tuple[int, ...]) -> str:
    return " and ".join(words(size) for size in sizes)


def count_levels(
    problem: Problem,
    hierarchy: Hierarchy,
    schedules: Iterable[str | LevelSchedule] | None = None,
    tiles: Tiles | str | None = None,
    *,
    bandwidths: tuple[float | None, ...] | None = None,
    bytes_per_word: int | None = None,
    allowed: Callable[[Tiles], Tiles | None] | None = None,
) -> LevelReport:
    """Count the words that schedules move at every boundary between memory levels.

    Every count is the closed form's of the program at that boundary, and has been confirmed by a run on the machine
    that enforces the rules at every level and measures the words that it needs, which must be there.

    Parameters
    ----------
    problem : Problem
    hierarchy : Hierarchy
        The levels, the innermost first.
    schedules : iterable of str or LevelSchedule, optional
        Which ones; all that serve the problem's pass by default.
    tiles : mapping, optional
        Tile sizes; by default each schedule chooses them for all boundaries at once: so that the slowest boundary is
        as fast as can be where all bandwidths are given, else so that the largest ratio to a bound is as small as can
        be.
    bandwidths : tuple of float or None, optional
        Bytes per second through each boundary, the innermost first.
    bytes_per_word : int, optional
    allowed : callable, optional
        Returns the tiles, no larger, that may be taken for some; None if there are none.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> sizes = {"rows": 12, "cols": 9, "block": 5}
    >>> report = count_levels(Problem.square(40, 3), Hierarchy((43, 140)), ["nested-flash-2"], sizes)
    >>> [(boundary.io, boundary.peak) for boundary in report["nested-flash-2"].boundaries]
    [(4400, 43), (1200, 140)]
    """
    if problem.pass_name == "both":
        raise InvalidInput("with several memory levels, count the forward and the backward pass separately")
    bounds = boundary_bounds(problem, hierarchy)
    rates = bandwidths or (None,) * hierarchy.levels
    known = [rate for rate in rates if rate is not None]
    if len(known) == hierarchy.levels and bytes_per_word is not None:
        weights = [problem.copies * bytes_per_word / rate for rate in known]
    else:
        weights = [problem.copies / bound.value for bound in bounds]
    rows = []
    for asked in level_schedules(problem) if schedules is None else schedules:
        schedule = level_schedule(asked, problem) if isinstance(asked, str) else asked
        tell(f"counting {schedule.name} …")
        rows.append(_row(schedule, problem, hierarchy, tiles, weights, bounds, allowed))
    return LevelReport(problem, hierarchy, tuple(rows), bounds, rates, bytes_per_word)


def _row(
    schedule: LevelSchedule,
    problem: Problem,
    hierarchy: Hierarchy,
    tiles: Tiles | str | None,
    weights: list[float],
    bounds: tuple[Bound, ...],
    allowed: Callable[[Tiles], Tiles | None] | None,
) -> LevelRow:
    """Count one schedule; a row that says so if it does not fit."""
    try:
        found = level_pebbling(schedule, problem, hierarchy, tiles, weights, allowed)
    except CacheTooSmall:
        return LevelRow(schedule.name, None, schedule.least(problem, hierarchy))
    if not fits(found.needed, hierarchy):
        return LevelRow(schedule.name, found.tiles, found.needed)
    least = found.needed if tiles else schedule.least(problem, hierarchy)
    boundaries = []
    for level, (run, bound) in enumerate(zip(found.runs, bounds, strict=True), start=1):
        formula = words_moved(project(found.program, level), found.family)
        if formula != run.io:
            raise PebbleError(
                f"{schedule.name}, level {level}: the closed form gives {formula} words and the machine {run.io}; "
                "please report this"
            )
        reads, writes = run.total_reads * problem.copies, run.total_writes * problem.copies
        capacity = hierarchy.capacities[level - 1]
        boundaries.append(Boundary(level, capacity, reads, writes, run.peak, bound.value))
    return LevelRow(schedule.name, found.tiles, least, tuple(boundaries))
