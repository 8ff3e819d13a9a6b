"""The base class of schedules for several memory levels, and how they choose tiles for all boundaries at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from heapq import nsmallest
from typing import TYPE_CHECKING, ClassVar

from pebble.common.errors import CacheTooSmall, InvalidInput, NoClosedForm
from pebble.computations.registry import family_of
from pebble.program.closed_forms.count import words_moved
from pebble.program.counting.run import run_levels
from pebble.program.projection import project
from pebble.program.schedule.tile_names import checked_tiles

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.computations.problem import Problem
    from pebble.program.counting.counted import Run
    from pebble.program.hierarchy import Hierarchy
    from pebble.program.nodes import Program
    from pebble.program.schedule.tiled_programs import Tiles

_BESIDE = 0.02
"""What the sum over all boundaries counts beside the largest."""
_COUNTED = 12
"""How many tiles that are good without a mask are counted under it."""


class LevelSchedule(ABC):
    """A way to compute attention with several memory levels.

    A subclass sets the class attributes and implements the abstract methods. Those in the package
    ``schedules`` are found; another project registers its own under the entry-point group ``pebble.level_schedules``.

    Attributes
    ----------
    name, summary, source : str
    passes : tuple of str
        Passes it serves.
    tile_names, optional_tiles : tuple of str
        The tile sizes it takes, and those of them that may be left out.
    may_be_zero : tuple of str
        The tile sizes for which zero makes sense.
    levels : tuple of int
        For how many memory levels it can be written.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    passes: ClassVar[tuple[str, ...]] = ("forward",)
    tile_names: ClassVar[tuple[str, ...]] = ()
    optional_tiles: ClassVar[tuple[str, ...]] = ()
    may_be_zero: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[int, ...]] = (2,)

    @abstractmethod
    def candidates(self, problem: Problem, hierarchy: Hierarchy) -> Iterable[Tiles]:
        """Yield tiles worth comparing; they need not all fit."""

    @abstractmethod
    def smallest(self, problem: Problem, hierarchy: Hierarchy) -> Tiles:
        """Return the tiles that need the least room at every level."""

    @abstractmethod
    def program(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> Program:
        """Write the program for given tiles, whether or not they fit."""

    @abstractmethod
    def room(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that tiles need at each level, or a few more; the machine measures them."""

    @abstractmethod
    def words(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that move at each boundary without a mask, by the schedule's closed form."""

    def repeating(self, problem: Problem, tiles: Tiles) -> Iterable[Tiles]:
        """Yield tiles that are hardly smaller, and fall on the mask in the same way again soon."""
        return (tiles,)

    def masked_words(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that move at each boundary under a mask, by the closed forms of the program there.

        Raises
        ------
        NoClosedForm
            If there is none.
        """
        program, family = self.program(problem, tiles, hierarchy), self.family(problem)
        levels = range(1, hierarchy.levels + 1)
        return tuple(words_moved(project(program, level), family) for level in levels)

    @staticmethod
    def family(problem: Problem) -> Family:
        """Return the computation that the program carries out."""
        return family_of(problem)

    def measure(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[Run, ...]:
        """Run the program without limits, to see what it needs and costs at each level."""
        program = self.program(problem, tiles, hierarchy)
        return _measure(program, self.family(problem), hierarchy.unbounded())

    def least(self, problem: Problem, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the least words of each level that the schedule needs, measured by the machine."""
        runs = self.measure(problem, self.smallest(problem, hierarchy), hierarchy)
        return tuple(run.peak for run in runs)

    def tiles(
        self,
        problem: Problem,
        hierarchy: Hierarchy,
        weights: Sequence[float],
        allowed: Callable[[Tiles], Tiles | None] | None = None,
    ) -> dict[str, int]:
        """Choose tiles for all boundaries at once: the largest of words times weight over the boundaries is least.

        Between tiles for which it is nearly the same the sum over the boundaries decides. Under a mask those that are
        best without it, and tiles near them that repeat, are counted under it.

        Parameters
        ----------
        weights : sequence of float
            What a word costs at each boundary, such as seconds, or one over the bound there.
        allowed : callable, optional
            Returns the tiles, no larger, that are to be taken for some; None if there are none.

        Raises
        ------
        CacheTooSmall
            If not even the smallest tiles fit, or no allowed ones.
        """
        self.require_levels(hierarchy)
        fitting = {
            tuple(tiles.items()): _cost(self.words(problem, tiles, hierarchy), weights)
            for tiles in _allowed(self.candidates(problem, hierarchy), allowed)
            if fits(self.room(problem, tiles, hierarchy), hierarchy)
        }
        found: dict[str, int] | None = None
        if problem.mask is not None:
            near = [dict(tiles) for tiles in nsmallest(_COUNTED, fitting, key=fitting.__getitem__)]
            around = (tiles for one in near for tiles in self.repeating(problem, one))
            found = self._best_under_mask(problem, hierarchy, weights, _allowed(around, allowed))
        elif fitting:
            best = min(fitting, key=fitting.__getitem__)
            found = dict(best)
        if found is not None:
            return found
        if allowed is not None:
            raise CacheTooSmall(f"{self.name} has no allowed tiles that fit", 0)
        least = self.least(problem, hierarchy)
        if not fits(least, hierarchy):
            needs = " and ".join(f"{words:,}" for words in least)
            raise CacheTooSmall(f"{self.name} needs at least {needs} words, innermost level first", least[0])
        return dict(self.smallest(problem, hierarchy))

    def _best_under_mask(
        self, problem: Problem, hierarchy: Hierarchy, weights: Sequence[float], candidates: Iterable[Tiles]
    ) -> dict[str, int] | None:
        """Return the best of some tiles, counted under the mask; None if none fits."""
        costs = {}
        for tiles in candidates:
            key = tuple(tiles.items())
            if key not in costs:
                with suppress(NoClosedForm):
                    costs[key] = _cost(self.masked_words(problem, tiles, hierarchy), weights)
        for key in sorted(costs, key=costs.__getitem__):
            runs = self.measure(problem, dict(key), hierarchy)
            if fits((run.peak for run in runs), hierarchy):
                return dict(key)
        return None

    def require_levels(self, hierarchy: Hierarchy) -> None:
        """Raise InvalidInput if the schedule cannot be written for this number of levels."""
        if hierarchy.levels not in self.levels:
            known = " or ".join(map(str, self.levels))
            raise InvalidInput(
                f"{self.name} is written for {known} memory levels, not for {hierarchy.levels}"
            )

    def check_tiles(self, tiles: Tiles) -> dict[str, int]:
        """Return the tiles in the order of ``tile_names``; InvalidInput for unknown, missing or too small ones."""
        return checked_tiles(self.name, tiles, self.tile_names, self.may_be_zero, self.optional_tiles)

    def __repr__(self) -> str:
        return f"<LevelSchedule {self.name}: {self.summary}>"


def _allowed(candidates: Iterable[Tiles], allowed: Callable[[Tiles], Tiles | None] | None) -> Iterator[Tiles]:
    """Yield the tiles that are to be taken for some candidates."""
    for tiles in candidates:
        found = tiles if allowed is None else allowed(tiles)
        if found is not None:
            yield found


def _cost(words: Iterable[int], weights: Sequence[float]) -> float:
    """Return what tiles cost that move these words at each boundary."""
    costs = [one * weight for one, weight in zip(words, weights, strict=True)]
    return max(costs) + _BESIDE * sum(costs)


def fits(needed: Iterable[int], hierarchy: Hierarchy) -> bool:
    """Return whether the words needed fit at every level."""
    capacities = zip(needed, hierarchy.capacities, strict=True)
    return all(words is None or need <= words for need, words in capacities)


@lru_cache(maxsize=64)
def _measure(program: Program, family: Family, hierarchy: Hierarchy) -> tuple[Run, ...]:
    """Run a program once, however often it is asked for."""
    return run_levels(program, family, hierarchy.capacities, inclusive=hierarchy.inclusive)
