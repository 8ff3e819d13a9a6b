"""The choice of the cheapest of several schedules, by closed form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from pebble import CacheTooSmall, InvalidInput, Problem, Schedule
from pebble.program import NoClosedForm, Program, Tiles, closed_form, fitting_tiles

__all__ = ["Cheapest"]

_NEARLY = 4
"""Under a mask, candidates are compared that without it cost up to so many times the cheapest."""

_LARGE = 1 << 16
_NEARLY_LARGE = 1.5
"""The same with more than ``_LARGE`` queries, where a comparison takes seconds."""


class Cheapest(Schedule):
    """Picks among ``candidates``; the names of the tiles tell which one was picked.

    A candidate with a method ``rectangles`` is asked for those besides its own choice of tiles. Under a mask the
    closed forms under it are compared, of candidates that without it are not far from the cheapest, and of those
    that follow masks; one with a method ``largest_blocks`` is asked for those too.
    """

    follows_mask = True

    candidates: ClassVar[tuple[Schedule, ...]]
    _by_names: ClassVar[dict[frozenset[str], Schedule]]

    def __init_subclass__(cls) -> None:
        cls.may_be_zero = tuple(sorted({n for schedule in cls.candidates for n in schedule.may_be_zero}))
        cls._by_names = {}
        for schedule in cls.candidates:
            for names in _name_sets(schedule):
                if cls._by_names.setdefault(names, schedule) is not schedule:
                    raise TypeError(f"two candidates of {cls.__name__} have the tiles {sorted(names)}")
        used = set().union(*cls._by_names)
        order = [name for schedule in cls.candidates for name in schedule.tile_names if name in used]
        cls.tile_names = tuple(dict.fromkeys(order))

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the tiles of the cheapest candidate that fits."""
        self.require(problem, M)
        plain = problem.without_mask()
        found = _cheapest_first(plain, self._options(plain, M))
        if plain == problem:
            return found[0].tiles
        nearly = _NEARLY if problem.Nq <= _LARGE else _NEARLY_LARGE
        options = [(one.schedule, one.tiles) for one in found if one.io <= nearly * found[0].io]
        options += self._masked_options(problem, M)
        for one in _cheapest_first(problem, options):
            if one.schedule.measure(problem, one.tiles).peak <= M:
                return one.tiles
        return fitting_tiles(found[0].schedule, problem, M)

    def _options(self, problem: Problem, M: int) -> Iterator[tuple[Schedule, Tiles]]:
        """Yield the candidates that fit without a mask, with their own choices of tiles."""
        for schedule in self.candidates:
            if schedule.masks_only:
                continue
            try:
                yield schedule, schedule.tiles(problem, M)
                if hasattr(schedule, "rectangles"):
                    yield schedule, schedule.rectangles(problem, M)
            except CacheTooSmall:
                continue

    def _masked_options(self, problem: Problem, M: int) -> Iterator[tuple[Schedule, Tiles]]:
        """Yield the candidates that follow the mask and fit, and largest blocks where others are equal ones."""
        for schedule in self.candidates:
            try:
                if schedule.masks_only:
                    yield schedule, schedule.tiles(schedule.seen(problem), M)
                elif hasattr(schedule, "largest_blocks"):
                    yield schedule, schedule.largest_blocks(problem.without_mask(), M)
            except CacheTooSmall:
                continue

    def smallest(self, problem: Problem) -> Tiles:
        """Return the smallest tiles of the candidate that needs the least room."""
        plain = problem.without_mask()
        candidates = (schedule for schedule in self.candidates if not schedule.follows_mask)
        return min(candidates, key=lambda schedule: schedule.least_M(plain)).smallest(plain)

    def least_M(self, problem: Problem) -> int:
        """Return the least number of words that a candidate needs, whatever the mask."""
        plain = problem.without_mask()
        return self.measure(plain, self.smallest(plain)).peak

    def chosen(self, tiles: Tiles) -> Schedule:
        """Return the candidate that the tiles belong to.

        Raises
        ------
        InvalidInput
            If no candidate has just these tiles.
        """
        try:
            return self._by_names[frozenset(tiles)]
        except KeyError:
            takes = "; ".join(",".join(n for n in self.tile_names if n in names) for names in self._by_names)
            raise InvalidInput(
                f"{self.name}: no schedule has just the tiles {','.join(tiles)}; give all of one of: {takes}"
            ) from None

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program of the candidate that the tiles belong to."""
        tiles = self.check_tiles(tiles)
        return self.chosen(tiles).program(problem, tiles)


class _Priced(NamedTuple):
    """A candidate with tiles, and the words it moves."""

    io: int
    schedule: Schedule
    tiles: Tiles


def _cheapest_first(problem: Problem, options: Iterable[tuple[Schedule, Tiles]]) -> list[_Priced]:
    """Return the options by the words they move, by closed form where there is one."""
    family = Schedule.family(problem)
    found = []
    for schedule, tiles in options:
        try:
            io = int(closed_form(schedule.program(problem, tiles), family).io)
        except NoClosedForm:
            io = schedule.measure(problem, tiles).io
        found.append(_Priced(io, schedule, tiles))
    return sorted(found, key=lambda one: one.io)


def _name_sets(schedule: Schedule) -> Iterator[frozenset[str]]:
    """Yield the names of the tiles that a schedule chooses."""
    yield frozenset(schedule.smallest(Problem(1, 1, 1, 1, pass_name=schedule.passes[0])))
    if hasattr(schedule, "rectangles"):
        yield frozenset(schedule.tile_names) - {"side"}
