"""Reading names of elements of arrays row by row: ``S[1,0,3]`` is the head ``S[1,0`` and the tail ``3]``.

A head is looked up once for all elements of its row, and a tail is a word of few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from pebble.graph.names import NamedArray, VertexNames

__all__ = ["ArrayRows"]

_HEAD = re.compile(r"([A-Za-z_]\w*)\[((?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*))*)", re.ASCII)
_MOST = 1 << 18

_Tails: TypeAlias = dict[str, int]


class ArrayRows:
    """The vertices of names of elements, where all vertices are elements of arrays.

    Parameters
    ----------
    names : VertexNames
        They have the attribute ``arrays``.

    Notes
    -----
    Memory: a number for each of the last 262,144 rows, and a table for each set of elements that a row may have.
    """

    def __init__(self, names: VertexNames, arrays: Sequence[NamedArray]) -> None:
        self._slow = lru_cache(_MOST)(names.index)
        self._arrays = {array.name: array for array in arrays}
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
