"""Moves on elements of arrays as text, many lines at a time.

Every part of a line, ``compute ``, ``S[``, ``12,``, ``3]`` and the line end, has at most eight letters. It is looked up
in a table of numbers of eight bytes, so that a block of lines is a matrix of such numbers; taking the zero bytes out of
it leaves the text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pebble.game.moves import Moves, Op
from pebble.graph.names import NamedArray, VertexNames

__all__ = ["ArrayText"]

_MOST_LETTERS = 8
_LARGEST_EXTENT = 10**5


class ArrayText:
    r"""How moves are written where all vertices are elements of arrays.

    Parameters
    ----------
    arrays : sequence of NamedArray
        In the order of their vertices; with short names and small extents, see :meth:`of`.

    Examples
    --------
    >>> text = ArrayText([NamedArray("A", (2, 12), 0), NamedArray("dB", (4,), 24)])
    >>> text.lines(Moves([0, 2], [23, 27]))
    'load A[1,11]\ncompute dB[3]\n'
    """

    def __init__(self, arrays: Sequence[NamedArray]) -> None:
        self._arrays = arrays
        self._first = np.array([array.first for array in arrays], dtype=np.int64)
        self._words = _numbers([f"{op.word} " for op in Op])
        self._names = _numbers([f"{array.name}[" for array in arrays])
        largest = max(max(array.shape) for array in arrays)
        self._before_comma = _numbers([f"{index}," for index in range(largest)])
        self._last = _numbers([f"{index}]\n" for index in range(largest)])
        self._most_axes = max(len(array.shape) for array in arrays)

    @classmethod
    def of(cls, names: VertexNames) -> ArrayText | None:
        """Return how moves on these vertices are written, or None if they are not elements of arrays.

        Names must be of at most seven ASCII letters, and no extent above a hundred thousand.
        """
        arrays: Sequence[NamedArray] | None = getattr(names, "arrays", None)
        fitting = arrays is not None and all(
            one.name.isascii()
            and len(one.name) < _MOST_LETTERS
            and one.shape
            and max(one.shape) <= _LARGEST_EXTENT
            for one in arrays
        )
        return cls(arrays) if arrays is not None and fitting else None

    def lines(self, moves: Moves) -> str:
        """Return the lines of moves that exist and are no slides, each with its end."""
        parts = np.zeros((len(moves), 2 + self._most_axes), dtype="<u8")
        parts[:, 0] = self._words[moves.op]
        array = np.searchsorted(self._first, moves.vertex, side="right") - 1
        parts[:, 1] = self._names[array]
        for number in np.flatnonzero(np.bincount(array)).tolist():
            rows = np.flatnonzero(array == number)
            self._indices(self._arrays[number], moves.vertex[rows], parts, rows)
        return parts.tobytes().translate(None, b"\0").decode("ascii")

    def _indices(
        self,
        array: NamedArray,
        vertices: NDArray[np.int64],
        parts: NDArray[np.uint64],
        rows: NDArray[np.int64],
    ) -> None:
        """Fill in the indices of the elements of one array, the last one first."""
        place, texts = array.elements(vertices), self._last
        for axis in range(len(array.shape) - 1, -1, -1):
            place, index = np.divmod(place, array.shape[axis]) if axis else (place, place)
            parts[rows, 2 + axis] = texts[index]
            texts = self._before_comma


def _numbers(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return texts of at most eight letters as numbers of eight bytes, the first letter the lowest."""
    return np.array([text.encode("ascii") for text in texts], dtype=f"S{_MOST_LETTERS}").view("<u8")
