"""Pebblings with several memory levels, move by move: those of schedules, and files of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, TYPE_CHECKING

from pebble.common.errors import CacheTooSmall
from pebble.lab.level_counts import level_program
from pebble.lab.pebblings import text_size
from pebble.program.lowering import lower_levels

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.computations.problem import Problem
    from pebble.game.files.header import Header
    from pebble.game.level_game import LevelMove
    from pebble.program import Program
    from pebble.program.counting.counted import Run
    from pebble.program.hierarchy import Hierarchy
    from pebble.program.schedule.level_schedule import LevelSchedule
    from pebble.program.schedule.schedule import Tiles

__all__ = ["LevelPebbling", "level_moves"]


@dataclass(frozen=True)
class LevelPebbling:
    """The moves of a schedule with several memory levels, generated as they are read.

    Attributes
    ----------
    family : Family
    program : Program
    hierarchy : Hierarchy
    tiles : dict of str to int
    runs : tuple of Run
        As the machine counted each level.
    """

    family: Family
    program: Program
    hierarchy: Hierarchy
    tiles: dict[str, int]
    runs: tuple[Run, ...]

    def __iter__(self) -> Iterator[LevelMove]:
        return lower_levels(
            self.program, self.family, self.hierarchy.levels, inclusive=self.hierarchy.inclusive
        )

    @property
    def capacities(self) -> tuple[int, ...]:
        """Words of each level: as given, or what the program needs."""
        return self.hierarchy.fitted([run.peak for run in self.runs])

    @property
    def header(self) -> Header:
        """Header of the pebbling file."""
        from pebble.game.files.header import Header

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
        """Write the pebbling file and return the number of moves.

        Raises
        ------
        InvalidInput
            If the target cannot be written, or the computation is too large to be written move by move.
        """
        from pebble.game.files.writer import write_lines

        self.size()
        name = lru_cache(1 << 16)(self.family.names.__getitem__)
        return write_lines(target, self.header, (move.text(name(move.vertex)) for move in self))


def level_moves(
    schedule: str | LevelSchedule, problem: Problem, hierarchy: Hierarchy, tiles: Tiles | str | None = None
) -> LevelPebbling:
    """Lower a schedule to moves with several memory levels.

    Parameters
    ----------
    schedule : str or LevelSchedule
    problem : Problem
        One copy; heads and batch are ignored.
    hierarchy : Hierarchy
    tiles : mapping, optional
        Tile sizes; chosen for all boundaries at once if not given.

    Raises
    ------
    CacheTooSmall
        If the tiles (or any tiles) do not fit.
    InvalidInput
        For unknown names.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> sizes = {"rows": 2, "cols": 1, "block": 1}
    >>> pebbling = level_moves("nested-flash-2", Problem.square(2, 1), Hierarchy((10, 20)), sizes)
    >>> sum(1 for move in pebbling), [run.io for run in pebbling.runs]
    (106, [22, 8])
    """
    found = level_program(schedule, problem, hierarchy, tiles)
    for level, (need, words) in enumerate(zip(found.needed, hierarchy.capacities, strict=True), start=1):
        if words is not None and need > words:
            raise CacheTooSmall(
                f"{found.schedule.name} with these tiles needs {need} words in level {level}; it has {words}",
                need,
            )
    return LevelPebbling(found.family, found.program, hierarchy, found.tiles, found.runs)
