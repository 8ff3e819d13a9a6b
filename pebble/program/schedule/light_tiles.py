"""Tiles that repeat soon with the period of a mask, so that the machine verifies them in seconds."""

from __future__ import annotations

from pebble.computations.problem import Problem
from pebble.program.machine.foretold_tiles import foretold_tiles
from pebble.program.machine.run import refuse_too_many
from pebble.program.schedule.aligned_sizes import repeating_size
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = ["MANY_TILES", "is_light", "light_choice", "light_tiles", "repeating_tiles", "verifiable_tiles"]

MANY_TILES = 60_000
"""Tiles that the machine looks at in some ten seconds."""
_PARTS = (8, 4)
"""Sizes may be one part in so many smaller, one after the other, where the machine would look at more tiles."""


def repeating_tiles(trials: Trials, tiles: Tiles, part: int | None = None) -> dict[str, int]:
    """Return tiles that repeat soon with the mask's period, see :func:`.repeating_size`; hardly smaller ones."""
    schedule, mask = trials.schedule, trials.problem.allowed
    kept = {*schedule.resident_tiles, *schedule.may_be_zero}
    return {
        name: size
        if name in kept or schedule.axis_of(name) not in ("", "i", "j")
        else repeating_size(mask, size, part)
        for name, size in tiles.items()
    }


def light_choice(schedule: Schedule, problem: Problem, M: int, tiles: Tiles) -> dict[str, int]:
    """Return tiles that the machine gets through soon: those chosen for M words, or as little smaller as need be.

    Raises
    ------
    TooManyOperations
        If it would not even get through these in minutes.
    """
    return verifiable_tiles(Trials(schedule, problem, M), tiles)


def is_light(schedule: Schedule, problem: Problem, tiles: Tiles) -> bool:
    """Tell whether the machine gets through a program with these tiles in seconds, as far as is foretold."""
    return foretold_tiles(schedule.program(problem, tiles), schedule.family(problem)) <= MANY_TILES


def verifiable_tiles(trials: Trials, tiles: Tiles) -> dict[str, int]:
    """Return :func:`light_tiles`, or raise TooManyOperations where the machine would take too long for them."""
    found = light_tiles(trials, tiles)
    refuse_too_many(trials.schedule.program(trials.problem, found), trials.family)
    return found


def light_tiles(trials: Trials, tiles: Tiles, group: TileGroup | None = None) -> dict[str, int]:
    """Return tiles that the machine gets through soon: those given, or as little smaller as need be.

    Parameters
    ----------
    trials : Trials
    tiles : mapping of str to int
    group : TileGroup, optional
        Look at the phases that it shapes only.

    Returns
    -------
    dict of str to int
        Where none is found, those of the sizes tried that repeat soonest.
    """
    tried = [(trials.foretold(tiles, group), dict(tiles))]
    for part in _PARTS:
        if tried[-1][0] <= MANY_TILES:
            return tried[-1][1]
        smaller = repeating_tiles(trials, tiles, part)
        tried.append((trials.foretold(smaller, group), smaller))
    return min(tried, key=lambda one: one[0])[1]
