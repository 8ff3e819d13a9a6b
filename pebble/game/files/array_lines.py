"""Lines of moves on elements of arrays, read many at a time: a block of bytes becomes columns of numbers.

How a block is read without looking at one line after the other. The brackets, commas and line ends are found first; a
line is then a bracket, its commas, a bracket and a line end, wherever it stands. What is before the first bracket,
``load Q`` or ``compute S``, is one of few texts: its last eight bytes, taken as one number, tell which, and the rest is
compared. An index is the bytes before a comma or bracket, again taken as one number, whose digits are put together two
by two, four by four and all eight. Everything that was assumed on the way is tested. If any line of a block is not
written exactly as :mod:`pebble.game.files.writer` writes it, or names no element, the block is left to the reader of
single lines, which accepts more and explains what it does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pebble.game.files.compiled_lines import PADDING, line_kernel_after
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
_SHORTEST, _USUAL = len("load Q[0]\n"), len("compute S[12,3,4]\n")
_ZEROS = np.uint64(0x3030303030303030)
_ABOVE_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_KEPT = np.array(
    [(0xFFFFFFFFFFFFFFFF << 8 * (8 - n)) & 0xFFFFFFFFFFFFFFFF for n in range(8)], dtype=np.uint64
)
_LEAST = np.array([0, 0, *(10**n for n in range(1, _MOST_DIGITS))], dtype=np.int64)
_PAIRS, _FOURS, _EIGHT = (np.uint64(mask) for mask in (0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0xFFFFFFFF))


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
        self._seen, self._work_space = 0, np.empty((2, 0), dtype=np.int64)
        words = "".join(f"{op.word} " for op in Op if op != Op.SLIDE).encode("ascii")
        self._grammar = (
            np.frombuffer(words, dtype=np.uint8),
            np.array([0, *(at + 1 for at, letter in enumerate(words) if letter == ord(" "))], dtype=np.int64),
            np.array(
                [int.from_bytes(array.name.encode("ascii"), "big") for array in arrays], dtype=np.uint64
            ),
        )
        axes = range(int(self._n_axes.max()))
        shapes = [array.shape + (0,) * (len(axes) - len(array.shape)) for array in arrays]
        self._all_extents = np.array(shapes, dtype=np.int64)
        self._extents = [self._all_extents[:, axis].copy() for axis in axes]
        self._marks = [np.where(self._n_axes == axis + 1, _CLOSING, _COMMA).astype(np.uint8) for axis in axes]
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
        arrays: Sequence[NamedArray] | None = getattr(names, "arrays", None)
        if arrays is None or len(arrays) > _MOST_ARRAYS:
            return None
        longest = _LONGEST_HEAD - len("compute ")
        fitting = all(
            array.name.isascii()
            and len(array.name) <= longest
            and array.shape
            and max(array.shape) <= 10**_MOST_DIGITS
            for array in arrays
        )
        return cls(arrays) if fitting else None

    def moves(self, text: str) -> Moves | None:
        """Read whole lines; None if any of them is not exactly an operation, a blank and an element that exists."""
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        if not text.isascii():
            return None
        self._seen += len(text) // _USUAL
        kernel = line_kernel_after(self._seen)
        return self._read(text) if kernel is None else self._read_compiled(text, kernel)

    def _read_compiled(self, text: str, kernel: Callable[..., int]) -> Moves | None:
        most = len(text) // _SHORTEST + 1
        if most > len(self._work_space[0]):
            self._work_space = np.empty((2, most), dtype=np.int64)
        op, (array, place) = np.empty(most, dtype=np.int8), self._work_space
        block = np.frombuffer(text.encode("ascii") + PADDING, dtype=np.uint8)
        n = kernel(block, *self._grammar, self._n_axes, self._all_extents, op, array, place)
        vertex = None if n < 1 else self._vertices(array[:n], place[:n])
        return None if vertex is None else Moves(op[:n], vertex)

    def _read(self, text: str) -> Moves | None:
        block = np.frombuffer(_BEFORE + text.encode("ascii") + _AFTER, dtype=np.uint8)
        marks = np.flatnonzero(_is_mark(block[len(_BEFORE) : -len(_AFTER)]))
        marks += len(_BEFORE)
        ends = np.flatnonzero(block[marks] == _LINE_END)
        if not len(ends) or marks[-1] != len(block) - len(_AFTER) - 1:
            return None
        firsts = np.empty_like(ends)
        firsts[0], firsts[1:] = 0, ends[:-1] + 1
        head = self._heads(block, marks, firsts, ends)
        if head is None:
            return None
        array = self._array[head]
        place = self._places(block, marks, firsts, array)
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

    def _heads(self, block: NDArray[np.uint8], marks: _Ints, firsts: _Ints, ends: _Ints) -> _Ints | None:
        """Return, for each line, which operation on which array it is; None if one is none."""
        openings = marks[firsts]
        begins = np.empty_like(openings)
        begins[0], begins[1:] = len(_BEFORE), marks[ends[:-1]] + 1
        last_bytes = _eight_bytes(block)[openings - 8]
        head = (last_bytes * self._factor >> np.uint64(64 - _HASH_BITS)).view(np.int64)
        right = self._last_bytes[head] == last_bytes
        right &= self._head_length[head] == openings - begins
        right &= self._n_marks[head] == ends - firsts
        right &= self._first_bytes[head] == _four_bytes(block)[begins]
        return head if right.all() else None

    def _places(self, block: NDArray[np.uint8], marks: _Ints, firsts: _Ints, array: _Ints) -> _Ints | None:
        """Return the row-major number of the element that each line names; None if one of them names none."""
        before = marks[firsts]
        if not (block[before] == _OPENING).all():
            return None
        place = np.zeros(len(firsts), dtype=np.int64)
        n_axes = self._n_axes[array]
        some: _Ints | slice = slice(None)
        for axis in range(int(n_axes.max())):
            if axis >= int(n_axes.min()):
                some = np.flatnonzero(n_axes > axis)
            known = array[some]
            step = firsts[some] + axis
            index = _indices(block, marks[step], marks[step + 1], self._marks[axis][known])
            extent = self._extents[axis][known]
            if index is None or not (index < extent).all():
                return None
            place[some] = place[some] * extent + index if axis else index
        ends = firsts + n_axes
        return place if (marks[ends + 1] == marks[ends] + 1).all() else None


def _is_mark(block: NDArray[np.uint8]) -> NDArray[np.bool_]:
    marks: NDArray[np.bool_] = block == _COMMA
    for other in (_OPENING, _CLOSING, _LINE_END):
        marks |= block == other
    return marks


def _indices(block: NDArray[np.uint8], before: _Ints, after: _Ints, mark: NDArray[np.uint8]) -> _Ints | None:
    """Return the numbers between two marks of each line, the second of which must be the given one."""
    length = after - before
    length -= 1
    if length.min() < 1 or length.max() > _MOST_DIGITS:
        return None
    text = _eight_bytes(block)[after - 7]
    if not (text >> np.uint64(56) == mark).all():
        return None
    digits = ((text << np.uint64(8)) ^ _ZEROS) & _KEPT[length]
    if np.bitwise_or.reduce((digits + _ABOVE_NINE) | digits) & _HIGH_BITS:
        return None
    value = (digits * np.uint64(10) + (digits >> np.uint64(8))) & _PAIRS
    value = (value * np.uint64(100) + (value >> np.uint64(16))) & _FOURS
    value = (value * np.uint64(10_000) + (value >> np.uint64(32))) & _EIGHT
    index = value.view(np.int64)
    return index if (index >= _LEAST[length]).all() else None


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
