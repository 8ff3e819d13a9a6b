"""Stretches of a loop's tiles in which the mask follows a rule: each round of tiles is the one before, moved on.

Within a regular part of the mask both ends of a line's interval of partners stay, or move by one from line to line. A
*round* is so many tiles that a move by their length takes the tiles of the other axis to tiles of the other axis.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS, RegularPart
from pebble.program.nodes import Loop, Operation
from pebble.program.steps import tile_count

if TYPE_CHECKING:
    from pebble.computations.masks.mask import Interval, Mask
    from pebble.program.nodes import Node

__all__ = ["Stretch", "TileGrid", "grids_inside", "stretches"]

_FEWEST_ROUNDS = 6
_FEWEST_ROUNDS_INSIDE = 16
"""In fewer rounds than this nothing is saved."""


class TileGrid(NamedTuple):
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


def grids_inside(nodes: tuple[Node, ...], axis: str, within: Interval) -> list[TileGrid]:
    """Return the grids of the loops over an axis in a body, without those that split a tile of another one.

    Parameters
    ----------
    nodes : tuple of Node
    axis : str
    within : (int, int)
        The current tile of the axis, or the whole axis.
    """
    found: list[TileGrid] = []
    for node in nodes:
        if isinstance(node, Operation):
            continue
        if isinstance(node, Loop) and node.axis == axis:
            start = max(within[0], node.start)
            stop = within[1] if node.stop is None else min(within[1], node.stop)
            if node.tile < stop - start:
                found.append(TileGrid(start, stop, node.tile))
                continue
            found.append(TileGrid(start, stop, 1))
        found += grids_inside(node.body, axis, within)
    return list(dict.fromkeys(found))


def stretches(
    mask: Mask, node: Loop, whole: Interval, partners: Interval, grids: list[TileGrid], inside: bool
) -> Iterator[Stretch]:
    """Cut a loop over queries or keys into stretches; together they hold all tiles that have a pair.

    Parameters
    ----------
    mask : Mask
    node : Loop
    whole : (int, int)
        What the loop runs over.
    partners : (int, int)
        The current tile of the other axis, or all of it.
    grids : list of TileGrid
        Where the tiles of the other axis begin, inside the loop.
    inside : bool
        Whether the loop is inside one over the other axis: then other shortcuts are as good for short stretches.
    """
    count, done = tile_count(*whole, node.tile), 0
    fewest = _FEWEST_ROUNDS_INSIDE if inside else _FEWEST_ROUNDS
    lines = _with_pairs(mask, node.axis, whole, partners) if inside else whole
    for part in mask.steady_parts(node.axis, lines) if lines[1] - lines[0] >= fewest * node.tile else ():
        # What is known here of how a mask repeats is about lines with one interval of partners.
        if part.stop - part.start < fewest * node.tile or len(part.moves) != 2:
            continue
        for piece in _pieces(mask, node.axis, part, partners) if inside else [part]:
            length, margin = _round(node.tile, grids, piece), _margin(grids, piece)
            # The lines just before and just behind a tile belong to the part too, and tiles are full ones.
            first = max(done, -((whole[0] - piece.start - margin) // node.tile), 0)
            stop = min((piece.stop - margin - whole[0]) // node.tile, (whole[1] - whole[0]) // node.tile)
            if stop - first < fewest * length or (inside and not any(piece.moves)):
                continue
            if first > done:
                yield Stretch(done, first)
            yield Stretch(first, stop, length, part)
            done = stop
    if done < count:
        yield Stretch(done, count)


def _with_pairs(mask: Mask, axis: str, whole: Interval, partners: Interval) -> Interval:
    """Return an interval of lines that have pairs with the first partner, with the last one, or lie in between."""
    other, ends = OTHER_AXIS[axis], np.array([partners[0], partners[1] - 1])
    first, last = int(mask.first_of(other, ends)[0]), int(mask.last_of(other, ends)[1])
    return max(first, whole[0]), min(last + 1, whole[1])


def _pieces(mask: Mask, axis: str, part: RegularPart, partners: Interval) -> list[RegularPart]:
    """Cut a regular part where an end of a line's interval comes into the partners, or leaves them."""
    lines = np.array([part.start, part.stop - 1])
    first, last = mask.first_of(axis, lines).tolist(), mask.last_of(axis, lines).tolist()
    marks = {part.start, part.stop}
    for end, place in enumerate((first[0], last[0])):
        if part.moves[end]:
            steps = [-((place + end - partner) // part.partners) for partner in partners]
            marks |= {part.start + step * part.lines for step in steps}
    found = []
    for start, stop in itertools.pairwise(sorted(mark for mark in marks if part.start <= mark <= part.stop)):
        moved = (start - part.start) // part.lines * part.partners
        low, high = first[0] + moved * part.moves[0], last[0] + 1 + moved * part.moves[1]
        moves = (
            part.moves[0] and partners[0] <= low < partners[1],
            part.moves[1] and partners[0] <= high < partners[1],
        )
        found.append(part._replace(start=start, stop=stop, moves=moves))
    return found


def _round(tile: int, grids: list[TileGrid], part: RegularPart) -> int:
    """Return after how many tiles the mask and the grids of the other axis repeat."""
    if not any(part.moves):
        return 1
    period = math.lcm(*(grid.tile for grid in grids))
    period = part.lines * (period // math.gcd(period, part.partners))
    return period // math.gcd(period, tile)


def _margin(grids: list[TileGrid], part: RegularPart) -> int:
    """Return how many lines at either end of a part to leave out: one, and those that share a tile with its end."""
    if not any(part.moves):
        return 1
    return 1 + part.lines * -(-max((grid.tile for grid in grids), default=0) // part.partners)
