"""The choice of tiles that are cut where sequences end: sizes that are best for some of them, compared on all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import CacheTooSmall, InvalidInput, NoClosedForm, TooManyOperations
from pebble.program.closed_forms.count import words_moved
from pebble.program.schedule.block_cuts import own_sizes
from pebble.program.schedule.masked_tiles import MaskedSearch
from pebble.program.schedule.sequence_cuts import SEQUENCES, problem_of_part

if TYPE_CHECKING:
    from pebble.computations.masks.mask_parts import MaskParts
    from pebble.computations.problem import Problem
    from pebble.program.schedule.schedule import Schedule, Tiles

__all__ = ["SequenceChoice", "sequence_tiles"]

_MOST_FULL, _MOST_OTHERS = 2_000, 100
"""So many different parts are executed at most: of those that allow every pair, in some ms each, and of others."""
_ASKED = 4
"""For so many of the different parts the best sizes are asked for."""
_SAMPLED, _NEARLY, _COMPARED = 32, 1.01, 2
"""On so many of the different parts sizes are compared first; of those that are nearly the best so many then on all."""

Choose = Callable[["Schedule", "Problem", int], dict[str, int]]


class SequenceChoice(NamedTuple):
    """Tiles cut where sequences end, the words that they move, and the fewest words known of other tiles."""

    tiles: dict[str, int]
    words: int
    others: float


def sequence_tiles(schedule: Schedule, problem: Problem, M: int, choose: Choose) -> SequenceChoice | None:
    """Return the best tiles found that are cut where sequences end, and fit; None if there are none.

    On axes so short that all sizes are tried, none are; nor for schedules without sizes.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
    M : int
    choose : callable
        Chooses tiles for a problem of one part.
    """
    if schedule.in_sequences or not schedule.tile_names or MaskedSearch.tries_all(problem):
        return None
    if not problem.allowed.separations("i"):
        return None
    parts = problem.allowed.in_parts
    if len(parts.masks) - parts.masked > _MOST_FULL or parts.masked > _MOST_OTHERS:
        return None
    across, others = _across(schedule, problem, M)
    candidates = _candidates(schedule, problem, M, parts, choose, across)
    longest = problem_of_part(problem, max(parts.masks, key=lambda part: part.pairs))
    ordered = [
        one
        for one in _compared(schedule, problem, parts, candidates)
        if _peak(schedule, longest, own_sizes(one[1])) <= M
    ]
    near = [tiles for sampled, tiles in ordered if sampled <= _NEARLY * ordered[0][0]][:_COMPARED]
    if len(near) > 1:
        near.sort(key=lambda tiles: schedule.words(problem, tiles))
    for tiles in [*near, *(tiles for _, tiles in ordered[len(near) :])]:
        if _peak(schedule, problem, tiles) <= M:
            return SequenceChoice(tiles, schedule.measure(problem, tiles).io, others)
    return None


def _peak(schedule: Schedule, problem: Problem, tiles: Tiles) -> float:
    """Return the words of fast memory that tiles need; infinity if no program for them runs in reasonable time."""
    try:
        return schedule.measure(problem, tiles).peak
    except (InvalidInput, TooManyOperations):
        return inf


def _across(schedule: Schedule, problem: Problem, M: int) -> tuple[list[dict[str, int]], float]:
    """Return the tiles proposed for the mask as a whole, and the words that they move; infinity if none fit."""
    with suppress(CacheTooSmall, TooManyOperations):
        if MaskedSearch.is_asked(schedule, problem):
            search = MaskedSearch(schedule, problem, M)
            return [search.tiles], search.words
        tiles = dict(schedule.tiles(schedule.seen(problem), M))
        return [tiles], schedule.words(problem, tiles)
    return [], inf


def _candidates(
    schedule: Schedule,
    problem: Problem,
    M: int,
    parts: MaskParts,
    choose: Choose,
    across: list[dict[str, int]],
) -> list[dict[str, int]]:
    """Return the sizes that are best for the mask as a whole, and for a few of the parts, from the longest down."""
    found = list(across) if MaskedSearch.is_asked(schedule, problem) or schedule.published_tiles else []
    if not schedule.published_tiles:
        longest_first = sorted(parts.masks, key=lambda part: -part.pairs)
        for part in longest_first[:: -(-len(longest_first) // _ASKED)]:
            with suppress(CacheTooSmall, InvalidInput, TooManyOperations):
                found.append(choose(schedule, problem_of_part(problem, part), M))
    found += [{**sizes, name: 0} for sizes in found for name in schedule.may_be_zero if name in sizes]
    different = {tuple(sizes.items()): sizes for sizes in found}
    return [{**own_sizes(sizes), SEQUENCES: 1} for sizes in different.values()]


def _compared(
    schedule: Schedule, problem: Problem, parts: MaskParts, candidates: list[dict[str, int]]
) -> list[tuple[float, dict[str, int]]]:
    """Return sizes with the words that they move in a sample of the parts, the fewest first."""
    order = sorted(range(len(parts.masks)), key=lambda kind: parts.masks[kind].pairs)
    groups = np.array_split(np.array(order), min(_SAMPLED, len(order)))
    times = np.array(parts.times)
    sample = [(parts.masks[group[len(group) // 2]], int(times[group].sum())) for group in groups]
    problems = [(problem_of_part(problem, mask), often) for mask, often in sample]
    families = [schedule.family(part) for part, _ in problems]

    def words(tiles: Tiles) -> float:
        own = own_sizes(tiles)
        try:
            return sum(
                often * words_moved(schedule.program(part, own), family)
                for family, (part, often) in zip(families, problems, strict=True)
            )
        except (InvalidInput, NoClosedForm):
            return inf

    return sorted(((words(tiles), tiles) for tiles in candidates), key=lambda one: one[0])
