"""The inner loop of the batch replay, compiled where numba is installed (extra ``fast``).

The compiled loop only says how many moves from the start are legal. Where it stops, the ordinary replay goes on, so
that every refusal comes from the referee and has one wording.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["WORTHWHILE", "kernel_after", "load_kernel", "play_prefix"]

WORTHWHILE = 4_000_000
"""Moves from which loading the compiled loop (about a second, the first time more) pays."""

LOAD, STORE, COMPUTE, DELETE, REDUNDANT, PEAK, RED = range(7)
"""Places in the array of counts; the last one is the number of red pebbles now."""


def play_prefix(
    op: Any,
    vertex: Any,
    start: Any,
    predecessors: Any,
    row: Any,
    red: Any,
    blue: Any,
    computed: Any,
    counts: Any,
    M: int,
    recomputation: bool,
) -> int:
    """Play moves until one is not legal, or is a slide, and return how many were played.

    Parameters
    ----------
    op, vertex : arrays of int8 and int64, shape (n,)
    start, predecessors, row : arrays of int64
        Rows of predecessors, and which is that of each move's vertex; see :class:`~pebble.graph.any_dag.Rows`.
    red, blue, computed : arrays of bool, shape (V,)
        Changed in place.
    counts : array of int64, shape (7,)
        Reads, writes, computes, deletes, redundant moves, peak and red pebbles; changed in place.
    M : int
        Words of fast memory.
    recomputation : bool
        Whether a vertex may be computed again.
    """
    V = len(red)
    held, peak = counts[RED], counts[PEAK]
    reads = writes = computes = deletes = redundant = 0
    i = 0
    while i < len(op):
        o, v = op[i], vertex[i]
        if v < 0 or v >= V:
            break
        if o == DELETE:
            if not red[v]:
                break
            red[v] = False
            held -= 1
            deletes += 1
        elif o == COMPUTE:
            r = np.uint64(row[i])
            first, end = start[r], start[r + np.uint64(1)]
            ready = first < end and (recomputation or not computed[v])
            for p in range(first, end):
                # all of them, as a jump out would cost more; unsigned, as an index that may be negative is tested
                ready &= red[np.uint64(predecessors[np.uint64(p)])]
            if not ready:
                break
            if red[v]:
                redundant += 1
            elif held >= M:
                break
            else:
                red[v] = True
                held += 1
                peak = max(peak, held)
            computed[v] = True
            computes += 1
        elif o == LOAD:
            if not blue[v]:
                break
            if red[v]:
                redundant += 1
            elif held >= M:
                break
            else:
                red[v] = True
                held += 1
                peak = max(peak, held)
            reads += 1
        elif o == STORE:
            if not red[v]:
                break
            if blue[v]:
                redundant += 1
            blue[v] = True
            writes += 1
        else:
            break
        i += 1
    counts[LOAD] += reads
    counts[STORE] += writes
    counts[COMPUTE] += computes
    counts[DELETE] += deletes
    counts[REDUNDANT] += redundant
    counts[PEAK], counts[RED] = peak, held
    return i


def kernel_after(moves: int) -> Callable[..., int] | None:
    """Return the compiled loop if it is loaded, or if so many moves make loading it worthwhile; otherwise None."""
    if moves < WORTHWHILE and not load_kernel.cache_info().currsize:
        return None
    return load_kernel()


@lru_cache(maxsize=1)
def load_kernel() -> Callable[..., int] | None:
    """Return :func:`play_prefix` compiled, or None where numba is not installed."""
    try:
        import numba
    except ImportError:
        return None
    kernel: Callable[..., int] = numba.njit(cache=True)(play_prefix)
    return kernel
