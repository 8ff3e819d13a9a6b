"""Every subset of a few things, for bounds that are compared with all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def subsets(bits: int) -> np.ndarray:
    """Every subset of ``bits`` things: a Boolean array of shape (2**bits, bits)."""
    return (np.arange(2**bits)[:, None] >> np.arange(bits) & 1).astype(bool)


def greatest_by_cost(cost: np.ndarray, gain: np.ndarray) -> Iterator[tuple[int, int]]:
    for T in range(int(cost.max()) + 1):
        yield T, int(gain[cost <= T].max())
