"""Reading and writing names of elements of arrays row by row: ``S[1,0,3]`` is the head ``S[1,0`` and the tail ``3]``.

A head is looked up once for all elements of its row, and a tail is a word of few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.graph.names import NamedArray, VertexNames

_HEAD = re.compile(r"([A-Za-z_]\w*)\[((?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*))*)", re.ASCII)
_MOST = 1 << 18

_Tails: TypeAlias = dict[str, int]


class _Heads(dict[int, str]):
    """The heads of the rows of an array, each with the comma or bracket before the last index."""

    def __init__(self, array: NamedArray) -> None:
        super().__init__()
        self._name, self._shape = array.name, array.shape[:-1]

    def __missing__(self, row: int) -> str:
        if len(self) >= _MOST:
            self.clear()
        index = np.unravel_index(row, self._shape) if self._shape else ()
        self[row] = f"{self._name}[{''.join(f'{i},' for i in index)}"
        return self[row]


class ArrayRows:
    """The names of vertices and the vertices of names, where all vertices are elements of arrays.

    Parameters
    ----------
    names : VertexNames
    arrays : sequence of NamedArray
        What they are made of, each with an index at least.

    Notes
    -----
    Memory: a number for each of the last 262,144 rows, and a table for each set of elements that a row may have.
    """

    @classmethod
    def of(cls, names: VertexNames) -> ArrayRows | None:
        """Return the rows of names; None if these are not all of elements of arrays."""
        arrays: Sequence[NamedArray] | None = getattr(names, "arrays", None)
        return cls(names, arrays) if arrays and all(array.shape for array in arrays) else None

    def __init__(self, names: VertexNames, arrays: Sequence[NamedArray]) -> None:
        self._slow = lru_cache(_MOST)(names.index)
        self._arrays = {array.name: array for array in arrays}
        self._first = np.array([array.first for array in arrays], dtype=np.int64)
        self._heads = {array.name: _Heads(array) for array in arrays}
        self._rows: dict[str, tuple[int, _Tails]] = {}
        self._tails: dict[int | bytes, _Tails] = {}

    def vertices(self, names: Iterable[str]) -> Iterator[int]:
        """Yield the vertices of names; KeyError if one has none, or is not written as files write it."""
        known = self._rows.get
        for name in names:
            head, comma, tail = name.rpartition(",")
            if comma:
                first, tails = known(head) or self._row(head)
                yield first + tails[tail]
            else:
                yield self._slow(name)

    def names(self, vertices: NDArray[np.int64]) -> list[str]:
        """Return the names of vertices."""
        found = np.empty(len(vertices), dtype=object)
        owner = np.searchsorted(self._first, vertices, side="right") - 1
        for number, array in enumerate(self._arrays.values()):
            own = np.flatnonzero(owner == number)
            if len(own):
                rows, last = np.divmod(array.elements(vertices[own]), array.shape[-1])
                heads = self._heads[array.name]
                found[own] = [
                    f"{heads[row]}{k}]" for row, k in zip(rows.tolist(), last.tolist(), strict=True)
                ]
        texts: list[str] = found.tolist()
        return texts

    def _row(self, head: str) -> tuple[int, _Tails]:
        """Return the first vertex of a row, and of each tail which vertex of the row it is."""
        match = _HEAD.fullmatch(head)
        array = None if match is None else self._arrays.get(match[1])
        if match is None or array is None:
            raise KeyError(head)
        index = [int(one) for one in match[2].split(",")]
        *shape, extent = array.shape
        if len(index) != len(shape) or any(i >= n for i, n in zip(index, shape, strict=True)):
            raise KeyError(head)
        place = 0
        for i, n in zip(index, shape, strict=True):
            place = place * n + i
        first = place * extent
        there: Sequence[int] = range(extent)
        pattern: int | bytes = extent
        if array.places is not None:
            low, high = np.searchsorted(array.places, (first, first + extent)).tolist()
            found = array.places[low:high] - first
            first, there, pattern = low, found.tolist(), found.tobytes()
        if len(self._rows) >= _MOST:
            self._rows.clear()
            self._tails.clear()
        tails = self._tails.setdefault(pattern, {})
        if not tails:
            tails.update((f"{k}]", at) for at, k in enumerate(there))
        self._rows[head] = array.first + first, tails
        return self._rows[head]
