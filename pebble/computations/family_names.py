"""Names of a family's vertices, computed on demand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.computations.family import Family

__all__ = ["FamilyNames"]

_NAME = re.compile(r"([A-Za-z_]\w*)\[(\d+(?:,\d+)*)\]")


class FamilyNames:
    """The names of a family's vertices as a sequence that is computed on demand.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> names = matmul_family(2, 2, 2).names
    >>> names[8], names.index("C[0,0,0]")
    ('C[0,0,0]', 8)
    """

    def __init__(self, family: Family) -> None:
        self._family = family
        self._length = family.n_vertices
        self._starts = [family.offset(array.name) for array in family.arrays]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, vertex: int) -> str:
        if not 0 <= vertex < self._length:
            raise IndexError(vertex)
        place = bisect_right(self._starts, vertex) - 1
        array = self._family.arrays[place].name
        index = self._family.index_of(array, int(vertex) - self._starts[place])
        return f"{array}[{','.join(map(str, index))}]"

    def __iter__(self) -> Iterator[str]:
        return (self[vertex] for vertex in range(len(self)))

    def index(self, name: str) -> int:
        """Return the number of the vertex with this name; KeyError if there is none."""
        match = _NAME.fullmatch(name)
        if match is None or match.group(1) not in self._family:
            raise KeyError(name)
        try:
            return self._family.vertex(match.group(1), tuple(map(int, match.group(2).split(","))))
        except InvalidInput:
            raise KeyError(name) from None
