"""Stretches of a loop's tiles in which the mask follows a rule: each round of tiles is the one before, moved on.

Within a regular part of the mask both ends of a line's interval of partners stay, or move by one from line to line. A
*round* is so many tiles that a move by their length takes the tiles of the other axis to tiles of the other axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.nodes import Loop, Operation
from pebble.program.steps import tile_count

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.computations.masks.mask import Interval, RegularPart
    from pebble.program.nodes import Node

__all__ = ["Grid", "Stretch", "grids_inside", "stretches"]

_FEWEST_ROUNDS = 6
"""In fewer rounds than this nothing is saved."""


class Grid(NamedTuple):
    """Where the tiles of a loop begin: at ``start``, and every ``tile`` from there; ``stop`` is its end."""

    start: int
    stop: int
    tile: int


class Stretch(NamedTuple):
    """Successive tiles of a loop: numbers ``first`` to ``stop`` - 1.

    Attributes
    ----------
    first, stop : int
    round : int
        Tiles in a round; 0 if the mask follows no rule here.
    part : RegularPart or None
        The lines of the mask that the tiles are in, with those just before and behind them.
    """

    first: int
    stop: int
    round: int = 0
    part: RegularPart | None = None


def grids_inside(nodes: tuple[Node, ...], axis: str, family: Family) -> list[Grid]:
    """Return the grids of the loops over an axis in a body, without those that split a tile of another one."""
    found: list[Grid] = []
    for node in nodes:
        if isinstance(node, Operation):
            continue
        if isinstance(node, Loop) and node.axis == axis:
            stop = family.extents[axis] if node.stop is None else node.stop
            found.append(Grid(node.start, stop, node.tile))
            if node.tile < stop - node.start:
                continue
        found += grids_inside(node.body, axis, family)
    return list(dict.fromkeys(found))


def stretches(node: Loop, whole: Interval, family: Family) -> Iterator[Stretch]:
    """Cut a loop that is in no loop over the mask's other axis into stretches; together they are all of it."""
    assert family.mask is not None
    count, done = tile_count(*whole, node.tile), 0
    grids = grids_inside(node.body, OTHER_AXIS[node.axis], family)
    for part in family.mask.regular_parts(node.axis):
        length = _round(node.tile, grids, any(part.moves))
        # The lines just before and just behind a tile belong to the part too, and tiles are full ones.
        first = max(done, -((whole[0] - part.start - 1) // node.tile), 0)
        stop = min((part.stop - 1 - whole[0]) // node.tile, (whole[1] - whole[0]) // node.tile)
        if stop - first >= _FEWEST_ROUNDS * length:
            if first > done:
                yield Stretch(done, first)
            yield Stretch(first, stop, length, part)
            done = stop
    if done < count:
        yield Stretch(done, count)


def _round(tile: int, grids: list[Grid], moves: bool) -> int:
    """Return after how many tiles the grids of the other axis repeat."""
    if not moves:
        return 1
    period = math.lcm(*(grid.tile for grid in grids if grid.tile < grid.stop - grid.start))
    return period // math.gcd(period, tile)
