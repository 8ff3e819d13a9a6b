"""The writing of lines of moves on elements of arrays, compiled where numba is installed (extra ``fast``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from pebble.game import compiled_replay

__all__ = ["load_text_kernel", "text_kernel_after", "write_lines"]


def write_lines(
    op: Any,
    vertex: Any,
    words: Any,
    word_starts: Any,
    names: Any,
    name_starts: Any,
    firsts: Any,
    extents: Any,
    n_axes: Any,
    places: Any,
    text: Any,
) -> int:
    """Write the lines of moves and return how many bytes they have.

    Parameters
    ----------
    op, vertex : arrays of int8 and int64, shape (n,)
        Moves that exist, no slides.
    words, names : arrays of uint8
        The words of the operations, each with a blank, and the names of the arrays, each with a bracket, one after the
        other; ``word_starts`` and ``name_starts`` say where they begin and end.
    firsts : array of int64, shape (A + 1,)
        The first vertex of every array, ascending, and the number of vertices.
    extents : array of int64, shape (A, most axes)
    n_axes : array of int64, shape (A,)
    places : array of int64
        The row-major number of the element that each vertex is; empty if all elements are vertices.
    text : array of uint8
        Filled in.
    """
    at, known = 0, 0
    ends = np.zeros(extents.shape[1], dtype=np.int64)
    for line in range(len(op)):
        code, v = op[line], vertex[line]
        for letter in range(word_starts[code], word_starts[code + 1]):
            text[at] = words[letter]
            at += 1
        while v < firsts[known]:
            known -= 1
        while v >= firsts[known + 1]:
            known += 1
        for letter in range(name_starts[known], name_starts[known + 1]):
            text[at] = names[letter]
            at += 1
        rest = np.uint64(places[v] if len(places) else v - firsts[known])
        for axis in range(n_axes[known] - 1, 0, -1):
            extent = np.uint64(extents[known, axis])
            whole = rest // extent
            ends[axis] = rest - whole * extent
            rest = whole
        ends[0] = rest
        for axis in range(n_axes[known]):
            index = np.uint32(ends[axis])
            digits, power = 1, np.uint32(10)
            while index >= power:
                digits, power = digits + 1, power * np.uint32(10)
            for digit in range(at + digits - 1, at - 1, -1):
                above = index // np.uint32(10)
                text[digit] = 48 + index - above * np.uint32(10)
                index = above
            at += digits
            text[at] = 44
            at += 1
        text[at - 1], text[at] = 93, 10
        at += 1
    return at


def text_kernel_after(moves: int) -> Callable[..., int] | None:
    """Return the compiled loop if it is loaded, or if so many moves make loading it worthwhile; otherwise None."""
    if moves < compiled_replay.WORTHWHILE and not load_text_kernel.cache_info().currsize:
        return None
    return load_text_kernel()


@lru_cache(maxsize=1)
def load_text_kernel() -> Callable[..., int] | None:
    """Return :func:`write_lines` compiled, or None where numba is not installed."""
    try:
        import numba
    except ImportError:
        return None
    kernel: Callable[..., int] = numba.njit(cache=True)(write_lines)
    return kernel
