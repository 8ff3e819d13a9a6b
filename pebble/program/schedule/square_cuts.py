"""Tiles in step, taken where others move hardly fewer words: under a mask the machine soon gets through their loops.

It executes the tiles of a row or column until those of the two axes begin together again. Squares do at once, and
sides that are to each other as small numbers do soon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import gcd

from pebble.program.schedule.schedule import Schedule
from pebble.program.schedule.tile_groups import TileGroup

__all__ = ["HARDLY_MORE", "IN_STEP", "cuts_queries_and_keys", "largest_side", "sides_in_step"]

HARDLY_MORE = 1.002
"""Squares may move so many times the words of the best tiles."""
IN_STEP = 1.005
"""And tiles in step, where no square does."""
_SMALL = 8
"""Sides in step are to each other as two numbers up to this one."""
_ABOUT = 0.2
"""And about as others are: no farther off than by this part."""


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


def sides_in_step(one: int, other: int, fits: Callable[[tuple[int, int]], bool]) -> Iterator[tuple[int, int]]:
    """Yield the largest sides that fit, are to each other as small numbers, and are about as long as two others.

    Examples
    --------
    >>> list(sides_in_step(526, 210, lambda sides: sides[0] * sides[1] <= 526 * 210))
    [(573, 191), (525, 210), (504, 216), (536, 201)]
    """
    for p, q in product(range(1, _SMALL + 1), repeat=2):
        if gcd(p, q) == 1 and abs(p * other - q * one) <= _ABOUT * q * one:
            most = 2 * max(one // p, other // q)
            unit = largest_side(most, partial(_fits_scaled, fits, (p, q)))
            if unit:
                yield unit * p, unit * q


def _fits_scaled(fits: Callable[[tuple[int, int]], bool], parts: tuple[int, int], unit: int) -> bool:
    return fits((unit * parts[0], unit * parts[1]))
