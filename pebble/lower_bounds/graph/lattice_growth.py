"""How many places of a box a set of places reads at least, and how many places few words dominate row by row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Offset", "Offsets", "StencilBox", "dominated", "least_reads", "triangle"]

Offset = tuple[int, ...]
Offsets = frozenset[Offset]

_Ints = NDArray[np.int64]
_FAR = np.int64(1) << 40


@dataclass(frozen=True)
class StencilBox:
    """What a place of a box reads: the places at some offsets, those outside the box left out.

    Parameters
    ----------
    offsets : frozenset of tuple of int
    sides : tuple of int
        Of the box; (0, …) if it has no sides, so that no place lacks a read.
    rings : tuple of bool
        Along which axes the last place is next to the first one.
    """

    offsets: Offsets
    sides: tuple[int, ...]
    rings: tuple[bool, ...]

    @property
    def axes(self) -> int:
        """How many coordinates a place has."""
        return len(self.sides)

    @property
    def has_sides(self) -> bool:
        """Whether the box is finite."""
        return self.sides[0] > 0

    def at(self, place: Offset, offset: Offset) -> Offset | None:
        """Return the place at an offset; None outside the box."""
        found = []
        for x, by, side, ring in zip(place, offset, self.sides, self.rings, strict=True):
            there = x + by
            if ring:
                there %= side
            elif side and not 0 <= there < side:
                return None
            found.append(there)
        return tuple(found)

    def reads(self, place: Offset) -> frozenset[Offset]:
        """Return the places that one reads."""
        found = (self.at(place, offset) for offset in self.offsets)
        return frozenset(there for there in found if there is not None)

    def read_by(self, place: Offset) -> frozenset[Offset]:
        """Return the places that read one."""
        found = (self.at(place, tuple(-by for by in offset)) for offset in self.offsets)
        return frozenset(there for there in found if there is not None)


@lru_cache(maxsize=64)
def least_reads(lattice: StencilBox, most: int) -> tuple[int, ...]:
    """Return for a = 0, …, most how many places any a places read at least; 0 where nothing is known.

    Notes
    -----
    Docs/graph-bounds.md, stencils: along each axis the sets are looked at in layers, the layers in one dimension less.

    Examples
    --------
    The cross of five points in the corner of a box, and where there are no sides:

    >>> cross = frozenset({(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)})
    >>> least_reads(StencilBox(cross, (9, 9), (False, False)), 7)
    (0, 3, 5, 6, 8, 9, 10, 12)
    >>> least_reads(StencilBox(cross, (0, 0), (False, False)), 6)
    (0, 5, 8, 10, 12, 13, 15)
    """
    if lattice.axes == 1:
        found = _on_a_line(lattice, most)
    else:
        turned = {_turned(lattice, axis) for axis in range(lattice.axes)}
        found = np.max([_by_layers(one, most) for one in turned], axis=0)
    return tuple(int(reads) for reads in np.maximum.accumulate(found))


def _on_a_line(lattice: StencilBox, most: int) -> _Ints:
    places = np.arange(most + 1, dtype=np.int64)
    side = lattice.sides[0]
    growth = _growth((offset for (offset,) in lattice.offsets), side, lattice.rings[0])
    if growth is None:
        return np.zeros(most + 1, dtype=np.int64)
    found = np.where(places > 0, places + growth, 0)
    return np.where(places > side, _FAR, np.minimum(found, side)) if side else found


def _growth(offsets: Iterable[int], side: int, ring: bool) -> int | None:
    """Return by how much places on a line grow with these offsets, unless they are all; None if unknown."""
    there = set(offsets)
    if not side:
        return len(there) - 1 if there else None
    if ring:
        return _longest_run(there) - 1 if there else None
    if 0 not in there:
        return None
    ahead = next(by for by in range(len(there) + 1) if by + 1 not in there)
    back = next(by for by in range(len(there) + 1) if -by - 1 not in there)
    return min(ahead, back)


def _longest_run(places: set[int]) -> int:
    starts = (place for place in places if place - 1 not in places)
    return max(next(n for n in range(1, len(places) + 1) if start + n not in places) for start in starts)


def _turned(lattice: StencilBox, axis: int) -> StencilBox:
    """Return the same lattice with an axis as the first."""
    order = [axis, *(other for other in range(lattice.axes) if other != axis)]
    return StencilBox(
        frozenset(tuple(offset[at] for at in order) for offset in lattice.offsets),
        tuple(lattice.sides[at] for at in order),
        tuple(lattice.rings[at] for at in order),
    )


def _by_layers(lattice: StencilBox, most: int) -> _Ints:
    """Return the least reads of a places for all a, from what each layer across the first axis reads of others."""
    slices: dict[int, set[Offset]] = {}
    for by, *rest in lattice.offsets:
        slices.setdefault(by, set()).add(tuple(rest))
    (side, *sides), (ring, *rings) = lattice.sides, lattice.rings
    reads = {
        by: np.array(least_reads(StencilBox(frozenset(some), tuple(sides), tuple(rings)), most))
        for by, some in slices.items()
    }
    most_growth = _growth(reads, side, ring)
    if most_growth is None:
        return np.zeros(most + 1, dtype=np.int64)
    stay = _with_growth(reads, 0, side, ring)
    found = _of_rows(stay, np.zeros_like(stay), 1, side, most)
    for growth in range(1, most_growth + 1):
        spill = _with_growth(reads, growth, side, ring)
        found = np.maximum(found, _of_rows(stay, spill, growth, side, most))
    return found


def _with_growth(reads: dict[int, _Ints], growth: int, side: int, ring: bool) -> _Ints:
    """Return how much all layers at offsets that grow so much read at least."""
    if not side:
        groups = [list(reads)]
    elif not ring:
        groups = [list(range(-growth, growth + 1))]
    else:
        runs = [[by + more for more in range(growth + 1)] for by in reads]
        groups = [run for run in runs if set(run) <= set(reads)]
    found = np.zeros_like(next(iter(reads.values())))
    for group in groups:
        ordered = np.sort(np.stack([reads[by] for by in group]), axis=0)
        found = np.maximum(found, ordered[0 if side else -1 - growth])
    return found


def _of_rows(stay: _Ints, spill: _Ints, growth: int, side: int, most: int) -> _Ints:
    """Return the least sum of max(stay[a_i], spill[a_{i - growth}]) over falling rows a_0, a_1, … with given sums.

    Rows i, i + growth, … are a chain of their own. No more than ``side`` rows, if it is not 0.
    """
    widest = min(most, int(np.searchsorted(stay, _FAR)) - 1)
    here = np.arange(widest + 1)
    cost = np.maximum(stay[: widest + 1], spill[: widest + 1, None])
    cost[here > here[:, None]] = _FAR
    if not side or side > growth * (most + 2):
        lengths, chains = [0] * growth, [_long_chain(cost, most)]
    else:
        lengths = [len(range(chain, side, growth)) - (chain == 0) for chain in range(growth)]
        chains = _chains(cost, max(lengths), most)
    best = np.full(most + 1, _FAR)
    best[0] = 0
    for first in range(1, widest + 1):
        total = np.full(most + 1, _FAR)
        total[first] = max(stay[first], spill[first])
        for length in lengths:
            total = _least_sums(total, chains[length][first])
        best = np.minimum(best, total)
    return best


def _long_chain(cost: _Ints, most: int) -> _Ints:
    """Return for each row before and each sum what any number of further rows reads at least."""
    widest = len(cost) - 1
    table = np.full((widest + 1, most + 1), _FAR)
    table[:, 0] = cost[:, 0]
    for total in range(1, most + 1):
        here = np.arange(1, min(widest, total) + 1)
        table[:, total] = (cost[:, here] + table[here, total - here]).min(axis=1)
    return np.minimum(table, _FAR)


def _chains(cost: _Ints, rows: int, most: int) -> list[_Ints]:
    """Return the same for 0, …, ``rows`` further rows; what would spill over the last one is left out."""
    widest = len(cost) - 1
    table = np.full((widest + 1, most + 1), _FAR)
    table[:, 0] = 0
    tables = [table]
    for _ in range(rows):
        before, table = table, np.full((widest + 1, most + 1), _FAR)
        for total in range(most + 1):
            here = np.arange(min(widest, total) + 1)
            table[:, total] = (cost[:, here] + before[here, total - here]).min(axis=1)
        tables.append(np.minimum(table, _FAR))
    return tables


def _least_sums(first: _Ints, second: _Ints) -> _Ints:
    """Return the least of first[i] + second[j] over i + j = s, for each s."""
    found = np.full(len(first), _FAR)
    for at in np.flatnonzero(second < _FAR).tolist():
        np.minimum(found[at:], first[: len(first) - at] + second[at], out=found[at:])
    return np.minimum(found, _FAR)


@lru_cache(maxsize=64)
def dominated(reads: tuple[int, ...]) -> tuple[int, ...]:
    """Return for T = 0, 1, … how many places of all rows T words dominate at most, as far as that is known.

    Parameters
    ----------
    reads : tuple of int
        How many places of the row before any a places read at least, for a = 0, 1, …

    Examples
    --------
    >>> dominated((0, 3, 4, 5, 6, 7, 8))
    (0, 0, 0, 1, 2, 4, 6)
    """
    least = np.array(reads, dtype=np.int64)
    places = np.arange(len(least))
    lost = least - places
    found = np.zeros(len(least), dtype=np.int64)
    for words in range(1, len(least)):
        some = np.flatnonzero((least <= words) & (places > 0))
        if len(some) and lost[some].min() <= 0:
            return tuple(found[:words].tolist())
        through = places[some] + found[words - lost[some]]
        found[words] = max(found[words - 1], int(through.max(initial=0)))
    return tuple(found.tolist())


def triangle(words: int, loss: int) -> int:
    """Return (words − loss) + (words − 2·loss) + … as long as these are positive, for a positive loss.

    >>> triangle(7, 2)
    9
    """
    whole = max(0, words) // loss
    return whole * words - loss * whole * (whole + 1) // 2
