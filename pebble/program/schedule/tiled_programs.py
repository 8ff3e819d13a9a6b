"""What schedules are but for the choice of their tiles: programs for given tiles, and what these need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, TypeAlias

from pebble.common.errors import CacheTooSmall
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.nodes import Program
from pebble.program.schedule.block_cuts import BLOCK, SEQUENCES, cut_where_asked, own_sizes
from pebble.program.schedule.tile_names import checked_tiles

Tiles: TypeAlias = Mapping[str, int]
"""Tile sizes by name."""


class TiledPrograms(ABC):
    """Programs for given tiles: what a schedule is but for the choice of its tiles.

    See :class:`pebble.Schedule` for what the attributes say.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    passes: ClassVar[tuple[str, ...]] = ("forward",)
    forms: ClassVar[tuple[str, ...]] = ("plain",)
    tile_names: ClassVar[tuple[str, ...]] = ()
    presets: ClassVar[tuple[str, ...]] = ()
    tile_axes: ClassVar[tuple[str, ...]] = ()
    resident_tiles: ClassVar[tuple[str, ...]] = ()
    numbers_of_tiles: ClassVar[tuple[str, ...]] = ()
    follows_mask: ClassVar[bool] = False
    published_tiles: ClassVar[bool] = False
    in_sequences: ClassVar[bool] = False
    may_be_zero: ClassVar[tuple[str, ...]] = ()
    optional_tiles: ClassVar[tuple[str, ...]] = ()
    masks_only: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        """Let the program be cut where the mask's blocks end, or its sequences."""
        if "program" in cls.__dict__:
            setattr(cls, "program", cut_where_asked(cls.__dict__["program"]))  # noqa: B010

    def smallest(self, problem: Problem) -> Tiles:
        """Return the tiles that need the least room: by default each size is one, or zero where that makes sense."""
        return {name: 0 if name in self.may_be_zero else 1 for name in self.tile_names}

    def other_smallest(self, problem: Problem) -> tuple[Tiles, ...]:
        """Return the smallest tiles by other names, where the program takes several sets of sizes: by default none.

        They are tried on short axes only, where they may need less room.
        """
        return ()

    def greatest(self, problem: Problem) -> Tiles:
        """Return of every tile size the greatest that makes a difference: by default the length of its axis."""
        extents = {"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv}
        longest = max(extents.values())
        return {name: extents.get(self.axis_of(name), longest) for name in self.tile_names}

    def axis_of(self, name: str) -> str:
        """Return the axis that a tile size is measured along, or nothing."""
        return dict(zip(self.tile_names, self.tile_axes, strict=False)).get(name, "")

    @abstractmethod
    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program for given tiles, whether or not they fit."""

    @staticmethod
    def family(problem: Problem) -> Family:
        """Return the computation that the program carries out."""
        return family_of(problem)

    def measure(self, problem: Problem, tiles: Tiles) -> Run:
        """Run the program without a limit on fast memory, to see what it needs and costs."""
        return _measure(self.program(problem, tiles), self.family, problem)

    def words(self, problem: Problem, tiles: Tiles) -> int:
        """Return the words that the program moves: read off its text, and not verified."""
        from pebble.program.counting.measure import measure

        return int(measure([self.program(problem, tiles)], _family(self.family, problem))[0][0])

    def seen(self, problem: Problem) -> Problem:
        """Return the problem that decides the least M: without its mask, unless it may fit only under that."""
        return problem if self.follows_mask else problem.without_mask()

    def least_M(self, problem: Problem) -> int:
        """Return the least number of words of fast memory the schedule needs, measured by the machine."""
        problem = self.seen(problem)
        return self.measure(problem, self.smallest(problem)).peak

    def check_tiles(self, tiles: Tiles) -> dict[str, int]:
        """Return the tiles in the order of ``tile_names``; InvalidInput for unknown, missing or too small ones.

        Br and BLOCK_M stand for ``rows``, Bc and BLOCK_N for ``cols``. A ``block`` may be given besides, or
        ``sequences`` (:mod:`~pebble.program.schedule.block_cuts`), and is last.
        """
        optional = self.optional_tiles + self.may_be_zero
        found = checked_tiles(self.name, own_sizes(tiles), self.tile_names, self.may_be_zero, optional)
        cuts = tuple(name for name in (BLOCK, SEQUENCES) if name in tiles)
        if not cuts:
            return found
        return found | checked_tiles(self.name, {name: tiles[name] for name in cuts}, cuts, (), ())

    def require(self, problem: Problem, M: int) -> None:
        """Raise CacheTooSmall if not even the smallest tiles fit."""
        least = self.least_M(problem)
        if least > M:
            raise CacheTooSmall(
                f"{self.name} needs at least {least} words of fast memory for this problem; M is {M}", least
            )

    def __repr__(self) -> str:
        return f"<Schedule {self.name}: {self.summary}>"


@lru_cache(maxsize=8)
def _family(family: Callable[[Problem], Family], problem: Problem) -> Family:
    """Make a family once, for many questions in a row."""
    return family(problem)


@lru_cache(maxsize=512)
def _measure(program: Program, family: Callable[[Problem], Family], problem: Problem) -> Run:
    """Run a program once, however often it is asked for."""
    return run(program, family(problem))
