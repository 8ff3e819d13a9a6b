"""Words that a program under a mask surely needs, read off its text: what one of its operations needs as a whole."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pebble.computations.family import Family
from pebble.computations.masks import Mask
from pebble.program.nodes import Condition, Loop, Program
from pebble.program.places import Place, places

__all__ = ["least_room"]


def least_room(program: Program, family: Family) -> int:
    """Return a number of words below which the program does not run; the machine may find that it needs more.

    A box that is loaded, stored or deleted is in fast memory as a whole, and so is a tile of scores that is computed.
    Boxes of partial sums that may not have begun are left out, as is what is done on a condition.

    Parameters
    ----------
    program : Program
    family : Family
        Under a mask, on axes so short that the pairs can be listed.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> from pebble.computations.registry import family_of
    >>> from pebble.program import compute, delete, load, loop, program
    >>> text = program(loop("i", 3, load("Q"), loop("j", 2, load("K"), compute("S"), delete("S", "K")), delete("Q")))
    >>> least_room(text, family_of(Problem.square(7, 4, mask="causal")))
    12
    """
    if family.mask is None:
        return 0
    return max((_words(place, family, family.mask) for place in places(program)), default=0)


def _words(place: Place, family: Family, mask: Mask) -> int:
    """Return the most words of a box that an operation needs as a whole; zero where that is not clear."""
    operation, array = place.operation, family[place.operation.array]
    if operation.at or any(isinstance(node, Condition) for node in place.around):
        return 0
    sizes = {axis: _tile(place, axis, family.extents[axis]) for axis in array.axes}
    if not all(sizes.values()):
        return 0
    masked = [axis for axis in ("i", "j") if axis in array.axes]
    words = 1
    for axis, size in sizes.items():
        words *= 1 if axis in masked else size
    if len(masked) == 2:
        return words * _most_pairs(mask, sizes["i"], sizes["j"])
    if len(masked) == 1 and (array.is_input or (operation.action == "store" and not _partial(place, family))):
        return words * _most_lines(mask, masked[0], sizes[masked[0]])
    return 0


def _tile(place: Place, axis: str, extent: int) -> int:
    """Return the size of the tiles of an axis around a place; zero where tiles are split or cut a part of it."""
    loops = place.loops(axis)
    if len(loops) > 1 or any((loop.start, loop.stop) != (0, None) for loop in loops):
        return 0
    return min(loops[0].tile, extent) if loops else extent


def _partial(place: Place, family: Family) -> bool:
    """Whether the array's chain runs over an axis of a loop around the place."""
    chain = family[place.operation.array].chain
    return any(isinstance(node, Loop) and node.axis == chain for node in place.around)


@lru_cache(maxsize=4096)
def _most_pairs(mask: Mask, rows: int, cols: int) -> int:
    """Return the most pairs in a tile of so many queries and keys."""
    table = mask.matrix((0, mask.Nq), (0, mask.Nk)).astype(np.int64)
    lines = np.add.reduceat(table, np.arange(0, mask.Nq, rows), axis=0)
    return int(np.add.reduceat(lines, np.arange(0, mask.Nk, cols), axis=1).max())


@lru_cache(maxsize=4096)
def _most_lines(mask: Mask, axis: str, size: int) -> int:
    """Return the most lines with any pair in a tile of an axis."""
    present = (mask.last(axis) >= 0).astype(np.int64)
    return int(np.add.reduceat(present, np.arange(0, len(present), size)).max())
