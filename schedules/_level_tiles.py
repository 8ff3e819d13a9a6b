"""Heights of blocks of rows that are worth comparing."""

from __future__ import annotations

__all__ = ["numbers_of_tiles"]

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
