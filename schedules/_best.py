"""A schedule that picks the cheapest of others by closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pebble import CacheTooSmall, InvalidInput, Problem, Schedule
from pebble.program import NoClosedForm, Program, Tiles, closed_form, fitting_tiles

__all__ = ["Cheapest"]

_NEARLY = 4
"""Under a mask candidates up to so many times the cheapest without it are compared."""

_LARGE = 1 << 16
_NEARLY_LARGE = 1.5
"""With more queries a comparison takes seconds, and only the nearest are compared."""


class Cheapest(Schedule):
    """Picks among ``candidates``; which one was picked can be told from the names of the tiles.

    A candidate with a method ``rectangles`` is asked for those besides its own choice of tiles. Candidates that
    follow masks are for problems with one. Under a mask those that are not far from
    the cheapest without it are compared by their closed forms under it.
    """

    follows_mask = True

    candidates: ClassVar[tuple[Schedule, ...]]
    _by_names: ClassVar[dict[frozenset[str], Schedule]]

    def __init_subclass__(cls) -> None:
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
        found = sorted(self._priced(problem.without_mask(), M), key=lambda option: option[0])
        if problem.mask is None:
            return found[0][2]
        nearly = _NEARLY if problem.Nq <= _LARGE else _NEARLY_LARGE
        options = [(schedule, tiles) for io, schedule, tiles in found if io <= nearly * found[0][0]]
        options += self._masked_options(problem, M)
        prices = [(_masked_price(problem, schedule, tiles), schedule, tiles) for schedule, tiles in options]
        for _, schedule, tiles in sorted(prices, key=lambda price: price[0]):
            if schedule.measure(problem, tiles).peak <= M:
                return tiles
        return fitting_tiles(found[0][1], problem, M)

    def _priced(self, problem: Problem, M: int) -> Iterator[tuple[int, Schedule, Tiles]]:
        """Yield what fits, without a mask, with the words it moves."""
        family = self.family(problem)
        for schedule, tiles in self._options(problem, M):
            yield int(closed_form(schedule.program(problem, tiles), family).io), schedule, tiles

    def _options(self, problem: Problem, M: int) -> Iterator[tuple[Schedule, Tiles]]:
        """Yield the candidates that fit, with their own choices of tiles."""
        for schedule in self.candidates:
            if schedule.follows_mask:
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
                if schedule.follows_mask:
                    yield schedule, schedule.tiles(problem, M)
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

    def may_be_zero(self) -> tuple[str, ...]:
        """Return what may be zero for some candidate."""
        return tuple({name for schedule in self.candidates for name in schedule.may_be_zero()})

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


def _masked_price(problem: Problem, schedule: Schedule, tiles: Tiles) -> int:
    """Words moved under the mask, by closed form where there is one."""
    try:
        return int(closed_form(schedule.program(problem, tiles), schedule.family(problem)).io)
    except NoClosedForm:
        return schedule.measure(problem, tiles).io


def _name_sets(schedule: Schedule) -> Iterator[frozenset[str]]:
    """Yield the names of the tiles that a schedule chooses."""
    yield frozenset(schedule.smallest(Problem(1, 1, 1, 1, pass_name=schedule.passes[0])))
    if hasattr(schedule, "rectangles"):
        yield frozenset(schedule.tile_names) - {"side"}
