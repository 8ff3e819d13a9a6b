"""The tiles to use: as given, by a preset's name, or chosen for M words; also cut where packed sequences end."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pebble.common.errors import CacheTooSmall, InvalidInput, TooManyOperations
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import LARGEST_SIZE
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.masks.mask_parts import mask_parts
from pebble.program.schedule.block_cuts import BLOCK, SEQUENCES, own_sizes, problem_of_part
from pebble.program.schedule.schedule import Schedule
from pebble.program.schedule.tile_counter import NEVER, Kind
from pebble.program.schedule.tile_demands import NO_DEMANDS, TileDemands
from pebble.program.schedule.tile_search import (
    SHORT,
    TileChoice,
    best_tiles,
    counted,
    sampled,
    too_small,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pebble.computations.problem import Problem
    from pebble.program.schedule.tiled_programs import Tiles

_MOST_SEARCHED = 2**22
"""Pairs of a mask that is kept pair by pair, up to which tiles are searched."""

_MOST_IN_GROUPS = 2**15
"""Queries in groups under a mask of repeating blocks, up to which tiles are searched."""

_FAR = 2.5
"""A schedule is not searched further if a coarse sample, up to 2 times off, moves this many times the words."""

_MOST_NAMES = 4
"""A schedule with a rule of its own for more sizes has no search for other demands: it would take minutes."""

_AT_ONCE = 6
"""Sizes of which it is asked at a time whether they fit."""

_ASKED, _MOST = 4, 200
"""The best sizes are asked for this many of the different sequences, and none of more different ones than this."""


def largest(
    schedule: Schedule,
    problem: Problem,
    M: int,
    name: str,
    high: int,
    guess: int,
    fixed: Tiles | None = None,
    demands: TileDemands = NO_DEMANDS,
) -> dict[str, int]:
    """Return tiles with the largest value of one size that fits M words.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
    M : int
    name : str
        The tile size; room must not shrink when it grows.
    high : int
        Largest value that makes a difference.
    guess : int
        Where to start.
    fixed : mapping, optional
        The schedule's other tile sizes, which are returned with it.
    demands : TileDemands
        What else is asked of the tiles.

    Raises
    ------
    CacheTooSmall
        If 1 does not fit.
    """
    schedule.require(problem, M)
    others = dict(fixed or {})
    low, above, tried = 1, high + 1, [min(max(guess, 2), high), min(max(guess, 2) + 1, high)]
    while above - low > 1:
        found = counted(schedule, problem, [{**others, name: size} for size in tried], demands)
        fitting = sum(one.room <= M for one in found)
        low, above = max(low, *tried[:fitting], low), min(above, *tried[fitting:], above)
        tried = sorted({low + (above - low) * part // (_AT_ONCE + 1) for part in range(1, _AT_ONCE + 1)})
    return schedule.check_tiles({**others, name: low})


def resolve_tiles(
    schedule: Schedule, problem: Problem, M: int | None, tiles: Tiles | str | None
) -> dict[str, int]:
    """Return the tile sizes to use: as given, by a preset's name, or chosen by the schedule for M words.

    Raises
    ------
    CacheTooSmall
        If the schedule finds no tiles that fit.
    """
    if tiles is not None and not isinstance(tiles, str):
        return schedule.check_tiles(tiles)
    if M is None:
        raise InvalidInput(f"{schedule.name}: give the words of fast memory (M) or the tile sizes")
    M = fast_memory_words(M)
    if M > LARGEST_SIZE:
        raise InvalidInput(f"M is too large; the limit is {LARGEST_SIZE:,} words")
    if tiles is not None:
        return dict(schedule.preset(schedule.seen(problem), M, tiles))
    return fitting_tiles(schedule, problem, M)


def fitting_tiles(schedule: Schedule, problem: Problem, M: int) -> dict[str, int]:
    """Return the tiles that a schedule chooses for M words, or these or others cut where packed sequences end.

    Raises
    ------
    CacheTooSmall
        If no tiles are found that fit.
    """
    return dict(fitting(schedule, problem, M).tiles)


def fitting(schedule: Schedule, problem: Problem, M: int, demands: TileDemands = NO_DEMANDS) -> TileChoice:
    """Return :func:`fitting_tiles`, with the words that they move and their room.

    With demands they are searched even if the schedule has a rule of its own.
    """
    mask = problem.allowed
    if (
        schedule.tile_names
        and isinstance(mask, GroupedMask)
        and not mask.banded
        and mask.Nq > _MOST_IN_GROUPS
    ):
        raise InvalidInput(
            f"under the mask {mask.spec}, which has repeating blocks for groups of queries, tiles are searched for up "
            f"to {_MOST_IN_GROUPS:,} queries; here are {mask.Nq:,}: give the tiles (pebble count flash-2 --tiles "
            "rows=128 …), or count heads that share no keys (--kv-heads equal to --heads)"
        )
    if schedule.tile_names and _too_long(problem):
        raise TooManyOperations(
            f"under the mask {mask.spec}, which is neither a band nor made of equal blocks, the tile "
            f"search is limited to {_MOST_SEARCHED:,} query-key pairs; here are {mask.Nq:,} × "
            f"{mask.Nk:,}: give the tiles, or use fewer queries and keys"
        )
    found = _fitting(Kind(schedule), problem, M, demands, ())
    if isinstance(found, CacheTooSmall):
        raise found
    return found


def _too_long(problem: Problem) -> bool:
    """Whether a mask that is kept pair by pair has too many for a search."""
    mask = problem.allowed
    return isinstance(mask, DenseMask) and mask.Nq * mask.Nk > _MOST_SEARCHED


def fitting_each(
    schedules: Sequence[Schedule], problem: Problem, M: int, least: int | None = None
) -> list[TileChoice | CacheTooSmall | TooManyOperations | None]:
    """Return :func:`fitting` of schedules that are compared, or why there is none.

    Schedules are searched in the order of coarse samples of their tiles. A sample is all that is returned where it
    moves 2.5 times the words of the best; None where the greatest tiles do, as if fast memory had no end.

    Parameters
    ----------
    schedules : sequence of Schedule
    problem : Problem
    M : int
    least : int, optional
        Words that every schedule moves. Those behind the first that moves no more are left out: None stands for them.
    """
    known: dict[int, TileChoice | None] = {}
    floors, least_sample = [_floor(one, problem) for one in schedules], NEVER
    for at in sorted(range(len(floors)), key=floors.__getitem__):
        if floors[at] <= _FAR * least_sample:
            own_rule = type(schedules[at]).tiles is not Schedule.tiles
            known[at] = None if own_rule or _too_long(problem) else sampled(schedules[at], problem, M)
            least_sample = min(least_sample, ((one := known[at]) and one.words) or NEVER)
    found: list[TileChoice | CacheTooSmall | TooManyOperations | None] = [None] * len(floors)
    best = NEVER, len(floors)
    for at in sorted(known, key=lambda at: (((one := known[at]) and one.words) or 0, at)):
        found[at] = sample = known[at]
        if (best[0] == least and at > best[1]) or (sample and sample.words > _FAR * best[0]):
            continue
        try:
            one = found[at] = fitting(schedules[at], problem, M)
            best = min(best, (one.words, at))
        except (CacheTooSmall, TooManyOperations) as error:
            found[at] = error
    return found


def _floor(schedule: Schedule, problem: Problem) -> int:
    """Return the words with the greatest tiles, about the fewest in any fast memory; 0 where they are not known."""
    if max(problem.Nq, problem.Nk) <= SHORT or _too_long(problem):
        return 0
    (one,) = counted(schedule, problem, [dict(schedule.greatest(problem))])
    return one.words if one.words < NEVER else 0


@lru_cache(maxsize=512)
def _fitting(
    kind: Kind, problem: Problem, M: int, demands: TileDemands, near: tuple[tuple[str, int], ...]
) -> TileChoice | CacheTooSmall:
    schedule = kind.schedule
    assert isinstance(schedule, Schedule)
    choices: list[TileChoice] = []
    failure: CacheTooSmall | None = None
    own_rule = type(schedule).tiles is not Schedule.tiles
    try:
        if own_rule and demands is not NO_DEMANDS and len(schedule.tile_names) > _MOST_NAMES:
            raise CacheTooSmall(f"{schedule.name} chooses its tile sizes itself and takes no constraints")
        if not own_rule or demands is not NO_DEMANDS:
            choices = [best_tiles(schedule, problem, M, demands, near)]
        else:
            choices = counted(schedule, problem, [dict(schedule.tiles(problem, M))])
    except CacheTooSmall as error:
        failure = error
    whole = [one.tiles for one in choices]
    cut = list(_cut_in_sequences(kind, problem, M, demands, whole))
    if schedule.published_tiles and problem.allowed.period > 1:
        cut += [{**sizes, BLOCK: problem.allowed.period} for sizes in whole]
    choices += counted(schedule, problem, cut, demands) if cut else []
    fits = [one for one in choices if one.room <= M]
    if fits:
        best = min(fits, key=lambda one: one.words)
        return _filled(schedule, problem, M, demands, best) if SEQUENCES in best.tiles else best
    return failure or too_small(schedule, min(one.room for one in choices), M)


def _filled(
    schedule: Schedule, problem: Problem, M: int, demands: TileDemands, best: TileChoice
) -> TileChoice:
    """Return tiles with as many lines that stay as fit where there were none, if these move fewer words."""
    greatest = schedule.greatest(problem)
    for name in schedule.resident_tiles:
        high = min(M - best.room, greatest[name])
        if high and not best.tiles.get(name):
            more = largest(schedule, problem, M, name, high, high, best.tiles, demands)
            (one,) = counted(schedule, problem, [more], demands)
            best = min(best, one, key=lambda one: (one.room > M, one.words))
    return best


def _scaled(schedule: Schedule, problem: Problem, part: Problem, tiles: Tiles) -> tuple[tuple[str, int], ...]:
    """Return tiles of the same lengths for a part of a problem: of numbers of tiles as many as it has."""
    most, own = schedule.greatest(problem), schedule.greatest(part)
    numbers = {
        name: -(-own[name] // -(-most[name] // tiles[name]))
        for name in schedule.numbers_of_tiles
        if tiles.get(name)
    }
    return tuple({**tiles, **numbers}.items())


def _cut_in_sequences(
    kind: Kind, problem: Problem, M: int, demands: TileDemands, whole: list[dict[str, int]]
) -> Iterator[dict[str, int]]:
    """Yield tiles cut where sequences end: those for the mask as a whole, and the best for a few of the sequences."""
    schedule = kind.schedule
    assert isinstance(schedule, Schedule)
    if schedule.in_sequences or not schedule.tile_names or max(problem.Nq, problem.Nk) <= SHORT:
        return
    if not problem.allowed.separations("i") or len(mask_parts(problem.allowed).masks) > _MOST:
        return
    longest_first = sorted(mask_parts(problem.allowed).masks, key=lambda part: -part.pairs)
    for part in longest_first[:: -(-len(longest_first) // _ASKED)]:
        own = problem_of_part(problem, part)
        best = _fitting(kind, own, M, demands, _scaled(schedule, problem, own, whole[0]) if whole else ())
        if isinstance(best, TileChoice):
            whole = [*whole, best.tiles]
    zero = [{**sizes, name: 0} for sizes in whole for name in schedule.may_be_zero if name in sizes]
    for sizes in {tuple(sizes.items()): sizes for sizes in [*whole, *zero]}.values():
        yield {**own_sizes(sizes), SEQUENCES: 1}
