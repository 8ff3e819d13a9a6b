"""Pebblings with several memory levels, move by move: those of schedules, and files of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import IO

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.game.files.header import Header
from pebble.game.files.writer import write_lines
from pebble.game.level_game import LevelMove
from pebble.lab.pebblings import text_size
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.levels import boundary_bound
from pebble.program import Program
from pebble.program.counting.counted import Run
from pebble.program.hierarchy import Hierarchy
from pebble.program.lowering import lower_levels
from pebble.program.schedule.level_schedule import LevelSchedule
from pebble.program.schedule.registry import level_schedule
from pebble.program.schedule.tiled_programs import Tiles


@dataclass(frozen=True)
class LevelPebbling:
    """The moves of a schedule with several memory levels, generated as they are read.

    The runs are of each level, as the machine counted it without limits.
    """

    schedule: LevelSchedule
    problem: Problem
    hierarchy: Hierarchy
    tiles: dict[str, int]
    program: Program
    family: Family
    runs: tuple[Run, ...]

    @property
    def needed(self) -> tuple[int, ...]:
        """Words that it needs of each level."""
        return tuple(run.peak for run in self.runs)

    def __iter__(self) -> Iterator[LevelMove]:
        return lower_levels(
            self.program, self.family, self.hierarchy.levels, inclusive=self.hierarchy.inclusive
        )

    @property
    def capacities(self) -> tuple[int, ...]:
        """Words of each level: as given, or what the program needs."""
        return self.hierarchy.fitted(self.needed)

    @property
    def header(self) -> Header:
        """Header of the pebbling file."""
        sizes = self.capacities
        return Header(
            self.family.name,
            self.family.parameters,
            sizes[-1],
            levels=sizes,
            inclusive=self.hierarchy.inclusive,
        )

    def size(self) -> tuple[int, int]:
        """Return about how many moves and bytes the file has; raise InvalidInput if there are too many moves."""
        return text_size(self.runs, self.hierarchy.inclusive)

    def write(self, target: str | os.PathLike[str] | IO[str]) -> int:
        """Write the pebbling file and return the number of moves."""
        self.size()
        name = lru_cache(1 << 16)(self.family.names.__getitem__)
        return write_lines(target, self.header, (move.text(name(move.vertex)) for move in self))


def level_pebbling(
    asked: str | LevelSchedule,
    problem: Problem,
    hierarchy: Hierarchy,
    tiles: Tiles | str | None,
    weights: Sequence[float] | None = None,
    allowed: Callable[[Tiles], Tiles | None] | None = None,
) -> LevelPebbling:
    """Return the moves of a schedule, by name or as it is, with tiles as given or chosen; they need not fit.

    Parameters
    ----------
    weights : sequence of float, optional
        What a word costs at each boundary; one over the bound there by default.

    Raises
    ------
    CacheTooSmall
        If the schedule finds no tiles that fit.
    """
    schedule = level_schedule(asked, problem) if isinstance(asked, str) else asked
    if weights is None:
        weights = [1 / bound.value for bound in boundary_bounds(problem, hierarchy)]
    schedule.require_levels(hierarchy)
    if isinstance(tiles, str):
        raise InvalidInput(
            f"{schedule.name} has no preset of tiles called {tiles!r}: give sizes, such as rows=12,cols=9"
        )
    sizes = schedule.check_tiles(tiles) if tiles else schedule.tiles(problem, hierarchy, weights, allowed)
    program, family = schedule.program(problem, sizes, hierarchy), schedule.family(problem)
    runs = schedule.measure(problem, sizes, hierarchy)
    return LevelPebbling(schedule, problem, hierarchy, dict(sizes), program, family, runs)


def boundary_bounds(problem: Problem, hierarchy: Hierarchy) -> tuple[Bound, ...]:
    """Return the bound at each boundary, for all heads and batch elements."""
    levels = range(1, hierarchy.levels + 1)
    return tuple(boundary_bound(problem, hierarchy.held_within(level)) for level in levels)


def level_moves(
    schedule: str | LevelSchedule, problem: Problem, hierarchy: Hierarchy, tiles: Tiles | str | None = None
) -> LevelPebbling:
    """Lower a schedule to moves with several memory levels.

    The problem is one copy: heads and batch are ignored. The tiles, if they are not given, are chosen for all
    boundaries at once.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> sizes = {"rows": 2, "cols": 1, "block": 1}
    >>> pebbling = level_moves("nested-flash-2", Problem.square(2, 1), Hierarchy((10, 20)), sizes)
    >>> sum(1 for move in pebbling), [run.io for run in pebbling.runs]
    (106, [22, 8])
    """
    found = level_pebbling(schedule, problem, hierarchy, tiles)
    for level, (need, words) in enumerate(zip(found.needed, hierarchy.capacities, strict=True), start=1):
        if words is not None and need > words:
            raise CacheTooSmall(
                f"with these tiles {found.schedule.name} needs {need} words in level {level}, which has "
                f"{words}",
                need,
            )
    return found
