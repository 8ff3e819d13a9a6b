"""Outer tiles whose words lie on a line: two of them stand for all.

In a steady part of a band both ends of a line's partners stay, or move on by as much from line to line. A tile of lines
some tiles on, such that the ends have moved by whole tiles of the partners' loops, then sees the same boxes moved on;
where one end stays and the other moves, it sees more of those that lie wholly between. So all that its body moves is a
linear function of how far on it is, as long as all places that anything can ask of, the ends of the tile's lines and of
those next to it, the ends of the axis and of loops over a part of it, keep their order, and those that move apart or
towards one another stay two tiles apart; that is so between two tiles if it is so at both. Its room is the largest of
several linear functions, so it is largest at one of the two. Under a mask of repeating blocks the same is so of tiles
that are whole blocks apart, and whole tiles of the partners' loops.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS, Interval, RegularPart
from pebble.computations.masks.questions import check_tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Mask

    Whole = NDArray[np.int64]

LEAST_TILES = 16
"""Fewer tiles are all looked at."""
_MOST_MARKS = 64
"""Where more places are passed, all tiles are looked at."""


def steady_parts(mask: Mask, axis: str, length: int) -> list[RegularPart]:
    """Return the steady parts of an axis with at least ``length`` lines."""
    return [one for one in mask.steady_parts(axis) if one.stop - one.start >= length]


def tiles_in_progression(
    mask: Mask,
    axis: str,
    parts: Iterable[RegularPart],
    loop: tuple[int, int, int],
    grid: Iterable[int],
    marks: set[int],
) -> tuple[Whole, Whole]:
    """Return tiles of a loop that stand for all, and for how many halves of a tile each does.

    Parameters
    ----------
    mask : Mask
        A band, or a union of bands.
    axis : str
    parts : iterable of RegularPart
    loop : (int, int, int)
        What the loop runs over, [low, high), and its tile.
    grid : iterable of int
        Tiles of the loops over the other axis.
    marks : set of int
        Places of the other axis where such loops begin or end, and where its own lines go on otherwise.
    """
    low, high, tile = loop
    number = -((low - high) // tile)
    step = math.lcm(1, *grid)
    every = np.union1d(sorted(marks), mask.ends_of(axis, np.array([low, high - 1])))
    extent = mask.extents[OTHER_AXIS[axis]]
    chosen, halves, done = [], [], 0
    for part in parts:
        lines, partners = part.lines, part.partners
        period = 1
        if any(part.moves):
            if step > extent:
                continue
            # Lines after which the ends have moved by whole steps, in tiles.
            moved = lines * step // math.gcd(partners, step)
            period = math.lcm(moved, tile) // tile
        # The lines next to the tiles are in the part too; the first tile and the last, maybe ragged, are like no other.
        first = max(done, 1, -((low - part.start - 1) // tile))
        last = min((part.stop - 1 - low) // tile, number - 1)
        if last <= first:
            continue
        places = _passed(mask, axis, part, min(step, extent), every)
        if len(places) > _MOST_MARKS:
            continue
        for u, v in _between(mask, axis, part, (first, last), (low, tile), min(step, extent), places):
            rounds = (v - u) // period
            if rounds < 4:
                continue
            one = u + np.arange(period)
            other = one + (rounds - 1) * period
            if not _keep_order(mask, axis, (one, other), (low, tile), min(step, extent), places):
                continue
            check_tiles(u - done)
            chosen += [np.arange(done, u), one, other]
            halves += [np.full(u - done, 2), np.full(period, rounds), np.full(period, rounds)]
            done = u + rounds * period
    check_tiles(number - done + sum(map(len, chosen)))
    chosen.append(np.arange(done, number))
    halves.append(np.full(number - done, 2))
    return np.concatenate(chosen), np.concatenate(halves).astype(np.int64)


def tiles_in_rounds(
    mask: Mask, axis: str, loop: tuple[int, int, int], grid: Iterable[int]
) -> tuple[Whole, Whole]:
    """Return the same of a loop over a whole axis of a mask of repeating blocks.

    Lines are taken in rounds of whole tiles, whole blocks and whole tiles of the partners. A tile sees of its
    partners' rounds some near ones, the first or the last one, and others between that are all alike; in the next round
    it sees one more of these, or one fewer.
    """
    low, high, tile = loop
    number = -((low - high) // tile)
    step = math.lcm(tile, mask.period, *grid)
    near = -(-mask.depth * mask.period // step) + 3
    first, last = near, high // mask.period * mask.period // step - near
    if last - first < 4 or (low, high) != (0, mask.extents[axis]):
        check_tiles(number)
        return np.arange(number), np.full(number, 2)
    period, rounds = step // tile, last - first
    one = first * period + np.arange(period)
    parts = np.arange(one[0]), one, one + (rounds - 1) * period, np.arange(last * period, number)
    halves = [np.full(len(part), often) for part, often in zip(parts, (2, rounds, rounds, 2), strict=True)]
    return np.concatenate(parts), np.concatenate(halves)


def _passed(mask: Mask, axis: str, part: RegularPart, step: int, places: Whole) -> Whole:
    """Return the places that an end which moves in a part passes, or comes near to."""
    moving = mask.ends_of(axis, np.array([part.start, part.stop - 1]))[list(part.moves)]
    if not moving.size:
        return places[:0]
    return np.asarray(places[(places > moving.min() - 2 * step) & (places < moving.max() + 2 * step)])


def _between(
    mask: Mask, axis: str, part: RegularPart, tiles: Interval, loop: Interval, step: int, places: Whole
) -> list[Interval]:
    """Cut the tiles of a part where an end that moves comes near a place that stays."""
    first, last = tiles
    low, tile = loop
    ends = mask.ends_of(axis, np.array([part.start]))[:, 0].tolist()
    stay = {*places.tolist(), *(end for end, moves in zip(ends, part.moves, strict=True) if not moves)}
    cuts = {first, last}
    for begin in {end for end, moves in zip(ends, part.moves, strict=True) if moves}:
        for place in stay:
            near = (
                part.start + (place + way * 2 * step - begin) * part.lines // part.partners for way in (-1, 1)
            )
            before, after = near
            cuts |= {
                cut for cut in ((before - low) // tile - 1, (after - low) // tile + 3) if first < cut < last
            }
    return list(itertools.pairwise(sorted(cuts)))


def _places(mask: Mask, axis: str, tiles: Whole, loop: tuple[int, int], places: Whole) -> Whole:
    """Return the places that the bodies of some tiles can ask of, shape (places, tiles)."""
    low, length = loop
    starts = low + tiles * length
    lines = np.stack([starts - 1, starts, starts + length - 1, starts + length])
    ends = mask.ends_of(axis, lines.ravel()).reshape(-1, len(tiles))
    return np.concatenate([ends, np.broadcast_to(places[:, None], (len(places), len(tiles)))])


def _keep_order(
    mask: Mask, axis: str, rounds: tuple[Whole, Whole], loop: tuple[int, int], step: int, places: Whole
) -> bool:
    """Whether the places of two rounds of tiles are in the same order, and apart by two steps where they move."""
    one, other = (_places(mask, axis, tiles, loop, places) for tiles in rounds)
    before, after = (found[:, None] - found for found in (one, other))
    apart = (np.minimum(before, after) >= 2 * step) | (np.maximum(before, after) <= -2 * step)
    return bool((apart | (before == after)).all())
