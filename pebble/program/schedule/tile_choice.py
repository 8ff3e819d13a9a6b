"""The choice of tiles: the largest that the machine measures to fit, and those that fit under a mask."""

from __future__ import annotations

from collections.abc import Callable

from pebble.common.errors import InvalidInput, TooManyOperations
from pebble.common.units import fast_memory_words
from pebble.computations.problem import LARGEST_SIZE, Problem
from pebble.program.machine.foretold_runs import MOST_SEARCHED, is_large_array
from pebble.program.schedule.masked_tiles import MaskedSearch, masked_tiles
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.sequence_tiles import sequence_tiles

__all__ = ["fitting_tiles", "largest", "resolve_tiles"]


def largest(
    schedule: Schedule,
    problem: Problem,
    M: int,
    name: str,
    high: int,
    guess: int,
    fixed: Tiles | None = None,
) -> dict[str, int]:
    """Return tiles with the largest value of one size that fits M words, as the machine measures.

    Where a program's text tells the room that it needs, the search asks the text; the machine measures the result.

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
        Where to start; a good guess costs two measurements, or readings of the text.
    fixed : mapping, optional
        The schedule's other tile sizes, which are returned with it.

    Raises
    ------
    CacheTooSmall
        If 1 does not fit.
    """
    schedule.require(problem, M)
    others = dict(fixed or {})

    def measured(size: int) -> bool:
        return schedule.measure(problem, {**others, name: size}).peak <= M

    found = _last_that_fits(
        lambda size: schedule.room_told(problem, {**others, name: size}) <= M, high, guess
    )
    size = found if measured(found) else _last_that_fits(measured, high, guess)
    return schedule.check_tiles({**others, name: size})


def _last_that_fits(fits: Callable[[int], bool], high: int, guess: int) -> int:
    """Return the last size up to ``high`` that fits; 1 is taken to fit, and what is smaller than one that does."""
    low, step = min(max(guess, 1), high), 1
    while low > 1 and not fits(low):
        low, step = max(1, low - step), 2 * step
    above, step = low + 1, 1
    while above <= high and fits(above):
        low, above, step = above, above + step, 2 * step
    above = min(above, high + 1)
    while above - low > 1:
        middle = (low + above) // 2
        low, above = (middle, above) if fits(middle) else (low, middle)
    return low


def resolve_tiles(
    schedule: Schedule, problem: Problem, M: int | None, tiles: Tiles | str | None
) -> dict[str, int]:
    """Return the tile sizes to use: as given, by a preset's name, or chosen by the schedule for M words.

    Raises
    ------
    InvalidInput
        If M is needed and not given, or the tiles do not make sense.
    CacheTooSmall
        If the schedule finds no tiles that fit.
    """
    if tiles is not None and not isinstance(tiles, str):
        return schedule.check_tiles(tiles)
    if M is None:
        raise InvalidInput(
            f"{schedule.name}: say how many words of fast memory there are (M), or give tile sizes"
        )
    M = fast_memory_words(M)
    if M > LARGEST_SIZE:
        raise InvalidInput(f"M is too large: at most {LARGEST_SIZE:,} words are dealt with")
    if tiles is not None:
        return dict(schedule.preset(schedule.seen(problem), M, tiles))
    return fitting_tiles(schedule, problem, M)


def fitting_tiles(schedule: Schedule, problem: Problem, M: int) -> dict[str, int]:
    """Return the tiles that a schedule chooses for M words; under a mask those that move the fewest words under it.

    Raises
    ------
    CacheTooSmall
        If the schedule finds no tiles that fit.
    TooManyOperations
        If the mask is kept pair by pair and too large to be looked at again and again.
    """
    mask = problem.allowed
    if schedule.tile_names and is_large_array(mask):
        raise TooManyOperations(
            f"under the mask {mask.spec}, which is no band and has no equal blocks, tiles are chosen for at most "
            f"{MOST_SEARCHED:,} pairs of a query and a key; here are {mask.Nq:,} × {mask.Nk:,}: give the tiles, or "
            "take fewer queries and keys"
        )
    cut = sequence_tiles(schedule, problem, M, fitting_tiles)
    if cut is not None and cut.words <= cut.others:
        return cut.tiles
    if cut is None:
        return _tiles_across_sequences(schedule, problem, M)
    try:
        tiles = _tiles_across_sequences(schedule, problem, M)
        schedule.measure(problem, tiles)
    except TooManyOperations:
        return cut.tiles
    return tiles


def _tiles_across_sequences(schedule: Schedule, problem: Problem, M: int) -> dict[str, int]:
    """Return the tiles that a schedule chooses for the mask as a whole."""
    if schedule.seen(problem) == problem and not MaskedSearch.is_asked(schedule, problem):
        return dict(schedule.tiles(problem, M))
    return masked_tiles(schedule, problem, M)
