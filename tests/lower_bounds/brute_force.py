"""The best cutting by trying all of them."""

from __future__ import annotations

from collections.abc import Callable


def best_cut_by_brute_force(W: int, M: int, events: Callable[[int], int]) -> int:
    """The formula with G for every h up to where it cannot help, by scanning T; and no cleverness at all."""
    T, table = 0, [events(0)]
    while table[-1] < W:
        T += 1
        table.append(events(T))
    best, h = T, 1
    while T > M and h <= W:
        while T and table[T - 1] * h >= W:
            T -= 1
        best = max(best, M + 1 + h * (T - M - 1))
        h += 1
    return best
