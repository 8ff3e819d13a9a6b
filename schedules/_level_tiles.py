"""Tile sizes for several memory levels: lengths that are worth comparing, and what stays in a third level."""

from __future__ import annotations

from pebble import InvalidInput, Problem
from pebble.program import Hierarchy, LevelSchedule, Tiles

__all__ = ["even", "kept_lines", "numbers_of_tiles", "with_kept"]

_NEAR, _RATIO = 300, 1.02


def numbers_of_tiles(length: int, most: int, part: int) -> list[int]:
    """Return lengths of tiles of an axis, the longest first: even ones, and multiples of the length of a part.

    Parameters
    ----------
    length : int
        Of the axis.
    most : int
        Longest tile.
    part : int
        Longest part of a tile.
    """
    most = min(most, length)
    if most < 1:
        return []
    found: set[int] = set()
    number = -(-length // most)
    while number <= length and len(found) < 4 * _NEAR:
        found.add(-(-length // number))
        number = number + 1 if len(found) < _NEAR else max(number + 1, int(number * _RATIO))
    step = max(1, most // part // _NEAR)
    found |= {part * times for times in range(1, most // part + 1, step)}
    return sorted((one for one in found if one <= most), reverse=True)


def even(length: int, most: int) -> int:
    """Return the length of tiles, as few as at most ``most`` long ones, but as even as can be."""
    most = min(most, length)
    return -(-length // -(-length // most))


def kept_lines(schedule: LevelSchedule, length: int, tiles: Tiles, hierarchy: Hierarchy) -> int:
    """Return how many lines stay in the third level; InvalidInput if there is none."""
    kept = tiles.get("kept", 0)
    if kept and hierarchy.levels < 3:
        raise InvalidInput(
            f"{schedule.name}: what is kept is in a third memory level; leave the tile kept out"
        )
    return min(kept, length)


def with_kept(
    schedule: LevelSchedule, problem: Problem, hierarchy: Hierarchy, tiles: Tiles, length: int, width: int
) -> Tiles:
    """Let as many lines, of so many words each, stay in a third level as fit there."""
    if hierarchy.levels < 3:
        return tiles
    words = hierarchy.capacities[2]
    assert words is not None
    everything, nothing = {**tiles, "kept": length}, {**tiles, "kept": 0}
    if schedule.room(problem, everything, hierarchy)[2] <= words:
        return everything
    free = words - schedule.room(problem, nothing, hierarchy)[2]
    return {**tiles, "kept": max(0, min(length - 1, free // width))}
