"""Tilings of a stencil over time that somebody who knows it would try."""

from __future__ import annotations

from itertools import product
from math import prod

from pebble.solvers.heuristic.tiled_orders import Tiling, equal_sizes
from pebble.solvers.heuristic.translations import Translations

__all__ = ["stencil_tilings"]

_LEAST_FULL = 0.3
"""Part of fast memory that the front of a tile fills at least."""


def stencil_tilings(lattice: Translations, M: int) -> list[Tiling]:
    """Return tilings of which a front stays in fast memory, that with the fewest loads first.

    A tile is some steps high and goes along one axis of space to its end; on the others it is a few places wide. So
    only its front is kept, and loads and stores are those of its top, its bottom and its sides. Each is tried with
    loops that turn back, and with sides that lean in the direction of the time.

    Parameters
    ----------
    lattice : Translations
        Its columns in their order are the axes of the tilings.
    M : int
        Words of fast memory.
    """
    extent = [int(column.max()) + 1 for column in lattice.columns]
    space = range(1, 1 + lattice.dimensions)
    found = []
    for along in space:
        across = [axis for axis in space if axis != along]
        for height, *widths in product(*(equal_sizes(extent[axis]) for axis in (0, *across))):
            front = 2 * lattice.radius * (height + 1) * prod(width + lattice.radius for width in widths)
            if front <= M and (front >= _LEAST_FULL * M or height == extent[0]):
                sides = sum(2 * lattice.radius / width for width in widths)
                found.append((1 / height + sides, along, height, tuple(zip(across, widths, strict=True))))
    tilings = []
    for _, along, height, wide in sorted(found):
        across = [axis for axis, _ in wide]
        points = (along, 0, *across)
        leaning = tuple((axis + lattice.dimensions, width) for axis, width in wide)
        tilings.append(Tiling(((0, height), *wide, (along, 1)), points, turning=True))
        tilings.append(Tiling(((0, height), *(leaning or ((along + lattice.dimensions, 1),))), points))
    return tilings
