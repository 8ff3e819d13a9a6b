"""Sets of tiles on a ring or a torus of devices, as bits of one whole number."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from pebble.program.parallel.relative_steps import Box, Tile

__all__ = ["TorusSets"]


class TorusSets:
    """Sets of the tiles of devices that are numbered along some coordinates, each a ring.

    Parameters
    ----------
    sizes : tuple of int
        Devices along each coordinate.

    Examples
    --------
    >>> sets = TorusSets((2, 3))
    >>> [bin(one) for one in (sets.of_box((0, None)), sets.moved(sets.of_box((0, 2)), (1, 2)))]
    ['0b111', '0b10000']
    """

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.strides = tuple(prod(sizes[place + 1 :]) for place in range(len(sizes)))
        self.all = (1 << prod(sizes)) - 1
        self.of_box = lru_cache(maxsize=8)(self._of_box)
        self._low = lru_cache(maxsize=256)(self._with_less)

    def _of_box(self, box: Box) -> int:
        found = 1
        for one, size, stride in zip(box, self.sizes, self.strides, strict=True):
            if one is None:
                found *= _repeated(size, stride)
            else:
                found <<= one * stride
        return found

    def moved(self, tiles: int, distance: Tile) -> int:
        """Return a set as a device numbers it that is so far behind."""
        for place, (far, size, stride) in enumerate(zip(distance, self.sizes, self.strides, strict=True)):
            if far:
                low = tiles & self._low(place, size - far)
                tiles = (low << far * stride) | ((tiles ^ low) >> (size - far) * stride)
        return tiles

    def spread(self, tiles: int, distance: Tile, number: int) -> int:
        """Return the union of a set and of the same moved on once, twice, … so many sets in all.

        >>> sets = TorusSets((8,))
        >>> bin(sets.spread(1, (2,), 3))
        '0b10101'
        """
        found, done = tiles, 1
        while done < number:
            more = min(done, number - done)
            far = tuple(done * one % size for one, size in zip(distance, self.sizes, strict=True))
            part = found if more == done else self.spread(tiles, distance, more)
            found |= self.moved(part, far)
            done += more
        return found if number else 0

    def _with_less(self, place: int, number: int) -> int:
        """Return the set of all tiles whose number along a coordinate is less than a number."""
        size, stride = self.sizes[place], self.strides[place]
        return ((1 << number * stride) - 1) * _repeated(prod(self.sizes[:place]), size * stride)


def _repeated(times: int, distance: int) -> int:
    """Return a number with so many bits set, so far apart."""
    return ((1 << times * distance) - 1) // ((1 << distance) - 1)
