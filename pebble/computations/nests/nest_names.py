"""Names of the vertices of a loop nest: ``C[0,1,2]``, an element's places and then the indices of its sum."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.graph.names import NamedArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NamedBlock", "NestNames", "named_block"]

_INDEX = "(?:0|-?[1-9][0-9]*)"
_NAME = re.compile(rf"(\w+(?:@\d+)?)\[((?:{_INDEX}(?:,{_INDEX})*)?)\]", re.ASCII)


@dataclass(frozen=True, eq=False)
class NamedBlock:
    """Vertices with numbers in a row whose names share what stands before the bracket and the number of indices.

    Parameters
    ----------
    label : str
    low, shape : tuple of int
        The least index along each axis, and how many there are.
    first : int
        Number of the first vertex.
    places : ndarray of int64
        Row-major place within ``shape`` of every vertex, in the order of the vertices.
    """

    label: str
    low: tuple[int, ...]
    shape: tuple[int, ...]
    first: int
    places: NDArray[np.int64]

    @cached_property
    def ascending(self) -> bool:
        """Whether the vertices stand in the order of their places."""
        return not bool(np.any(self.places[1:] <= self.places[:-1]))

    @cached_property
    def _by_place(self) -> NDArray[np.int64] | None:
        return None if self.ascending else np.argsort(self.places, kind="stable")

    def index(self, number: int) -> tuple[int, ...]:
        """Return the indices of a vertex, given by its number in the block."""
        place, found = int(self.places[number]), []
        for low, extent in zip(reversed(self.low), reversed(self.shape), strict=True):
            place, at = divmod(place, extent)
            found.append(low + at)
        return tuple(reversed(found))

    def number(self, index: Sequence[int]) -> int | None:
        """Return the number in the block of the vertex with these indices; None if there is none."""
        place = 0
        for at, low, extent in zip(index, self.low, self.shape, strict=True):
            if not low <= at < low + extent:
                return None
            place = place * extent + at - low
        rank = int(np.searchsorted(self.places, place, sorter=self._by_place))
        number = rank if self._by_place is None or rank == len(self.places) else int(self._by_place[rank])
        return number if rank < len(self.places) and self.places[number] == place else None


def named_block(label: str, first: int, columns: Sequence[NDArray[np.int64]], length: int) -> NamedBlock:
    """Return a block of vertices from their indices, one column for each axis.

    Raises
    ------
    InvalidInput
        If the indices lie so far apart that their places cannot be numbered.
    """
    low = tuple(min(0, int(column.min(initial=0))) for column in columns)
    shape = tuple(int(column.max(initial=0)) - least + 1 for column, least in zip(columns, low, strict=True))
    places = np.zeros(length, dtype=np.int64)
    size = 1
    for column, least, extent in zip(columns, low, shape, strict=True):
        size *= extent
        if size >= 2**62:
            raise InvalidInput(f"the subscripts of {label} are too far apart to number its elements")
        places = places * extent + (column - least)
    return NamedBlock(label, low, shape, first, places)


class NestNames:
    """The names of the vertices of a loop nest, computed on demand.

    Parameters
    ----------
    blocks : sequence of NamedBlock
        In the order of their vertices; no name is in two of them.
    """

    def __init__(self, blocks: Sequence[NamedBlock]) -> None:
        self.blocks = tuple(blocks)
        self._starts = [block.first for block in self.blocks]
        self._length = sum(len(block.places) for block in self.blocks)
        self._found: dict[tuple[str, int], list[NamedBlock]] = {}
        for block in self.blocks:
            self._found.setdefault((block.label, len(block.shape)), []).append(block)

    @cached_property
    def arrays(self) -> tuple[NamedArray, ...] | None:
        """The blocks as arrays, for reading and writing many names at a time; None if they are not written so."""
        labels = {block.label for block in self.blocks}
        plain = all(block.ascending and not any(block.low) for block in self.blocks)
        if not plain or len(labels) < len(self.blocks):
            return None
        return tuple(NamedArray(block.label, block.shape, block.first, block.places) for block in self.blocks)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, vertex: int) -> str:
        if not 0 <= vertex < self._length:
            raise IndexError(vertex)
        block = self.blocks[bisect_right(self._starts, vertex) - 1]
        return f"{block.label}[{','.join(map(str, block.index(int(vertex) - block.first)))}]"

    def __iter__(self) -> Iterator[str]:
        return (self[vertex] for vertex in range(len(self)))

    def index(self, name: str) -> int:
        """Return the vertex of a name, written as it is written; KeyError if there is none."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise KeyError(name)
        index = [int(part) for part in match[2].split(",") if part]
        for block in self._found.get((match[1], len(index)), []):
            number = block.number(index)
            if number is not None:
                return block.first + number
        raise KeyError(name)
