"""Lines of moves on elements of arrays, read many at a time: a block of bytes becomes columns of numbers.

How a block is read without looking at one line after the other. The brackets, commas and line ends are found first; a
line is then a bracket, its commas, a bracket and a line end, wherever it stands. What is before the first bracket,
``load Q`` or ``compute S``, is one of few texts: its last eight bytes, taken as one number, tell which, and the rest is
compared. An index is the bytes before a comma or bracket, again taken as one number, whose digits are put together two
by two, and so on: numbers of four bytes where that is enough, else of eight. Everything that was assumed on the way is
tested. If any line of a block is not written exactly as :mod:`pebble.game.files.writer` writes it, or names no element,
the block is left to the reader of single lines, which accepts more and explains what it does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.game.files.array_text import short_arrays
from pebble.game.moves import Moves, Op
from pebble.graph.names import NamedArray, VertexNames

__all__ = ["PIECE", "ArrayLines"]

PIECE = 1 << 18
"""Letters to be read at a time: few enough for the columns to stay in a processor's cache."""

_Ints = NDArray[np.int64]
_Words = NDArray[np.uint64]
_BEFORE = b"#############]\n"
"""Stands before a block, so that its first line is preceded by what every other line is preceded by."""
_AFTER = b"########"
_OPENING, _COMMA, _CLOSING, _LINE_END = b"[,]\n"
_HASH_BITS = 12
_MOST_ARRAYS = 32
_MOST_DIGITS = 7
_LONGEST_HEAD = 12


class ArrayLines:
    r"""What lines of moves look like where all vertices are elements of arrays.

    Parameters
    ----------
    arrays : sequence of NamedArray
        With short names, see :meth:`of`.

    Examples
    --------
    >>> lines = ArrayLines([NamedArray("A", (2, 3), 0), NamedArray("dB", (4,), 6)])
    >>> lines.moves("load A[1,2]\ncompute dB[3]\n")
    Moves(op=[0, 2], vertex=[5, 9])
    >>> lines.moves("load A[1,3]\n") is None, lines.moves("load  A[1,2]\n") is None
    (True, True)
    """

    def __init__(self, arrays: Sequence[NamedArray]) -> None:
        self._arrays = arrays
        self._dense = all(array.places is None for array in arrays)
        self._first = np.array([array.first for array in arrays], dtype=np.int64)
        self._n_axes = np.array([len(array.shape) for array in arrays], dtype=np.int64)
        most = int(self._n_axes.max())
        shapes = [array.shape + (0,) * (most - len(array.shape)) for array in arrays]
        self._extents = [np.array(column, dtype=np.int64) for column in zip(*shapes, strict=True)]
        heads = [
            (f"{op.word} {array.name}".encode("ascii"), op, number)
            for number, array in enumerate(arrays)
            for op in Op
            if op != Op.SLIDE
        ]
        self._factor, places = _perfect_hash([_number((_BEFORE + head)[-8:]) for head, _, _ in heads])
        size = 1 << _HASH_BITS
        self._last_bytes, self._first_bytes = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
        self._head_length, self._n_marks = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self._op, self._array = np.zeros(size, np.int8), np.zeros(size, np.int64)
        for (head, op, number), place in zip(heads, places, strict=True):
            self._last_bytes[place] = _number((_BEFORE + head)[-8:])
            self._first_bytes[place] = _number(head[:4])
            self._head_length[place] = len(head)
            self._n_marks[place] = len(arrays[number].shape) + 1
            self._op[place], self._array[place] = op, number

    @classmethod
    def of(cls, names: VertexNames) -> ArrayLines | None:
        """Return how moves on these vertices are written, or None if they are not elements of arrays.

        There must be few arrays, with names of at most four ASCII letters and indices of at most seven digits.
        """
        arrays = short_arrays(names, _LONGEST_HEAD - len("compute "), 10**_MOST_DIGITS)
        return None if arrays is None or len(arrays) > _MOST_ARRAYS else cls(arrays)

    def moves(self, text: str) -> Moves | None:
        """Read whole lines; None if any of them is not exactly an operation, a blank and an element that exists."""
        if not text.isascii():
            return None
        block = np.frombuffer(_BEFORE + text.encode("ascii") + _AFTER, dtype=np.uint8)
        marks = np.flatnonzero(_is_mark(block[len(_BEFORE) : -len(_AFTER)]))
        marks += len(_BEFORE)
        kinds = block[marks]
        ends = np.flatnonzero(kinds == _LINE_END)
        if not len(ends) or marks[-1] != len(block) - len(_AFTER) - 1:
            return None
        firsts = np.empty_like(ends)
        firsts[0], firsts[1:] = 0, ends[:-1] + 1
        openings = marks[firsts]
        head = self._heads(block, marks, openings, firsts, ends)
        if head is None or not _in_order(kinds, marks, firsts, ends):
            return None
        array = self._array[head]
        place = self._places(block, marks, openings, firsts, array)
        if place is None:
            return None
        vertex = self._vertices(array, place)
        return None if vertex is None else Moves(self._op[head], vertex)

    def _vertices(self, array: _Ints, place: _Ints) -> _Ints | None:
        """Return the vertices at places of arrays; None if one of them is none."""
        if self._dense:
            return place + self._first[array]
        vertex = np.empty(len(place), dtype=np.int64)
        for number in np.flatnonzero(np.bincount(array)).tolist():
            lines = np.flatnonzero(array == number)
            found = self._arrays[number].vertices(place[lines])
            if found is None:
                return None
            vertex[lines] = found
        return vertex

    def _heads(
        self, block: NDArray[np.uint8], marks: _Ints, openings: _Ints, firsts: _Ints, ends: _Ints
    ) -> _Ints | None:
        """Return, for each line, which operation on which array it is; None if one is none."""
        begins = np.empty_like(openings)
        begins[0], begins[1:] = len(_BEFORE), marks[ends[:-1]] + 1
        last_bytes = _eight_bytes(block)[openings - 8]
        head = (last_bytes * self._factor >> np.uint64(64 - _HASH_BITS)).view(np.int64)
        right = self._last_bytes[head] == last_bytes
        right &= self._head_length[head] == openings - begins
        right &= self._n_marks[head] == ends - firsts
        right &= self._first_bytes[head] == _four_bytes(block)[begins]
        return head if right.all() else None

    def _places(
        self, block: NDArray[np.uint8], marks: _Ints, openings: _Ints, firsts: _Ints, array: _Ints
    ) -> _Ints | None:
        """Return the row-major number of the element that each line names; None if one of them names none."""
        place = np.zeros(len(firsts), dtype=np.int64)
        n_axes = self._n_axes[array]
        least, most = int(n_axes.min()), int(n_axes.max())
        some: _Ints | slice = slice(None)
        known, step, before = array, firsts + 1, openings
        for axis in range(most):
            if axis >= least:
                some = np.flatnonzero(n_axes > axis)
                known, step, before = array[some], firsts[some] + (axis + 1), marks[firsts[some] + axis]
            elif axis:
                step += 1
            after = marks[step]
            index = _indices(block, before, after)
            extent = self._extents[axis][known]
            if index is None or not (index < extent).all():
                return None
            if axis:
                index += place[some] * extent
            place[some] = index
            before = after
        return place


def _in_order(kinds: NDArray[np.uint8], marks: _Ints, firsts: _Ints, ends: _Ints) -> bool:
    """Tell whether every line has a bracket, commas, a bracket, and its end right behind."""
    last = ends - 1
    return bool(
        (kinds[firsts] == _OPENING).all()
        and (kinds[last] == _CLOSING).all()
        and np.count_nonzero(kinds == _COMMA) == len(marks) - 3 * len(ends)
        and (marks[last] + 1 == marks[ends]).all()
    )


def _is_mark(block: NDArray[np.uint8]) -> NDArray[np.bool_]:
    marks: NDArray[np.bool_] = block == _COMMA
    for other in (_OPENING, _CLOSING, _LINE_END):
        marks |= block == other
    return marks


class _Digits:
    """Decimal numbers before a mark, as numbers of so many bytes; one byte is for the mark."""

    def __init__(self, width: int, word: type[np.unsignedinteger[Any]]) -> None:
        every = (1 << 8 * width) - 1
        self.most = width - 1
        self._word, ones = word, every // 255
        self._width = width
        self._zeros, self._above_nine, self._high = (word(ones * byte) for byte in (0x30, 0x76, 0x80))
        self._kept = np.array([(every << 8 * (width - n)) & every for n in range(width)], dtype=word)
        self._least = np.array([0, 0, *(10**n for n in range(1, width - 1))], dtype=word)
        together = [n for n in (1, 2, 4) if n < width]  # so many digits are put together with as many
        self._rounds = [
            (word(10**n), word(8 * n), word(every // ((1 << 16 * n) - 1) * ((1 << 8 * n) - 1)))
            for n in together
        ]

    def indices(self, block: NDArray[np.uint8], length: _Ints, after: _Ints) -> _Ints | None:
        """Return the numbers of some lengths that end before some marks; None if one is none."""
        width = self._width
        text = np.ndarray((len(block) - width + 1,), self._word, block, 0, (1,))[after - (width - 1)]
        text <<= self._word(8)
        text ^= self._zeros
        text &= self._kept[length]
        wrong = text + self._above_nine
        wrong |= text
        if np.bitwise_or.reduce(wrong) & self._high:
            return None
        for factor, shift, mask in self._rounds:
            upper = text >> shift
            text *= factor
            text += upper
            text &= mask
        return text.astype(np.int64) if (text >= self._least[length]).all() else None


_SHORT, _LONG = _Digits(4, np.uint32), _Digits(8, np.uint64)


def _indices(block: NDArray[np.uint8], before: _Ints, after: _Ints) -> _Ints | None:
    """Return the numbers between two marks of each line."""
    length = after - before
    length -= 1
    longest = int(length.max())
    if length.min() < 1 or longest > _MOST_DIGITS:
        return None
    return (_SHORT if longest <= _SHORT.most else _LONG).indices(block, length, after)


def _eight_bytes(block: NDArray[np.uint8]) -> _Words:
    """Return the numbers that eight bytes from each place on are, the first byte the lowest."""
    return np.ndarray((len(block) - 7,), "<u8", block, 0, (1,))


def _four_bytes(block: NDArray[np.uint8]) -> NDArray[np.uint32]:
    return np.ndarray((len(block) - 3,), "<u4", block, 0, (1,))


def _number(text: bytes) -> int:
    return int.from_bytes(text, "little")


def _perfect_hash(numbers: list[int]) -> tuple[np.uint64, list[int]]:
    """Find a factor whose products with some numbers of 64 bits differ in their highest bits."""
    for seed in itertools.count():
        factor = int(np.random.default_rng(seed).integers(1 << 63)) * 2 + 1
        places = [(number * factor & 0xFFFFFFFFFFFFFFFF) >> (64 - _HASH_BITS) for number in numbers]
        if len(set(places)) == len(places):
            return np.uint64(factor), places
    raise AssertionError
