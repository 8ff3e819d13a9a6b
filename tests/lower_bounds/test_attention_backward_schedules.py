"""Backward bounds are never above a schedule's count, and stay close to it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from pebble.lower_bounds import best_bound
from pebble.lower_bounds.rounding import ceil_div
from tests.lower_bounds.backward_problems import backward
from tests.support.amounts import first


def split(N: int, d: int, M: int) -> Iterator[int]:
    """dK and dV with keys outside, then dQ with queries outside; the other side one row at a time."""
    keys, rows = (M - 2 * d - 2) // (4 * d + 2), (M - 2 * d) // (3 * d + 4)
    if min(keys, rows) >= 1:
        reads = 4 * N * d + 2 * N + ceil_div(N, keys) * (2 * N * d + 2 * N) + 2 * N * d * ceil_div(N, rows)
        yield reads + 3 * N * d + N


def hybrid(N: int, d: int, M: int) -> Iterator[int]:
    """The pass for dK and dV also stores dS; then dQ = dS·K with rows of dQ resident."""
    keys, rows = (M - 2 * d - 2) // (4 * d + 2), (M - 2) // (d + 1)
    if min(keys, rows) >= 1:
        first = 4 * N * d + 2 * N + ceil_div(N, keys) * (2 * N * d + 2 * N) + 2 * N * d + N * N
        yield first + N * N + N * d * ceil_div(N, rows) + N * d


def p_first(N: int, d: int, M: int) -> Iterator[int]:
    """P is stored, then replaced by dS while dV is made; then two products of dS."""
    r, c, tile = (M - 2) // (d + 2), (M - d - 6) // (2 * d), math.isqrt(M) - 2
    if min(r, c, tile) >= 1:
        first = N * d * (ceil_div(N, r) + 1) + N + N * N
        second = 3 * N * d + (N * d + N) * ceil_div(N, c) + 2 * N * N
        wide = min(d, tile)
        tall = (M - 2) // (wide + 1)
        last = 2 * (N * N * ceil_div(d, wide) + N * d * ceil_div(N, tall) + N * d)
        yield first + second + last


def materialised(N: int, d: int, M: int) -> Iterator[int]:
    """Five products of square tiles of side B; S becomes P and dP becomes dS in its tile."""
    B = math.isqrt(M // 4)
    if B >= 1:
        tiles, deep = ceil_div(N, B), ceil_div(d, B)
        yield (
            2 * N * d
            + 7 * N * d * tiles
            + (3 * deep + 1) * N * N
            + 2 * N
            + N * tiles * deep
            + 2 * N * N
            + 3 * N * d
            + 2 * N
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(2, range(4)))
def test_no_bound_is_above_a_schedule(seed: int) -> None:
    rng = random.Random(seed)
    closest = 9.0
    for _ in range(300):
        d = int(2 ** rng.uniform(0, 8))
        N = int(2 ** rng.uniform(0, 22))
        scale = d * d if rng.random() < 0.7 else N * d
        M = max(9, int(scale * 2 ** rng.uniform(-7, 5)))
        best = best_bound(backward(N, d=d), M)
        for schedule in (split, hybrid, p_first, materialised):
            for count in schedule(N, d, M):
                assert best.value <= count, (N, d, M, best, schedule.__name__)
                closest = min(closest, count / best.value)
    assert closest < 1.35  # a bound that has become weak would pass everything else


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.6, 1, 1.5, 2, 3, 5, 8, 12, 16, 40])
def test_the_bounds_stay_close_to_the_schedules(mu: float) -> None:
    N, d = 10**7, 256
    M = int(mu * d * d)
    counts = [n for schedule in (split, hybrid, p_first, materialised) for n in schedule(N, d, M)]
    ratio = min(counts) / best_bound(backward(N, d=d), M).value
    assert 1 <= ratio < (2.4 if mu < 0.25 else 1.6)
