"""Square tiles, taken where others move hardly fewer words: under a mask the machine soon gets through their loops.

It executes the tiles of a row or column until those of the two axes begin together again. Squares do at once.
"""

from __future__ import annotations

from collections.abc import Callable

from pebble.program.schedule.schedule import Schedule
from pebble.program.schedule.tile_groups import TileGroup

__all__ = ["HARDLY_MORE", "cuts_queries_and_keys", "largest_side"]

HARDLY_MORE = 1.002
"""Squares may move so many times the words of the best tiles."""


def cuts_queries_and_keys(schedule: Schedule, group: TileGroup) -> bool:
    """Tell whether a group has one size of tiles of queries and one of tiles of keys."""
    return sorted(map(schedule.axis_of, group.cuts)) == ["i", "j"]


def largest_side(most: int, fits: Callable[[int], bool], least: int = 1) -> int:
    """Return the largest side of a square that fits, of those from ``least`` to ``most``; 0 if none does.

    Examples
    --------
    >>> largest_side(100, lambda side: side * side <= 500)
    22
    """
    low, high = least - 1, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low if low >= least else 0
