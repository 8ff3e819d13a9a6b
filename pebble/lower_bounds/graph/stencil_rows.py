"""Stencils over time found in a graph of any numbering: rows of vertices that read places of the row before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.graph.lattice_growth import Offset, StencilBox
from pebble.lower_bounds.graph.needed_part import Needed
from pebble.lower_bounds.graph.stencil_shapes import TwoRows, places_of_two_rows

__all__ = ["StencilRows", "checked", "stencil_rows"]

Row = dict[Offset, int]
"""The vertex at each place."""


@dataclass(frozen=True, eq=False)
class StencilRows:
    """Rows of vertices; each reads, in the row before, all places that the lattice says.

    Attributes
    ----------
    lattice : StencilBox
    rows : list of dict
        The first one holds inputs, others may hold some.
    is_input : array of bool
    """

    lattice: StencilBox
    rows: list[Row]
    is_input: NDArray[np.bool_]

    @cached_property
    def computed(self) -> int:
        """How many vertices the rows have that are no inputs."""
        return sum(not self.is_input[v] for row in self.rows for v in row.values())

    def not_read_on(self, part: Needed) -> int:
        """Return how many of them are no outputs, and not read by all places of the next row that the box says."""
        found = 0
        for row, after in zip(self.rows[1:], [*self.rows[2:], Row()], strict=True):
            computed = {place for place, v in after.items() if not part.is_input[v]}
            for place, v in row.items():
                known = part.is_output[v] or part.is_input[v]
                found += not known and not all(at in computed for at in self.lattice.read_by(place))
        return found


def stencil_rows(part: Needed) -> list[StencilRows]:
    """Return the rows of a stencil that a graph has from its inputs on, as many as can be told.

    Nothing if there are none; and twice if what lies beyond the ends is given as inputs: without ends as well.
    """
    layers = _longest_path_layers(part)
    best: StencilRows | None = None
    for at in sorted({1, 2, len(layers) // 2} & set(range(1, len(layers)))):
        if best is not None and best.computed == part.n - part.is_input.sum():
            break
        found = _from(part, layers, at)
        if found is not None and (best is None or found.computed > best.computed):
            best = found
    endless = None if best is None else _without_ends(part, best)
    return [one for one in (best, endless) if one is not None]


def _longest_path_layers(part: Needed) -> list[list[int]]:
    """Return the vertices by the length of the longest path to them."""
    depth, missing = [0] * part.n, [len(before) for before in part.predecessors]
    ready = deque(v for v in range(part.n) if not missing[v])
    rows: list[list[int]] = []
    while ready:
        v = ready.popleft()
        while len(rows) <= depth[v]:
            rows.append([])
        rows[depth[v]].append(v)
        for after in part.successors[v]:
            depth[after] = max(depth[after], depth[v] + 1)
            missing[after] -= 1
            if not missing[after]:
                ready.append(after)
    return rows


def _without_ends(part: Needed, found: StencilRows) -> StencilRows | None:
    """Return the rows with inputs beyond their ends, if all of them have these."""
    box = found.lattice
    if not box.has_sides or any(box.rings):
        return None
    endless = StencilBox(box.offsets, (0,) * box.axes, box.rings)
    placed = {v for row in found.rows for v in row.values()}
    inputs = {v for v in np.flatnonzero(part.is_input).tolist() if v not in placed}
    rows = [dict(row) for row in found.rows]
    for row, after in pairwise(rows):
        computed = {place: v for place, v in after.items() if not part.is_input[v]}
        users = set(computed.values())
        near = {p for v in users for p in part.predecessors[v] if p in inputs}
        here = {p for p in near if users.issuperset(part.successors[p])}
        beyond = _row_before(part, endless, computed, here)
        row.update({place: v for place, v in beyond.items() if place not in row})
    more = checked(part, endless, rows)
    return more if more is not None and more.computed == found.computed else None


def _from(part: Needed, layers: list[list[int]], at: int) -> StencilRows | None:
    """Return the rows around two layers that look like two rows of a stencil."""
    heads, inside = layers[at], set(layers[at - 1])
    edges = [(p, head) for head in range(len(heads)) for p in part.predecessors[heads[head]] if p in inside]
    tails = sorted({p for p, _ in edges})
    number = {p: place for place, p in enumerate(tails)}
    if len(heads) < 3 or not edges:
        return None
    two = TwoRows(
        np.array([number[p] for p, _ in edges]), np.array([head for _, head in edges]), len(tails), len(heads)
    )
    found = places_of_two_rows(two)
    if found is None:
        return None
    lattice, before, after = found
    rows = [dict(zip(before, tails, strict=True)), dict(zip(after, heads, strict=True))]
    for layer in reversed(layers[: at - 1]):
        rows.insert(0, _row_before(part, lattice, rows[0], set(layer)))
    for layer in layers[at + 1 :]:
        rows.append(_row_after(part, lattice, rows[-1], layer))
        if not rows[-1]:
            break
    return checked(part, lattice, rows)


def _row_after(part: Needed, lattice: StencilBox, row: Row, layer: list[int]) -> Row:
    """Return the places of vertices of a layer that read exactly what a place reads."""
    place_of = {v: place for place, v in row.items()}
    reading = _readers(lattice, place_of)
    found = Row()
    for v in layer:
        reads = frozenset(place_of[p] for p in part.predecessors[v] if p in place_of)
        place = reading.get(reads)
        if place is not None:
            found[place] = v
    return found


def _readers(lattice: StencilBox, place_of: dict[int, Offset]) -> dict[frozenset[Offset], Offset]:
    """Return the place that reads exactly such places of a row."""
    after = {there for place in place_of.values() for there in lattice.read_by(place)}
    return {lattice.reads(place): place for place in after}


def _row_before(part: Needed, lattice: StencilBox, row: Row, layer: set[int]) -> Row:
    """Return the places of vertices of a layer that are read by exactly what reads a place."""
    place_of = {v: place for place, v in row.items()}
    read_by: dict[Offset, set[int]] = {}
    for place, v in row.items():
        for there in lattice.reads(place):
            read_by.setdefault(there, set()).add(v)
    place_read_by = {frozenset(some): place for place, some in read_by.items()}
    found = Row()
    for p in sorted({p for v in row.values() for p in part.predecessors[v] if p in layer}):
        there_read = place_read_by.get(frozenset(v for v in part.successors[p] if v in place_of))
        if there_read is not None:
            found[there_read] = p
    return found


def checked(part: Needed, lattice: StencilBox, rows: list[Row]) -> StencilRows | None:
    """Return the rows without whatever is not as it has to be for the bound; None if nothing is left above the first.

    Nothing else of how the rows were found is used by the proof: inputs at the first one, each vertex in one place
    only, and for each vertex above that is no input an edge from every place that the lattice says it reads.
    """
    seen: set[int] = set()
    right = [_first(part, rows[0], seen)]
    for row in rows[1:]:
        right.append(dict(_right(part, lattice, row, right[-1], seen)))
        if not right[-1]:
            break
    found = StencilRows(lattice, [row for row in right if row], part.is_input)
    return found if len(found.rows) > 1 else None


def _first(part: Needed, row: Row, seen: set[int]) -> Row:
    found = Row()
    for place, v in row.items():
        if part.is_input[v] and v not in seen:
            seen.add(v)
            found[place] = v
    return found


def _right(
    part: Needed, lattice: StencilBox, row: Row, before: Row, seen: set[int]
) -> Iterator[tuple[Offset, int]]:
    """Yield the places and vertices that read all they have to in the row before."""
    for place, v in row.items():
        reads = {before.get(there, -1) for there in lattice.reads(place)}
        fits = part.is_input[v] or reads <= set(part.predecessors[v])
        if v not in seen and fits and _is_inside(lattice, place):
            seen.add(v)
            yield place, v


def _is_inside(lattice: StencilBox, place: Offset) -> bool:
    return not lattice.has_sides or lattice.at(place, (0,) * lattice.axes) == place
