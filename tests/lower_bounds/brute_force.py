"""Every subset of a few things, for bounds that are compared with all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np


def subsets(bits: int) -> np.ndarray:
    """Every subset of ``bits`` things: a Boolean array of shape (2**bits, bits)."""
    return (np.arange(2**bits)[:, None] >> np.arange(bits) & 1).astype(bool)


def greatest_by_cost(cost: np.ndarray, gain: np.ndarray) -> Iterator[tuple[int, int]]:
    for T in range(int(cost.max()) + 1):
        yield T, int(gain[cost <= T].max())


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
