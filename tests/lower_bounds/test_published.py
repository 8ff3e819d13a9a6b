"""Published bounds and curves: values, domains, and their place below what is proved here."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.lower_bounds import attenio_count, best_bound, fft, matmul, published_curves, regime
from pebble.lower_bounds.published import (
    fast_multiplication,
    flash_attention,
    saha_ye,
    standard_attention,
)


def test_what_is_proved_here_is_at_least_what_was_published() -> None:
    """A formalisation in Lean (mnk/√(2M) − M; for the FFT), and Smith et al. 2019 without recomputation."""
    rng = random.Random(0)
    for _ in range(300):
        m, n, k = (int(2 ** rng.uniform(0, 14)) for _ in range(3))
        M = int(2 ** rng.uniform(1, 16))
        lean, smith = m * n * k / math.sqrt(2 * M) - M, 2 * m * n * k / math.sqrt(M) - 2 * M
        assert matmul(m, n, k, M).value >= max(lean, smith) * (1 - 1e-12)
    for _ in range(100):
        n, M = 2 ** rng.randint(1, 60), int(2 ** rng.uniform(1, 20))
        assert fft(n, M).value >= n * n.bit_length() / (2 * math.log2(4 * M)) - M


def test_curves_have_their_shapes_and_no_constant() -> None:
    N, d = 1 << 14, 64
    problem = Problem.square(N, d)
    for M in (d, 500, d * d - 1, d * d, d * d + 1, 10**5):
        small, large = N * N * d / math.sqrt(M), N * N * d * d / M
        assert saha_ye(problem, M).value == pytest.approx(small if d * d > M else large)
        assert fast_multiplication(problem, M).value == pytest.approx(N * N if d * d > M else large)
        assert flash_attention(problem, M).value == pytest.approx(large)
    assert standard_attention(problem, d * d).value == N * N + N * d
    for curve in published_curves(problem, 5000):
        assert not curve.proved
        assert curve.status == "asymptotic"
        assert "arXiv" in curve.source


def test_curves_read_rectangles_by_their_pairs() -> None:
    wide, square = Problem(100, 400, 8, 8), Problem.square(200, 8)
    for curve in (saha_ye, fast_multiplication, flash_attention):
        assert curve(wide, 100).value == curve(square, 100).value


def test_curves_have_domains() -> None:
    problem = Problem.square(1000, 64)
    assert [c.name for c in published_curves(problem, 63)] == ["Saha-Ye", "fast multiplication"]
    assert len(published_curves(problem, 64)) == 3
    assert len(published_curves(problem, 4095)) == 3
    assert len(published_curves(problem, 4096)) == 4
    assert len(published_curves(problem, 64_000)) == 4
    assert len(published_curves(problem, 64_001)) == 3
    assert published_curves(Problem(10, 10, 4, 8), 100) == []
    with pytest.raises(BoundDoesNotApply, match="dv = d"):
        saha_ye(Problem(10, 10, 4, 8), 100)
    with pytest.raises(BoundDoesNotApply, match="d <= M <= N d"):
        flash_attention(problem, 63)
    with pytest.raises(BoundDoesNotApply, match="order d²"):
        standard_attention(problem, 4095)
    for M in (0, True, 2.5):
        with pytest.raises(InvalidInput, match="M must be"):
            published_curves(problem, M)  # type: ignore[arg-type]


def test_curves_are_within_a_constant_of_what_is_proved() -> None:
    """Theorem 3.1 is tight: for long sequences the proved bound lies within a factor of 4 of the curve."""
    for d in (16, 64, 128):
        for mu in (0.06, 0.3, 1, 3, 10, 100):
            problem, M = Problem.square(10**7, d), int(mu * d * d)
            assert 1 <= best_bound(problem, M).value / saha_ye(problem, M).value <= 4.01


def test_attenio_count_is_exact_where_nothing_is_left_over() -> None:
    d, rows = 8, 10
    M = d + rows * (2 * d + 4)
    assert attenio_count(Problem.square(1000, d), M) == 2 * 1000 * d + 2 * 1000 * d * (1000 // rows)
    assert isinstance(attenio_count(Problem.square(1000, d), M + 1), Fraction)


def test_attenio_count_is_above_the_best_bound_and_streaming() -> None:
    for N, d, M in ((4096, 64, 25_000), (65_536, 64, 16_384), (10**6, 128, 10**5)):
        count = attenio_count(Problem.square(N, d), M)
        streamed = 2 * N * d * (1 + N / ((M - 2) // (2 * d + 2)))
        assert count > streamed > best_bound(Problem.square(N, d), M).value


def test_attenio_count_has_a_domain() -> None:
    attenio_count(Problem.square(10, 4), 16)
    with pytest.raises(BoundDoesNotApply, match="one row"):
        attenio_count(Problem.square(10, 4), 15)
    with pytest.raises(BoundDoesNotApply, match="as many keys"):
        attenio_count(Problem(10, 11, 4, 4), 100)
    with pytest.raises(BoundDoesNotApply, match="dv = d"):
        attenio_count(Problem(10, 10, 4, 5), 100)


def test_regime_divides_at_d_squared() -> None:
    problem = Problem(100, 200, 8, 32)
    assert regime(problem, 64).mu == 1
    assert regime(problem, 64).large_cache
    assert not regime(problem, 63).large_cache
    assert str(regime(problem, 63)).startswith("small cache (M < d²)")
    assert str(regime(problem, 128)) == "large cache (M ≥ d²), M/d² = 2"
    with pytest.raises(InvalidInput):
        regime(problem, 0)
