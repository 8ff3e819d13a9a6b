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

from pebble.computations.masks.equal_blocks import EqualBlocks
from pebble.computations.masks.mask import OTHER_AXIS, RegularPart
from pebble.program.nodes import Loop, Operation
from pebble.program.steps import tile_count

if TYPE_CHECKING:
    from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
    from pebble.computations.masks.mask import Interval, Mask
    from pebble.program.nodes import Node

__all__ = ["FEWEST_PERIODS", "Stretch", "TileGrid", "grids_inside", "stretches", "stretches_in_blocks"]

_FEWEST_ROUNDS = 6
_FEWEST_ROUNDS_INSIDE = 16
FEWEST_PERIODS = 4
"""In fewer rounds than this nothing is saved; the last one is for masks with a period."""


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
    alike : int
        Tiles in two rounds, where these are one run, and so all are; else 0.
    """

    first: int
    stop: int
    round: int = 0
    part: RegularPart | None = None
    alike: int = 0


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
            found += grids_inside(node.body, axis, (start, stop))
            continue
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
    fewest = FEWEST_PERIODS if mask.period > 1 else _FEWEST_ROUNDS_INSIDE if inside else _FEWEST_ROUNDS
    parts = _parts_inside(mask, node.axis, whole, partners) if inside else _parts(mask, node.axis, whole)
    tiles = 0, tile_count(*whole, node.tile)
    yield from _cut(node, whole, tiles, grids, parts if tiles[1] >= fewest else iter(()), fewest)


def stretches_in_blocks(
    mask: BlockToeplitzMask, node: Loop, whole: Interval, tiles: Interval, grids: list[TileGrid]
) -> Iterator[Stretch]:
    """Cut some tiles of a loop into stretches inside of blocks of the mask; together they hold all these tiles.

    Parameters
    ----------
    mask : BlockToeplitzMask
    node : Loop
        Outside of all loops over the other axis.
    whole : (int, int)
        What the loop runs over.
    tiles : (int, int)
        Numbers of the first tile, and of the one behind the last.
    grids : list of TileGrid
        Where the tiles of the other axis begin, inside the loop.
    """
    first, stop = (whole[0] + node.tile * tile for tile in tiles)
    blocks = range(first // mask.period, -(-min(stop, whole[1]) // mask.period))
    if any(mask.period % grid.tile for grid in grids) or mask.period < _FEWEST_ROUNDS * node.tile:
        blocks = range(0)
    parts = (
        part._replace(start=block * mask.period + part.start, stop=block * mask.period + part.stop)
        for block in blocks
        for part in mask.parts_of_blocks[node.axis]
    )
    yield from _cut(node, whole, tiles, grids, ((part, part) for part in parts), _FEWEST_ROUNDS)


def _cut(
    node: Loop, whole: Interval, tiles: Interval, grids: list[TileGrid], parts: _Parts, fewest: int
) -> Iterator[Stretch]:
    """Cut some tiles of a loop into stretches of at least so many rounds inside of parts, and others."""
    done, count = tiles
    for part, piece in parts:
        length, margin = _round(node.tile, grids, piece), _margin(grids, piece)
        # The lines just before and just behind a tile belong to the part too, and tiles are full ones.
        first = max(done, -((whole[0] - piece.start - margin) // node.tile))
        stop = min((piece.stop - margin - whole[0]) // node.tile, (whole[1] - whole[0]) // node.tile, count)
        if stop - first < fewest * length:
            continue
        if first > done:
            yield Stretch(done, first)
        yield Stretch(first, stop, length, part)
        done = stop
    if done < count:
        yield Stretch(done, count)


_Parts = Iterator[tuple[RegularPart, RegularPart]]
"""Parts, and what of them tiles may be in."""


def _parts(mask: Mask, axis: str, whole: Interval) -> _Parts:
    """Yield the parts of a mask in which rounds may repeat."""
    return ((part, part) for part in mask.steady_parts(axis, whole))


def _parts_inside(mask: Mask, axis: str, whole: Interval, partners: Interval) -> _Parts:
    """Yield the parts in which the pairs with some partners move with the lines, or repeat."""
    if mask.period > 1:
        for part in _repeating(mask, axis, whole, partners):
            if mask.has_pairs(axis, (part.start, part.stop), partners):
                yield part, part
        return
    if isinstance(mask, EqualBlocks):
        return  # nothing moves, and what stays is one run
    for part in mask.steady_parts(axis, _with_pairs(mask, axis, whole, partners)):
        for piece in _pieces(mask, axis, part, partners):
            if any(piece.moves):
                yield part, piece


def _with_pairs(mask: Mask, axis: str, whole: Interval, partners: Interval) -> Interval:
    """Return an interval outside of which no line has a pair with any of the partners."""
    ends = mask.ends_of(OTHER_AXIS[axis], np.array([partners[0], partners[1] - 1]))
    return max(int(ends.min()), whole[0]), min(int(ends.max()), whole[1])


def _repeating(mask: Mask, axis: str, whole: Interval, partners: Interval) -> list[RegularPart]:
    """Return the parts of an axis in which the pairs with some partners repeat with the mask's period."""
    ends = mask.ends_of(OTHER_AXIS[axis], np.array([partners[0], partners[1] - 1]))
    found, done = [], whole[0]
    # Between an end for the first partner and that for the last one the pairs follow no rule.
    for low, high in sorted(zip(ends.min(axis=1).tolist(), ends.max(axis=1).tolist(), strict=True)):
        if done < min(low, whole[1]):
            found.append(RegularPart(done, min(low, whole[1]), (False,), mask.period, repeats=True))
        done = max(done, high)
    if done < whole[1]:
        found.append(RegularPart(done, whole[1], (False,), mask.period, repeats=True))
    return found


def _pieces(mask: Mask, axis: str, part: RegularPart, partners: Interval) -> list[RegularPart]:
    """Cut a regular part where an end of a line's interval comes into the partners, or leaves them."""
    ends = mask.ends_of(axis, np.array([part.start]))[:, 0].tolist()
    marks = {part.start, part.stop}
    for place, moves in zip(ends, part.moves, strict=True):
        if moves:
            steps = [-((place - partner) // part.partners) for partner in partners]
            marks |= {part.start + step * part.lines for step in steps}
    found = []
    for start, stop in itertools.pairwise(sorted(mark for mark in marks if part.start <= mark <= part.stop)):
        moved = (start - part.start) // part.lines * part.partners
        inside = tuple(
            moves and partners[0] <= place + moved < partners[1]
            for place, moves in zip(ends, part.moves, strict=True)
        )
        found.append(part._replace(start=start, stop=stop, moves=inside))
    return found


def _round(tile: int, grids: list[TileGrid], part: RegularPart) -> int:
    """Return after how many tiles the mask and the grids of the other axis repeat."""
    if part.repeats:
        return part.lines // math.gcd(part.lines, tile)
    if not any(part.moves):
        return 1
    period = math.lcm(*(grid.tile for grid in grids))
    period = part.lines * (period // math.gcd(period, part.partners))
    return period // math.gcd(period, tile)


def _margin(grids: list[TileGrid], part: RegularPart) -> int:
    """Return how many lines at either end of a part to leave out: one, and those that share a tile with its end."""
    if part.repeats:
        return 2 * part.lines
    if not any(part.moves):
        return 1
    return 1 + part.lines * -(-max((grid.tile for grid in grids), default=0) // part.partners)
