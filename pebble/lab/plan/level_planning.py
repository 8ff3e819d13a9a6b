"""Planning with several memory levels: tiles for all boundaries at once, under constraints on their sizes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from pebble.computations.problem import Problem
from pebble.lab.level_counts import count_levels
from pebble.lab.level_table import LevelReport
from pebble.lab.plan.constraints import Constraints
from pebble.program.hierarchy import Hierarchy
from pebble.program.schedule.level_schedule import LevelSchedule
from pebble.program.schedule.tiled_programs import Tiles


def plan_levels(
    problem: Problem,
    hierarchy: Hierarchy,
    constraints: Constraints | None = None,
    schedules: Iterable[str | LevelSchedule] | None = None,
    **rates: Any,
) -> LevelReport:
    """Choose tiles for all boundaries between memory levels at once, under constraints on their sizes.

    Parameters
    ----------
    problem : Problem
    hierarchy : Hierarchy
        The levels, the innermost first.
    constraints : Constraints, optional
        On the sizes only: every tile of every level is a multiple of a number, or a power of two, unless it is
        the whole axis; rows and cols may have a least and a greatest length.
    schedules
        As for :func:`pebble.count_levels`.
    **rates
        ``bandwidths`` and ``bytes_per_word``, likewise.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> plan_levels(Problem.square(4096, 16), Hierarchy((2000, 20_000)), Constraints(multiple_of=16)).rows[0].tiles
    {'rows': 400, 'cols': 192, 'block': 48}
    """
    allowed = None if constraints is None else partial(_allowed, constraints, problem)
    return count_levels(problem, hierarchy, schedules, allowed=allowed, **rates)


def _allowed(constraints: Constraints, problem: Problem, tiles: Tiles) -> Tiles | None:
    """Return the largest tiles that keep the constraints and are no larger; None if there are none."""
    extents = {"rows": problem.Nq, "cols": problem.Nk}
    found = {}
    for name, size in tiles.items():
        axis = "cols" if name.startswith("cols") else "rows"
        if name == "block":
            axis = "rows" if problem.pass_name == "forward" else "cols"
        size = min(size, constraints.at_most.get(name, size))
        whole = size >= extents[axis]
        found[name] = size if whole else constraints.down(size)
        if found[name] < 1 or (not whole and found[name] < constraints.at_least.get(name, 1)):
            return None
    return found
