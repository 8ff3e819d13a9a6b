"""Counting schedules at every boundary between several memory levels, each count verified by the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pebble.common.clock import tell
from pebble.common.errors import CacheTooSmall, InvalidInput, PebbleError
from pebble.computations.problem import Problem
from pebble.lab.level_pebblings import boundary_bounds, level_pebbling
from pebble.lab.level_table import Boundary, LevelReport, LevelRow
from pebble.lower_bounds.bound import Bound
from pebble.program.closed_forms.count import words_moved
from pebble.program.hierarchy import Hierarchy
from pebble.program.projection import project
from pebble.program.schedule.level_schedule import LevelSchedule, fits
from pebble.program.schedule.registry import level_schedule, level_schedules
from pebble.program.schedule.tiled_programs import Tiles


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
