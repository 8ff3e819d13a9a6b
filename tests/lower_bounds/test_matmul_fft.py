"""Bounds of matrix products and of the FFT."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.matmul_fft import fft, fft_events, matmul, matmul_short
from pebble.lower_bounds.rounding import (
    ceil_div,
)
from tests.support.text_tables import rows_of


def test_fft_events_counts_ones_and_is_superadditive() -> None:
    ones = [2 * sum(k.bit_count() for k in range(T)) for T in range(130)]
    assert [fft_events(T) for T in range(130)] == ones
    for a in range(65):
        for b in range(a, 65):
            assert ones[a] + ones[b] + 2 * a <= ones[a + b]
    assert all(ones[T] <= T * math.log2(T) + 1e-9 for T in range(1, 130))


def test_short_sides_have_their_leading_term_and_symmetry() -> None:
    m, n, k, M = 3000, 2000, 20, 2500
    value = matmul_short(m, n, k, M).value
    assert value >= m * n + m * n * k * k * (1 / M - 1 / M**2) - M
    assert value == pytest.approx(m * n * (1 + k * k / M), rel=2e-3)
    best = {matmul(*shape, M).value for shape in ((m, n, k), (n, k, m), (k, m, n), (m, k, n))}
    assert best == {value}


def _matmul_counts(m: int, n: int, k: int, M: int) -> Iterator[int]:
    for a, b, c in ((m, n, k), (n, m, k)):
        rows = (M - 3) // (c + 1)  # `rows` rows of one factor stay, the other and the results stream
        if rows >= 1:
            yield a * c + c * b * ceil_div(a, rows) + a * b
    tile = (math.isqrt(4 * M + 5) - 3) // 2
    if tile >= 1:  # a tile of results stays, the factors stream
        yield m * k * ceil_div(n, tile) + k * n * ceil_div(m, tile) + m * n


@pytest.mark.parametrize("seed", range(3))
def test_no_matmul_bound_is_above_a_schedule(seed: int) -> None:
    rng = random.Random(seed)
    closest = 9.0
    for _ in range(300):
        m, n, k = (int(2 ** rng.uniform(0, 12)) for _ in range(3))
        M = max(7, int(2 ** rng.uniform(2, 14)))
        bound = matmul(m, n, k, M)
        counts = list(_matmul_counts(m, n, k, M))
        assert all(bound.value <= count for count in counts), (m, n, k, M, bound)
        closest = min([closest, *(count / bound.value for count in counts)])
    assert closest < 1.05


def test_no_fft_bound_is_above_the_blocked_schedule() -> None:
    for r in range(1, 30):
        for M in (4, 5, 6, 10, 18, 66, 300, 1026, 10**5):
            bound: Bound = fft(2**r, M)
            assert bound.value <= 2 * 2**r * ceil_div(r, int(math.log2(M - 2)))


def test_a_published_counterexample_is_respected() -> None:
    """(100, 100, 2) takes 10,600 words of I/O at M = 104, less than 2mnk/sqrt(M) + mn = 13,922."""
    assert matmul(100, 100, 2, 104).value <= 10_600


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("refused.txt"), "matmul"), ids=" ".join)
def test_what_is_refused(row: list[str]) -> None:
    names = {"matmul": matmul, "matmul_short": matmul_short, "fft": fft}
    with pytest.raises((BoundDoesNotApply, InvalidInput), match=row[1]):
        eval(row[0], names)
