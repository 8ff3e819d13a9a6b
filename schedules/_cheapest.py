"""The choice of the cheapest of several schedules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from pebble import CacheTooSmall, InvalidInput, Problem, Schedule
from pebble.program import Program, Tiles, TooManyOperations, fitting, own_sizes

__all__ = ["Cheapest"]


class Cheapest(Schedule):
    """Picks among ``candidates``; the names of the tiles tell which one was picked."""

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
        found = []
        failures: list[CacheTooSmall | TooManyOperations] = []
        for schedule in self.candidates:
            if problem.form in schedule.forms and schedule.is_offered(problem):
                try:
                    found.append(fitting(schedule, problem, M))
                except (CacheTooSmall, TooManyOperations) as error:
                    failures.append(error)
        if not found:
            self.require(problem, M)
            raise min(failures, key=_least)
        return min(found, key=lambda one: one.words).tiles

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


def _least(failure: CacheTooSmall | TooManyOperations) -> float:
    """Return the least M that a candidate needs; what cannot be counted comes last."""
    return failure.least_M or 0 if isinstance(failure, CacheTooSmall) else math.inf


def _name_sets(schedule: Schedule) -> Iterator[frozenset[str]]:
    """Yield the names of the tiles that a schedule chooses."""
    softmax = schedule.forms[0] if schedule.forms[0] in ("safe", "online") else "plain"
    problem = Problem(1, 1, 1, 1, pass_name=schedule.passes[0], softmax=softmax)
    for tiles in (schedule.smallest(problem), *schedule.other_smallest(problem)):
        yield frozenset(tiles)
