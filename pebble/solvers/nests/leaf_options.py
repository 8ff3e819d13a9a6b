"""The choices for one array of a phase: loops of its own, where its operands are loaded, where it is spilled.

Each choice is weighed on a grid of cells of tile sizes: the words that it moves at least and the room that it takes at
least in every cell. A choice that some other beats in every cell is left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.solvers.nests.tile_sizes import combinations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sizes = dict[str, NDArray[np.float64]]

_STEPS = 2
"""Cells of tile sizes for each factor of two."""


@dataclass(frozen=True)
class Surroundings:
    """What the choices of an array depend on.

    Attributes
    ----------
    around : tuple of (axis, unit)
        The loops of the spine around the array.
    operands : tuple of str
        What it alone loads from slow memory.
    alone : bool
        Whether the phase computes this array only: the spine has all loops.
    consumed : bool
        Whether the phase reads it.
    tiles : tuple of str
        The axes that the spine cuts into tiles.
    """

    around: tuple[tuple[str, bool], ...]
    operands: tuple[str, ...]
    alone: bool
    consumed: bool
    tiles: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LeafOption:
    """A choice for one array.

    Attributes
    ----------
    own : tuple of str
        Axes of loops over single elements, from the outside.
    places : tuple of (str, int)
        Inside how many loops of its path each operand is loaded.
    spill : int or None
        Inside how many loops partial results are stored and loaded again, if they are.
    words, room : ndarray of float64
        For each cell, the words moved and the room taken at least.
    held : ndarray of float64
        Words held at each depth of the spine, for each cell: shape (depth + 1, cells).
    """

    own: tuple[str, ...]
    places: tuple[tuple[str, int], ...]
    spill: int | None
    words: NDArray[np.float64]
    room: NDArray[np.float64]
    held: NDArray[np.float64]


def orders(axes: list[str], most: int) -> Iterator[tuple[str, ...]]:
    """Yield the ordered choices of at most ``most`` axes."""
    for number in range(min(most, len(axes)) + 1):
        yield from itertools.permutations(axes, number)


def positions(array: Array, path: list[str]) -> list[int]:
    """Return where an operand is worth loading: further in it takes less room, and moves more words."""
    return [
        p
        for p in range(len(path) + 1)
        if (p == 0 or path[p - 1] in array.axes) and (p == len(path) or path[p] not in array.axes)
    ]


class LeafChoices:
    """The choices for the arrays of a family, each found once.

    Parameters
    ----------
    family : Family
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        self._known: dict[tuple[str, Surroundings], tuple[LeafOption, ...]] = {}
        self._cells: dict[tuple[str, ...], tuple[Sizes, Sizes]] = {}

    def of(self, name: str, around: Surroundings) -> tuple[LeafOption, ...]:
        """Return the choices of one array that no other beats, those that move the fewest words first."""
        if (name, around) not in self._known:
            self._known[name, around] = self._found(name, around)
        return self._known[name, around]

    def _found(self, name: str, around: Surroundings) -> tuple[LeafOption, ...]:
        if around.tiles not in self._cells:
            self._cells[around.tiles] = _cells(self.family, around.tiles)
        low, high = self._cells[around.tiles]
        found = list(_options(self.family, self.family[name], around, low, high))
        found.sort(key=lambda one: float(one.words.min()))
        kept: list[LeafOption] = []
        for one in found:
            if not any(_beats(other, one) for other in kept):
                kept = [other for other in kept if not _beats(one, other)]
                kept.append(one)
        return tuple(kept)


def _cells(family: Family, tiles: tuple[str, ...]) -> tuple[Sizes, Sizes]:
    """Return the least and the greatest tile size of every axis in every cell."""
    steps = _STEPS if len(tiles) <= 2 else 1
    low, high = [], []
    for axis in tiles:
        extent = family.extents[axis]
        number = math.ceil(steps * math.log2(extent)) + 1
        starts = np.unique(np.minimum(np.round(2.0 ** (np.arange(number) / steps)), extent))
        low.append(starts)
        high.append(np.append(starts[1:] - 1, extent))
    return combinations(tiles, low), combinations(tiles, high)


def _beats(one: LeafOption, other: LeafOption) -> bool:
    return bool(
        (one.words <= other.words).all() and (one.room <= other.room).all() and (one.held <= other.held).all()
    )


def _options(
    family: Family, array: Array, around: Surroundings, low: Sizes, high: Sizes
) -> Iterator[LeafOption]:
    singles = {axis for axis, unit in around.around if unit}
    free = [axis for axis in array.indices if axis not in singles and family.extents[axis] > 1]
    outer = [axis for axis, _ in around.around]
    for own in orders(free, 0 if around.alone else 2):
        path = outer + list(own)
        spills: list[int | None] = [None]
        if array.chain in path:
            spills += [p for p in positions(array, path) if p > path.index(array.chain)]
        places = [[(operand, p) for p in positions(family[operand], path)] for operand in around.operands]
        for spill in spills:
            if own and not around.operands and spill is None:
                continue
            for chosen in itertools.product(*places):
                yield _weighed(family, array, around, (own, chosen, spill), low, high)


def _weighed(
    family: Family,
    array: Array,
    around: Surroundings,
    choice: tuple[tuple[str, ...], tuple[tuple[str, int], ...], int | None],
    low: Sizes,
    high: Sizes,
) -> LeafOption:
    """Return a choice with what it moves and holds at least in every cell."""
    own, places, spill = choice
    path = [*around.around, *((axis, True) for axis in own)]
    number = len(next(iter(low.values()))) if low else 1
    depth = len(around.around)
    held, inner, words = np.zeros((depth + 1, number)), np.zeros(number), np.zeros(number)

    def hold(one: Array, place: int) -> None:
        nonlocal inner
        box = _box(family, one, path[:place], low)
        if place <= depth:
            held[place] += box
        inner = inner + box

    for operand, place in places:
        hold(family[operand], place)
        words = words + _moved(family, family[operand], path[:place], high)
    chain = next((at for at, (axis, _) in enumerate(path) if axis == array.chain), len(path))
    if spill is not None:
        hold(array, spill)
        words = words + 2 * _moved(family, array, path[:spill], high) - family.words(array.name)
    elif chain < depth or not around.consumed:
        hold(array, chain)
    return LeafOption(own, places, spill, words, inner, np.cumsum(held, axis=0))


def _box(
    family: Family, array: Array, path: list[tuple[str, bool]], sizes: Sizes
) -> NDArray[np.float64] | float:
    total: NDArray[np.float64] | float = 1.0
    for axis in array.axes:
        kinds = [unit for one, unit in path if one == axis]
        if not kinds:
            total = total * family.extents[axis]
        elif not any(kinds):
            total = total * sizes[axis]
    return total


def _moved(
    family: Family, array: Array, path: list[tuple[str, bool]], sizes: Sizes
) -> NDArray[np.float64] | float:
    total: NDArray[np.float64] | float = float(family.words(array.name))
    for axis in dict.fromkeys(axis for axis, _ in path):
        if axis in array.axes:
            continue
        single = any(unit for one, unit in path if one == axis)
        total = total * (family.extents[axis] if single else np.ceil(family.extents[axis] / sizes[axis]))
    return total
