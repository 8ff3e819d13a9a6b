"""The reading of lines of moves on elements of arrays, compiled where numba is installed (extra ``fast``).

The compiled loop accepts what :mod:`pebble.game.files.array_lines` accepts, and like it leaves everything else to the
reader of single lines.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from pebble.game import compiled_replay

__all__ = ["PADDING", "line_kernel_after", "load_line_kernel", "read_lines"]

PADDING = b"\n" * 16
"""Follows the text, so that the loop need not ask for its end."""


def read_lines(
    text: Any,
    words: Any,
    starts: Any,
    names: Any,
    n_axes: Any,
    extents: Any,
    bases: Any,
    op: Any,
    array: Any,
    place: Any,
) -> int:
    """Read lines and return how many there are, or -1 if one of them is not understood.

    Parameters
    ----------
    text : array of uint8
        Whole lines, and :data:`PADDING`.
    words : array of uint8
        The words of the operations, each with a blank, one after the other; ``starts`` says where they begin and end.
    names : array of uint64, shape (A,)
        The names of the arrays, up to eight letters, the first one the highest byte.
    n_axes : array of int64, shape (A,)
    extents : array of int64, shape (A, most axes)
    bases : array of int64, shape (A,)
        What is added to the numbers of an array's elements.
    op, array, place : arrays of int8, int8 and int64
        Filled in: the operation, the array, and the row-major number of the element, counted from its array's base.
    """
    at, line, known, end = 0, 0, 0, len(text) - 16
    while at < end:
        letter, code = text[at], 0
        while code < 4 and words[starts[code]] != letter:
            code += 1
        if code == 4:
            return -1
        for place_in_word in range(starts[code] + 1, starts[code + 1]):
            at += 1
            if text[at] != words[place_in_word]:
                return -1
        at += 1
        name = np.uint64(text[at])
        if name == 0:
            return -1  # or it would be no letter of the name
        at += 1
        while text[at] != 91:
            name = (name << np.uint64(8)) | np.uint64(text[at])
            at += 1
            if name >> np.uint64(56):
                return -1
        if names[known] != name:
            known = 0
            while known < len(names) and names[known] != name:
                known += 1
            if known == len(names):
                return -1
        element, last = 0, n_axes[known] - 1
        for axis in range(last + 1):
            at += 1
            index = np.int64(text[at]) - 48
            if index < 0 or index > 9:
                return -1
            at += 1
            digit = np.int64(text[at]) - 48
            while digit >= 0 and digit <= 9:
                index = index * 10 + digit
                if index == digit or index > 99_999_999:
                    return -1  # a leading zero, or more than any array has
                at += 1
                digit = np.int64(text[at]) - 48
            if text[at] != (93 if axis == last else 44) or index >= extents[known, axis]:
                return -1
            element = element * extents[known, axis] + index
        if text[at + 1] != 10:
            return -1
        at += 2
        op[line], array[line], place[line] = code, known, element + bases[known]
        line += 1
    return line if at == end else -1


def line_kernel_after(moves: int) -> Callable[..., int] | None:
    """Return the compiled loop if it is loaded, or if so many moves make loading it worthwhile; otherwise None."""
    if moves < compiled_replay.WORTHWHILE and not load_line_kernel.cache_info().currsize:
        return None
    return load_line_kernel()


@lru_cache(maxsize=1)
def load_line_kernel() -> Callable[..., int] | None:
    """Return :func:`read_lines` compiled, or None where numba is not installed."""
    try:
        import numba
    except ImportError:
        return None
    kernel: Callable[..., int] = numba.njit(cache=True)(read_lines)
    return kernel
