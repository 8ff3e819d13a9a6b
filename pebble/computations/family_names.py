"""Names of a family's vertices, computed on demand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from pebble.common.errors import InvalidInput
from pebble.graph.names import NamedArray

__all__ = ["FamilyNames"]

_INDEX = "(?:0|[1-9][0-9]*)"
_NAME = re.compile(rf"([A-Za-z_]\w*)\[((?:{_INDEX}(?:,{_INDEX})*)?)\]")


class FamilyNames:
    """The names of a family's vertices as a sequence that is computed on demand.

    Parameters
    ----------
    offsets : mapping of str to int
        Number of the first vertex of every array.
    n_vertices : int
    index_of : callable
        Takes the name of an array and the number of a vertex in it; returns the vertex's index.
    vertex : callable
        Takes the name of an array and an index; returns the number of the vertex in the family.

    arrays : callable
        Returns the arrays, with the elements that are vertices.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> names = matmul_family(2, 2, 2).names
    >>> names[8], names.index("C[0,0,0]")
    ('C[0,0,0]', 8)
    """

    def __init__(
        self,
        offsets: Mapping[str, int],
        n_vertices: int,
        index_of: Callable[[str, int], tuple[int, ...]],
        vertex: Callable[[str, tuple[int, ...]], int],
        arrays: Callable[[], tuple[NamedArray, ...]],
    ) -> None:
        self._arrays, self._starts, self._length = list(offsets), list(offsets.values()), n_vertices
        self._index_of, self._vertex, self._make_arrays = index_of, vertex, arrays

    @cached_property
    def arrays(self) -> tuple[NamedArray, ...]:
        """The arrays whose elements these are, for reading and writing many names at a time."""
        return self._make_arrays()

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, vertex: int) -> str:
        if not 0 <= vertex < self._length:
            raise IndexError(vertex)
        place = bisect_right(self._starts, vertex) - 1
        array = self._arrays[place]
        index = self._index_of(array, int(vertex) - self._starts[place])
        return f"{array}[{','.join(map(str, index))}]"

    def __iter__(self) -> Iterator[str]:
        return (self[vertex] for vertex in range(len(self)))

    def index(self, name: str) -> int:
        """Return the number of the vertex with this name, written as it is written; KeyError if there is none."""
        match = _NAME.fullmatch(name)
        if match is None or match.group(1) not in self._arrays:
            raise KeyError(name)
        try:
            return self._vertex(
                match.group(1), tuple(int(part) for part in match.group(2).split(",") if part)
            )
        except InvalidInput:
            raise KeyError(name) from None
