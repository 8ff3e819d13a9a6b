"""Tiles on short axes: every combination of sizes, so that none that fits moves fewer words."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.schedule.batch_counts import BatchCounts, batch_counts
from pebble.program.schedule.pair_tables import Whole
from pebble.program.schedule.resident_sizes import TRIED, most_resident
from pebble.program.schedule.schedule import Schedule
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials, too_small

__all__ = ["combinations", "every_size", "phases_are_apart"]

_EVERY_RESIDENT = 3_000
"""With more combinations of sizes, not every number of lines that stay in fast memory is tried."""


def every_size(
    trials: Trials, base: dict[str, int], given: dict[str, int], groups: list[TileGroup]
) -> dict[str, int]:
    """Return the best of all tiles that fit: of each group those given, or else the most equal, where several are.

    Parameters
    ----------
    trials : Trials
    base, given : dict of str to int
        The smallest tiles; tiles to begin with, which need not fit.
    groups : list of TileGroup
        The tiles to choose.

    Raises
    ------
    CacheTooSmall
        If no tiles of a group fit.
    NoClosedForm
        If the text of a program does not say what it needs.
    """
    found = dict(given)
    kind = _SameSchedule(trials.schedule)
    if any(_bisects(trials.schedule, trials.problem, group) for group in groups):
        given_to_all = kind, trials.problem, trials.M, tuple(base.items())
        counted = [_most_resident(*given_to_all, group) for group in groups]
    else:
        counted = _counted(kind, trials.problem, tuple(base.items()), tuple(groups))
    # All must fit, the phases that no size shapes as well: what needs the most says how much is needed at least.
    least = [int(counts.room.min()) for _, counts in counted]
    _require(trials, max(least, default=0), _room_of_others(trials, base, groups))
    for group, (own, counts) in zip(groups, counted, strict=True):
        found |= zip(group.names, own[_best(trials, group, own, given, counts)], strict=True)
    return found


def _room_of_others(trials: Trials, base: dict[str, int], groups: list[TileGroup]) -> int:
    """Return the words that the phases need which no group shapes."""
    program = trials.schedule.program(trials.problem, base)
    shaped = {number for group in groups for number in group.phases}
    others = set(range(len(program.numbered))) - shaped
    return int(batch_counts([program], trials.family, others).room.max()) if others else 0


def _require(trials: Trials, *rooms: int) -> None:
    """Raise CacheTooSmall if one of some numbers of words does not fit."""
    least = max(rooms)
    if least > trials.M:
        raise too_small(trials.schedule, least, trials.M)


def _bisects(schedule: Schedule, problem: Problem, group: TileGroup) -> bool:
    """Whether not every number of lines that stay is tried."""
    numbers = [len(_range(schedule, problem, name)) for name in group.names]
    return len(group.resident) == 1 and prod(numbers) > _EVERY_RESIDENT


@lru_cache(maxsize=32)
def _most_resident(
    kind: _SameSchedule, problem: Problem, M: int, base: tuple[tuple[str, int], ...], group: TileGroup
) -> tuple[list[tuple[int, ...]], BatchCounts]:
    """Return sizes of a group, with the most lines that fit where some stay, and what its phases do with them."""
    schedule, family = kind.schedule, kind.schedule.family(problem)
    if not _bisects(schedule, problem, group):
        return _counted(kind, problem, base, (group,))[0]
    (name,) = group.resident
    cuts = _valid(schedule, problem, dict(base), group.cuts)

    def count(places: Whole, resident: Whole) -> BatchCounts:
        sizes = (dict(zip(group.cuts, cuts[place], strict=True)) for place in places)
        staying = map(int, resident)
        programs = [
            schedule.program(problem, {**dict(base), **own, name: lines})
            for own, lines in zip(sizes, staying, strict=True)
        ]
        return batch_counts(programs, family, group.phases)

    most = schedule.greatest(problem)[name]
    resident, counts = most_resident(
        problem, M, len(cuts), most, count, lambda lines: schedule.staying(problem, lines)
    )
    return [(*own, int(lines)) for own, lines in zip(cuts, resident, strict=True)], counts


def _valid(
    schedule: Schedule, problem: Problem, base: dict[str, int], names: tuple[str, ...]
) -> list[tuple[int, ...]]:
    """Return the combinations of sizes for which there is a program that differs from the others.

    Not all tiles may be zero at once.
    """
    combined = product(*(_range(schedule, problem, name) for name in names))
    every = [
        own for own in combined if schedule.differs(problem, {**base, **dict(zip(names, own, strict=True))})
    ]
    if len(set(names) & set(schedule.may_be_zero)) < 2:
        return every
    found = []
    for sizes in every:
        with suppress(InvalidInput):
            schedule.program(problem, {**base, **dict(zip(names, sizes, strict=True))})
            found.append(sizes)
    return found


class _SameSchedule:
    """A schedule; schedules of one class are the same where they have no attributes of their own."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self._identity = schedule if vars(schedule) else type(schedule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameSchedule) and self._identity is other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


@lru_cache(maxsize=128)
def _counted(
    kind: _SameSchedule, problem: Problem, base: tuple[tuple[str, int], ...], groups: tuple[TileGroup, ...]
) -> list[tuple[list[tuple[int, ...]], BatchCounts]]:
    """Return of each group all sizes, and what its phases do with them, whatever M is."""
    schedule = kind.schedule
    sizes = [_valid(schedule, problem, dict(base), group.names) for group in groups]
    programs = []
    # Groups shape different phases: one program has a combination of each.
    for number in range(max(map(len, sizes), default=0)):
        tiles = dict(base)
        for group, own in zip(groups, sizes, strict=True):
            tiles |= zip(group.names, own[number % len(own)], strict=True)
        programs.append(schedule.program(problem, tiles))
    family = schedule.family(problem)
    return [
        (own, batch_counts(programs[: len(own)], family, group.phases))
        for group, own in zip(groups, sizes, strict=True)
    ]


def _best(
    trials: Trials, group: TileGroup, sizes: list[tuple[int, ...]], given: dict[str, int], counts: BatchCounts
) -> int:
    """Return the number of the best sizes of a group, of those that fit: there are some."""
    words, room, _ = counts
    fitting = np.flatnonzero(room <= trials.M)
    cheapest = fitting[words[fitting] == words[fitting].min()]
    own = tuple(given[name] for name in group.names)

    def order(place: int) -> tuple[bool, int, int]:
        cuts = sizes[place][: len(group.cuts)]
        return sizes[place] != own, max(cuts, default=0) - min(cuts, default=0), int(room[place])

    return min(map(int, cheapest), key=order)


def combinations(trials: Trials, base: dict[str, int], group: TileGroup) -> int:
    """Return about how many combinations of sizes are tried."""
    schedule, problem = trials.schedule, trials.problem
    if _bisects(schedule, problem, group):
        cuts = product(*(_range(schedule, problem, name) for name in group.cuts))
        tiles = ({**base, **dict(zip(group.cuts, own, strict=True))} for own in cuts)
        return TRIED * sum(schedule.differs(problem, one) for one in tiles)
    return prod(len(_range(schedule, problem, name)) for name in group.names)


def phases_are_apart(trials: Trials, base: dict[str, int]) -> bool:
    """Whether no phase leaves anything in fast memory, so that the room of each one does not depend on the others.

    Raises
    ------
    NoClosedForm
        If the text of the program does not say.
    """
    program = trials.schedule.program(trials.problem, base)
    return all(
        not batch_counts([program], trials.family, [number]).growth.any()
        for number in range(len(program.numbered))
    )


def _range(schedule: Schedule, problem: Problem, name: str) -> range:
    return range(0 if name in schedule.may_be_zero else 1, schedule.greatest(problem)[name] + 1)
