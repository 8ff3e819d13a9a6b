"""The choice of the cheapest of several schedules, by closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import inf
from typing import ClassVar, NamedTuple

from pebble import CacheTooSmall, InvalidInput, Problem, Schedule
from pebble.program import (
    MaskedSearch,
    Program,
    Tiles,
    TooManyOperations,
    fitting_tiles,
    light_choice,
    own_sizes,
    sequence_tiles,
)

__all__ = ["Cheapest"]

_NEARLY = 2
"""Under a mask, tiles are searched for candidates that with their own choice move so many times the fewest words."""

Choice = Callable[[Problem, int], Tiles]


class Cheapest(Schedule):
    """Picks among ``candidates``; the names of the tiles tell which one was picked.

    A candidate with a method ``rectangles`` is asked for those besides its own choice of tiles. Under a mask the
    closed forms under it are compared, and tiles are searched under it.
    """

    follows_mask = True
    in_sequences = True

    candidates: ClassVar[tuple[Schedule, ...]]
    _by_names: ClassVar[dict[frozenset[str], Schedule]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.may_be_zero = tuple(sorted({n for schedule in cls.candidates for n in schedule.may_be_zero}))
        cls._by_names = {}
        for schedule in cls.candidates:
            for names in _name_sets(schedule):
                if cls._by_names.setdefault(names, schedule) is not schedule:
                    raise TypeError(f"two candidates of {cls.__name__} have the tiles {sorted(names)}")
        used = set().union(*cls._by_names)
        order = [name for schedule in cls.candidates for name in schedule.tile_names if name in used]
        cls.tile_names = cls.optional_tiles = tuple(dict.fromkeys(order))

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the tiles of the cheapest candidate that fits."""
        if problem.without_mask() == problem:
            self.require(problem, M)
            return _cheapest_first(problem, self._options(problem, M))[0].tiles
        near = self._near(problem, M)
        cut = _cut_in_sequences(problem, M, near)
        if cut is not None:
            return cut
        searches = list(_searches(problem, M, near))
        if not searches:
            self.require(problem, M)
            # Each takes too long to be verified: the first one says why.
            searches = [MaskedSearch(near[0][0], problem, M, near[0][1])]
        try:
            return _best_that_fits(searches)
        except CacheTooSmall:
            self.require(problem, M)
            raise

    def _near(self, problem: Problem, M: int) -> list[tuple[Schedule, Choice]]:
        """Return the candidates for which tiles are searched under a mask: all where all tiles are tried."""
        if not MaskedSearch.tries_all(problem):
            found = _cheapest_first(problem, self._options(problem, M))
            if found:
                near = [one.option for one in found if one.io <= _NEARLY * found[0].io]
                return [(option.schedule, option.choose) for option in near]
        return list(self._choices(problem))

    def _choices(self, problem: Problem) -> Iterator[tuple[Schedule, Choice]]:
        """Yield the candidates, with each way in which they choose tiles."""
        for schedule in self.candidates:
            if problem.form in schedule.forms and schedule.is_offered(problem):
                yield from ((schedule, choose) for choose in _choices(schedule))

    def _options(self, problem: Problem, M: int) -> Iterator[_Option]:
        """Yield the candidates with their own choices of tiles, made without the mask if they do not look at it."""
        for schedule, choose in self._choices(problem):
            with suppress(CacheTooSmall, TooManyOperations):
                tiles = choose(schedule.seen(problem), M)
                yield _Option(schedule, light_choice(schedule, problem, M, tiles), choose)

    def smallest(self, problem: Problem) -> Tiles:
        """Return the smallest tiles of the candidate that needs the least room."""
        plain = problem.without_mask()
        candidates = (
            schedule
            for schedule in self.candidates
            if problem.form in schedule.forms and not schedule.follows_mask
        )
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
            return self._by_names[frozenset(own_sizes(tiles))]
        except KeyError:
            takes = "; ".join(",".join(n for n in self.tile_names if n in names) for names in self._by_names)
            raise InvalidInput(
                f"{self.name}: no schedule has just the tiles {','.join(tiles)}; give all of one of: {takes}"
            ) from None

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program of the candidate that the tiles belong to."""
        tiles = self.check_tiles(tiles)
        return self.chosen(tiles).program(problem, tiles)


class _Option(NamedTuple):
    """A candidate with tiles, and what chose them."""

    schedule: Schedule
    tiles: Tiles
    choose: Choice


class _Priced(NamedTuple):
    """The words that an option moves, and the option."""

    io: int
    option: _Option

    @property
    def tiles(self) -> Tiles:
        """Its tiles."""
        return self.option.tiles


def _cheapest_first(problem: Problem, options: Iterable[_Option]) -> list[_Priced]:
    """Return the options by the words they move."""
    found = [_Priced(option.schedule.words(problem, option.tiles), option) for option in options]
    return sorted(found, key=lambda one: one.io)


def _searches(problem: Problem, M: int, options: Iterable[tuple[Schedule, Choice]]) -> Iterator[MaskedSearch]:
    for schedule, choose in options:
        with suppress(CacheTooSmall, TooManyOperations):
            yield MaskedSearch(schedule, problem, M, choose)


def _best_that_fits(searches: list[MaskedSearch]) -> Tiles:
    """Return the cheapest tiles; only proposals that are the cheapest are verified."""
    while True:
        best = min(searches, key=lambda search: search.words)
        try:
            if best.verified():
                return best.tiles
        except (CacheTooSmall, TooManyOperations):
            if len(searches) == 1:
                raise
            searches.remove(best)


def _cut_in_sequences(problem: Problem, M: int, options: Iterable[tuple[Schedule, Choice]]) -> Tiles | None:
    """Return the cheapest tiles that are cut where sequences end, if no others are known to move fewer words."""
    if MaskedSearch.tries_all(problem) or not problem.allowed.separations("i"):
        return None
    found: list[tuple[int, Tiles]] = []
    others = inf
    for schedule, choose in options:
        cut = sequence_tiles(schedule, problem, M, fitting_tiles) if choose == schedule.tiles else None
        if cut is not None:
            found.append((cut.words, cut.tiles))
            others = min(others, cut.others)
            continue
        for search in _searches(problem, M, [(schedule, choose)]):
            if schedule.in_sequences and search.verified():
                found.append((search.words, search.tiles))
            else:
                others = min(others, search.words)
    words, tiles = min(found, key=lambda one: one[0], default=(0, None))
    return tiles if words <= others else None


def _choices(schedule: Schedule) -> list[Choice]:
    """Return the ways in which a schedule chooses tiles."""
    return [schedule.tiles, *([schedule.rectangles] if hasattr(schedule, "rectangles") else [])]


def _name_sets(schedule: Schedule) -> Iterator[frozenset[str]]:
    """Yield the names of the tiles that a schedule chooses."""
    softmax = schedule.forms[0] if schedule.forms[0] in ("safe", "online") else "plain"
    problem = Problem(1, 1, 1, 1, pass_name=schedule.passes[0], softmax=softmax)
    for tiles in (schedule.smallest(problem), *schedule.other_smallest(problem)):
        yield frozenset(tiles)
