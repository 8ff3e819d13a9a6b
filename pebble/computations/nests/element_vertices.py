"""The elements of an array of a loop nest: which vertex of which statement computes each, and which are inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.nests.points import affine_values
from pebble.computations.nests.statement import Access, LoopNest
from pebble.graph.names import NamedArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_PLACES = 2**62


class ElementVertices:
    """The elements of an array, numbered by their place in the box around all that are computed or read.

    Parameters
    ----------
    name : str
    nest : LoopNest
    points : sequence of ndarray
        The points of every statement.

    Attributes
    ----------
    inputs : ndarray of int64
        Places of the elements that are read and not computed, ascending.
    """

    def __init__(self, name: str, nest: LoopNest, points: Sequence[NDArray[np.int64]]) -> None:
        self.name, self._nest = name, nest
        self._low, self._shape = _box(name, nest, points)
        self._write_places = {
            number: self._places(one.target, number, points[number])
            for number, one in enumerate(nest.statements)
            if one.target.array == name
        }
        self._read_places = {
            (number, at): self._places(access, number, points[number])
            for number, one in enumerate(nest.statements)
            for at, access in enumerate(one.reads)
            if access.array == name
        }
        self._chain()
        self._find_inputs()

    def _places(self, access: Access, number: int, points: NDArray[np.int64]) -> NDArray[np.int64]:
        indices = self._nest.statements[number].indices
        found = np.zeros(len(points), dtype=np.int64)
        for place, low, extent in zip(access.places, self._low, self._shape, strict=True):
            found *= extent
            found += affine_values(place, indices, points) - low
        return found

    def _index(self, places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the indices of places, a column for each axis."""
        columns = []
        for low, extent in zip(reversed(self._low), reversed(self._shape), strict=True):
            above = places // extent
            columns.append(places - above * extent + low)
            places = above
        return columns[::-1]

    def _chain(self) -> None:
        """Find for each write the one before it to the same element, and the last write of every element."""
        writes = _joined(list(self._write_places.values()))
        order = np.argsort(writes, kind="stable")
        ordered = writes[order]
        again = np.zeros(len(writes), dtype=np.bool_)
        np.equal(ordered[1:], ordered[:-1], out=again[1:])
        self._before = np.full(len(writes), -1, dtype=np.int64)
        self._before[order[again]] = order[np.flatnonzero(again) - 1]
        last = np.ones(len(writes), dtype=np.bool_)
        last[:-1] = ~again[1:]
        self._computed, self._last = ordered[last], order[last]
        self._check_once()

    def _check_once(self) -> None:
        begin = 0
        for number, places in self._write_places.items():
            twice = np.flatnonzero(self._before[begin : begin + len(places)] >= 0)
            if len(twice) and not self._nest.statements[number].adds:
                index = ",".join(str(int(column[0])) for column in self._index(places[twice[:1]]))
                raise InvalidInput(
                    f"{self._nest.statements[number]}: {self.name}[{index}] is already computed; = "
                    "computes each element once: give its earlier values another name or one more index"
                )
            begin += len(places)

    def _find_inputs(self) -> None:
        self._ranks: dict[tuple[int, int], NDArray[np.int64]] = {}
        read = np.zeros(len(self._computed), dtype=np.bool_)
        missing = []
        for key, places in self._read_places.items():
            rank = _ranks(self._computed, places)
            self._ranks[key] = rank
            read[rank[rank >= 0]] = True
            missing.append(np.unique(places[rank < 0]))
        self.inputs = np.unique(_joined(missing))
        self._unread = ~read

    def number(self, first_input: int, first: Sequence[int]) -> None:
        """Set the number of the first input, and of the first vertex of every statement."""
        self._first_input = first_input
        vertices = _joined(
            [
                np.arange(first[number], first[number] + len(places), dtype=np.int64)
                for number, places in self._write_places.items()
            ]
        )
        self._vertex_before = (
            np.where(self._before >= 0, vertices[self._before], -1) if len(vertices) else vertices
        )
        self.finals = vertices[self._last]

    @property
    def unread(self) -> NDArray[np.int64]:
        """The last vertices of the elements that nothing reads."""
        return self.finals[self._unread]

    def before(self, number: int) -> NDArray[np.int64]:
        """Return for each point of a statement the vertex of the same element before it; −1 for none."""
        begin = 0
        for other, places in self._write_places.items():
            if other == number:
                return self._vertex_before[begin : begin + len(places)]
            begin += len(places)
        raise KeyError(number)

    def read(self, number: int, at: int) -> NDArray[np.int64]:
        """Return for each point of a statement the vertex that one of its reads means."""
        rank = self._ranks[number, at]
        found = np.empty(len(rank), dtype=np.int64)
        known = rank >= 0
        found[known] = self.finals[rank[known]]
        found[~known] = self._first_input + np.searchsorted(
            self.inputs, self._read_places[number, at][~known]
        )
        return found

    def input_block(self) -> NamedArray:
        """Return the inputs with their names."""
        return named_block(self.name, self._first_input, self._index(self.inputs), len(self.inputs))


def _joined(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _ranks(places: NDArray[np.int64], asked: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each asked place stands among ascending places; −1 for those that do not."""
    if not len(places):
        return np.full(len(asked), -1, dtype=np.int64)
    rank = np.minimum(np.searchsorted(places, asked), len(places) - 1)
    return np.where(places[rank] == asked, rank, -1)


def _box(
    name: str, nest: LoopNest, points: Sequence[NDArray[np.int64]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the least index along each axis of an array, and how many there are from it to the greatest."""
    least: list[int] | None = None
    greatest: list[int] = []
    for number, one in enumerate(nest.statements):
        for access in (one.target, *one.reads):
            if access.array != name or not len(points[number]):
                continue
            values = [affine_values(place, one.indices, points[number]) for place in access.places]
            low, high = [int(value.min()) for value in values], [int(value.max()) for value in values]
            least = low if least is None else list(map(min, least, low))
            greatest = high if not greatest else list(map(max, greatest, high))
    rank = next(
        len(access.places)
        for one in nest.statements
        for access in (one.target, *one.reads)
        if access.array == name
    )
    if least is None:
        return (0,) * rank, (1,) * rank
    shape = tuple(high - low + 1 for low, high in zip(least, greatest, strict=True))
    size = 1
    for extent in shape:
        size *= extent
    if size >= _MOST_PLACES:
        raise InvalidInput(f"the subscripts of {name} are too far apart to number its elements")
    return tuple(least), shape


def named_block(label: str, first: int, columns: Sequence[NDArray[np.int64]], length: int) -> NamedArray:
    """Return vertices as elements of an array, from their indices, one column for each axis."""
    low = tuple(min(0, int(column.min(initial=0))) for column in columns)
    shape = tuple(int(column.max(initial=0)) - least + 1 for column, least in zip(columns, low, strict=True))
    places = np.zeros(length, dtype=np.int64)
    size = 1
    for column, least, extent in zip(columns, low, shape, strict=True):
        size *= extent
        if size >= _MOST_PLACES:
            raise InvalidInput(f"the subscripts of {label} are too far apart to number its elements")
        places = places * extent + (column - least)
    return NamedArray(label, shape, first, places, low)
