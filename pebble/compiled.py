"""The batch replay's inner loop, compiled where numba is installed (extra ``fast``); the rules stay the referee's.

The compiled loop only ever says how many moves from the start are legal. Where it stops, the ordinary replay goes on,
so that a refusal has one wording and one place whichever loop came to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = ["WORTHWHILE", "load_kernel", "play_prefix"]

WORTHWHILE = 4_000_000
"""Moves from which loading the compiled loop (about a second, the first time more) pays."""

LOAD, STORE, COMPUTE, DELETE, REDUNDANT, PEAK, RED = range(7)
"""Places in the array of counts; the last one is the number of red pebbles now."""


def play_prefix(
    op: Any,
    vertex: Any,
    start: Any,
    predecessors: Any,
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
    start, predecessors : arrays of int64
        The rows of the DAG's predecessors.
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
    held = counts[RED]
    peak = counts[PEAK]
    for i in range(len(op)):
        o = op[i]
        v = vertex[i]
        if v < 0 or v >= V:
            break
        if o == COMPUTE:
            first, end = start[v], start[v + 1]
            if first == end or (computed[v] and not recomputation):
                break
            ready = True
            for p in range(first, end):
                if not red[predecessors[p]]:
                    ready = False
                    break
            if not ready or (not red[v] and held >= M):
                break
            computed[v] = True
        elif o == LOAD:
            if not blue[v] or (not red[v] and held >= M):
                break
        elif o == STORE:
            if not red[v]:
                break
            counts[STORE] += 1
            if blue[v]:
                counts[REDUNDANT] += 1
            blue[v] = True
            continue
        elif o == DELETE:
            if not red[v]:
                break
            counts[DELETE] += 1
            red[v] = False
            held -= 1
            continue
        else:
            break
        counts[o] += 1
        if red[v]:
            counts[REDUNDANT] += 1
        else:
            red[v] = True
            held += 1
            peak = max(peak, held)
    else:
        i = len(op)
    counts[RED] = held
    counts[PEAK] = peak
    return i


@lru_cache(maxsize=1)
def load_kernel() -> Callable[..., int] | None:
    """Return :func:`play_prefix` compiled, or None where numba is not installed."""
    try:
        import numba
    except ImportError:
        return None
    kernel: Callable[..., int] = numba.njit(cache=True)(play_prefix)
    return kernel
