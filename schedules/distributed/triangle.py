"""The triangle: under the causal mask, devices only for the blocks that the mask allows."""

from __future__ import annotations

import math

import numpy as np

from pebble import InvalidInput
from pebble.program import parallel


class TriangleSchedule(parallel.DistributedSchedule):
    """P = m(m+1)/2 devices (x, y), y ≤ x < m, with the block x of queries and the block y of keys, of m blocks.

    A block of tokens is owned by (m+1)/2 devices, each of which works on it: (x, x), and of every two blocks the device
    that joins them belongs to one, to the later if that is at most (m−1)/2 blocks further round. So m must be odd.
    """

    name = "triangle"
    summary = "a device for each block of queries and block of keys up to it, of m blocks; P = m(m+1)/2"
    source = "pebble; the triangle blocks of Al Daas et al. 2023 for symmetric matrices"
    received = "at most 3sd + (m−1)n(d+1), s = N/m"
    layouts = ("contiguous",)
    causal_only = True

    def check_shape(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> None:
        """Check the number of devices."""
        super().check_shape(problem, shape)
        m = _side(problem.P)
        if m * (m + 1) // 2 != problem.P or m % 2 == 0:
            raise InvalidInput(
                f"triangle needs P = m(m+1)/2 devices with m odd (1, 6, 15, 28, 45, 66, …), not {problem.P}"
            )

    def placement(self, problem: parallel.SharedProblem, shape: parallel.Shape) -> parallel.Placement:
        """Number the devices so that each owns tokens of one of its blocks."""
        m = _side(problem.P)
        half = (m - 1) // 2
        owned, back = np.repeat(np.arange(m), half + 1), np.tile(np.arange(half + 1), m)
        other = (owned - back) % m
        in_block = np.arange(half + 1)
        query = np.maximum(owned, other)[:, None] * (half + 1) + in_block
        key = np.minimum(owned, other)[:, None] * (half + 1) + in_block
        return parallel.Placement(query, key, np.zeros(problem.P, np.int64))


def _side(P: int) -> int:
    """Return the greatest m with m(m+1)/2 ≤ P."""
    return (math.isqrt(8 * P + 1) - 1) // 2
