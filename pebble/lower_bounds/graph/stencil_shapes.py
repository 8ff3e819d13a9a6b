"""Two rows of a graph recognised as two rows of a stencil: what each vertex reads, and how the rows end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from pebble.graph.components import joined
from pebble.lower_bounds.graph.lattice_growth import Offset, Offsets, StencilBox

__all__ = ["TwoRows", "places_of_two_rows", "shapes"]

_Words = NDArray[np.uint64]
_Ints = NDArray[np.int64]

_MOST_TRIALS = 40
"""Lattices that are compared with two rows; those with other numbers of edges are passed over at once."""
_FEW_SINGLED_OUT, _MOST_EDGES = 16, 200_000
"""Vertices after which all of a lattice are told apart, and more of small ones with vertices that are used alike.

Rows that fall apart would need one for each of their parts.
"""


@dataclass(frozen=True, eq=False)
class TwoRows:
    """Edges from the vertices of one row to those of the next.

    Attributes
    ----------
    tails, heads : array of int64, shape (e,)
        Numbers within the rows.
    before, after : int
        Vertices of the rows.
    """

    tails: _Ints
    heads: _Ints
    before: int
    after: int

    def hang_together(self) -> bool:
        """Whether the edges connect all vertices, as those of any of the lattices do."""
        parts = joined(np.arange(self.before + self.after), self.tails, self.before + self.heads)
        return not parts.any()

    def colours(self, before: _Words, after: _Words) -> tuple[_Words, _Words]:
        """Return colours that tell apart what the edges tell apart, and the given colours."""
        kinds = 0
        while True:
            now = len(np.unique(before)) + len(np.unique(after))
            if now == kinds:
                return before, after
            kinds = now
            for _ in range(4):
                after_next = _mixed(after, before[self.tails], self.heads)
                before = _mixed(before, after[self.heads], self.tails)
                after = after_next


def shapes(reads: int) -> Iterator[Offsets]:
    """Yield offsets of so many places on a line, in the plane and in space: intervals, boxes, stars, steps ahead.

    Examples
    --------
    >>> [sorted(offsets) for offsets in shapes(3)]
    [[(-1,), (0,), (1,)], [(0,), (1,), (2,)], [(0, 0), (0, 1), (1, 0)]]
    >>> len(list(shapes(9)))
    7
    """
    for back in range((reads - 1) // 2, -1, -1):
        yield frozenset((by,) for by in range(-back, reads - back))
    for axes in (2, 3):
        yield from dict.fromkeys(one for one in _known(axes) if len(one) == reads)


def _known(axes: int) -> Iterator[Offsets]:
    origin = (0,) * axes
    units = [tuple(int(at == axis) for at in range(axes)) for axis in range(axes)]
    yield frozenset([origin, *units])
    for far in (1, 2, 3):
        yield frozenset(tuple(by * x for x in unit) for unit in units for by in range(-far, far + 1))
    for ends in product(((0, 1), (-1, 0, 1), (-2, -1, 0, 1, 2)), repeat=axes):
        if list(map(len, ends)) == sorted(map(len, ends)):
            yield frozenset(product(*ends))
    cube = set(product((-1, 0, 1), repeat=axes))
    yield frozenset(place for place in cube if sum(map(abs, place)) <= 2)
    yield frozenset(place for place in cube if not {1, -1} <= set(place))


def places_of_two_rows(rows: TwoRows) -> tuple[StencilBox, list[Offset], list[Offset]] | None:
    """Return a lattice that has the same two rows, and the places of their vertices; None if none is found.

    Nothing is sure but that the numbers of vertices and edges agree: who uses the places has to look at the edges.
    """
    reads = int(np.bincount(rows.heads, minlength=1).max())
    lattices = list(islice(_lattices(rows, reads), _MOST_TRIALS)) if rows.hang_together() else []
    found = _colours_of(rows) if lattices else None
    for lattice, sides in lattices:
        places = _matched(rows, found, lattice, sides) if found else None
        if places is not None:
            return lattice, *places
    return None


def _lattices(rows: TwoRows, reads: int) -> Iterator[tuple[StencilBox, tuple[int, ...]]]:
    """Yield lattices whose rows have as many vertices and edges, and the sides of the second row."""
    for offsets in shapes(reads):
        axes = len(next(iter(offsets)))
        for sides in _sides(rows.after, axes):
            if rows.before == rows.after:
                for rings in product((False, True), repeat=axes):
                    if len(rows.heads) == sum(_edges(offset, sides, rings) for offset in offsets):
                        yield StencilBox(offsets, sides, rings), sides
            elif len(rows.heads) == rows.after * reads and rows.before <= _around(offsets, sides):
                yield StencilBox(offsets, (0,) * axes, (False,) * axes), sides


def _around(offsets: Offsets, sides: Sequence[int]) -> int:
    """Return the size of the least box with all that a box with these sides reads."""
    return prod(side + max(by) - min(by) for side, by in zip(sides, zip(*offsets, strict=True), strict=True))


def _edges(offset: Offset, sides: Sequence[int], rings: Sequence[bool]) -> int:
    return prod(
        side if ring else max(0, side - abs(by)) for by, side, ring in zip(offset, sides, rings, strict=True)
    )


def _sides(size: int, axes: int) -> Iterator[tuple[int, ...]]:
    """Yield the sides of boxes with so many places, in every order; no side is shorter than two."""
    if axes == 1:
        yield (size,)
        return
    for side in range(2, size // 2 + 1):
        if size % side == 0:
            yield from ((side, *others) for others in _sides(size // side, axes - 1))


def _matched(
    rows: TwoRows, found: tuple[_Words, _Words], lattice: StencilBox, sides: tuple[int, ...]
) -> tuple[list[Offset], list[Offset]] | None:
    """Return the places that vertices of equal colours have, one vertex after the other told apart from the rest."""
    after = list(product(*map(range, sides)))
    reads = [lattice.reads(place) for place in after]
    before = sorted(frozenset[Offset]().union(*reads))
    number = {place: at for at, place in enumerate(before)}
    model = TwoRows(
        np.array([number[place] for some in reads for place in some], dtype=np.int64),
        np.repeat(np.arange(len(after)), [len(some) for some in reads]),
        len(before),
        len(after),
    )
    if len(before) != rows.before or len(model.heads) != len(rows.heads):
        return None
    wanted, found = _colours_of(model), (found[0].copy(), found[1].copy())
    for step in range(1, 1 + max(_FEW_SINGLED_OUT, _MOST_EDGES // len(rows.heads))):
        if any(
            not np.array_equal(np.sort(one), np.sort(other)) for one, other in zip(found, wanted, strict=True)
        ):
            return None
        several = next((at for at in (1, 0) if len(np.unique(wanted[at])) < len(wanted[at])), None)
        if several is None:
            break
        colours, first, many = np.unique(wanted[several], return_index=True, return_counts=True)
        least = np.flatnonzero(many == many[many > 1].min())[0]
        place, vertex = first[least], np.flatnonzero(found[several] == colours[least])[0]
        for one, at in ((found, vertex), (wanted, place)):
            one[several][at] = _hash(np.array([step], dtype=np.uint64))[0]
        found, wanted = rows.colours(*found), model.colours(*wanted)
    else:
        return None
    return _in_order(before, found[0], wanted[0]), _in_order(after, found[1], wanted[1])


def _in_order(places: list[Offset], found: _Words, wanted: _Words) -> list[Offset]:
    """Return the place of each vertex, given the different colours of vertices and of places."""
    order = np.argsort(wanted)
    return [places[at] for at in order[np.searchsorted(wanted[order], found)].tolist()]


def _colours_of(rows: TwoRows) -> tuple[_Words, _Words]:
    return rows.colours(np.ones(rows.before, dtype=np.uint64), np.full(rows.after, 2, dtype=np.uint64))


def _mixed(own: _Words, others: _Words, at: _Ints) -> _Words:
    """Return new colours: of a vertex's own and of those of its neighbours, in no order."""
    total = np.zeros(len(own), dtype=np.uint64)
    np.add.at(total, at, _hash(others))
    return _hash(own * np.uint64(3) + total)


def _hash(words: _Words) -> _Words:
    """Return the words mixed up, as in splitmix64; overflow is meant."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31)) ^ np.uint64(0x9E3779B97F4A7C15)
