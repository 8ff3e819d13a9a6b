"""Published bounds and curves: values, domains, and their place below what is proved here."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.lower_bounds import attenio_count, best_bound, fft, matmul, published_curves, regime
from pebble.lower_bounds.published import (
    block_sparse_flash_attention,
    fast_multiplication,
    flash_attention,
    li_et_al,
    li_et_al_sparse,
    saha_ye,
    standard_attention,
)
from pebble.lower_bounds.table import sparse_dividing_point
from tests.support.text_tables import rows_of


def test_what_is_proved_here_is_at_least_what_was_published() -> None:
    """A formalisation in Lean (mnk/√(2M) − M; for the FFT), and Smith et al. 2019 without recomputation."""
    rng = random.Random(0)
    for _ in range(100):
        m, n, k = (int(2 ** rng.uniform(0, 14)) for _ in range(3))
        M = int(2 ** rng.uniform(1, 16))
        lean, smith = m * n * k / math.sqrt(2 * M) - M, 2 * m * n * k / math.sqrt(M) - 2 * M
        assert matmul(m, n, k, M).value >= max(lean, smith) * (1 - 1e-12)
        n = 2 ** rng.randint(1, 60)
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
    assert saha_ye(Problem(100, 400, 8, 8), 100).value == saha_ye(Problem.square(200, 8), 100).value
    for curve in published_curves(problem, 5000):
        assert (curve.proved, curve.status) == (False, "asymptotic")
        assert "arXiv" in curve.source
    for M in (d, 3 * d * d, 100 * d * d):
        assert (
            1
            <= best_bound(Problem.square(10**7, d), M).value / saha_ye(Problem.square(10**7, d), M).value
            <= 4.01
        )


NAMES = {
    "Problem": Problem,
    "DENSE": Problem.square(1024, 64),
    "CAUSAL": Problem.square(1024, 64, mask="causal"),
    "BACKWARD": Problem.square(1024, 64, pass_name="backward", mask="causal"),
    **{"saha_ye": saha_ye, "fast_multiplication": fast_multiplication, "flash_attention": flash_attention},
    **{"standard_attention": standard_attention, "attenio_count": attenio_count, "li_et_al": li_et_al},
    **{"li_et_al_sparse": li_et_al_sparse, "block_sparse_flash_attention": block_sparse_flash_attention},
}


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("refused.txt"), "published"), ids=" ".join)
def test_curves_have_domains(row: list[str]) -> None:
    curve, problem, M = (eval(text, dict(NAMES)) for text in row[:3])
    with pytest.raises(BoundDoesNotApply, match=row[3]):
        curve(problem, M)


def test_which_curves_are_shown() -> None:
    problem = Problem.square(1000, 64)
    assert [c.name for c in published_curves(problem, 63)] == ["Saha-Ye", "fast multiplication"]
    numbers = [len(published_curves(problem, M)) for M in (64, 4095, 4096, 64_000, 64_001)]
    assert numbers == [3, 3, 4, 4, 3]
    assert published_curves(Problem(10, 10, 4, 8), 100) == []
    for M in (0, True, 2.5):
        with pytest.raises(InvalidInput, match="M must be"):
            published_curves(problem, M)  # type: ignore[arg-type]


def test_attenio_count_is_exact_where_nothing_is_left_over_and_above_streaming() -> None:
    d, rows = 8, 10
    M = d + rows * (2 * d + 4)
    assert attenio_count(Problem.square(1000, d), M) == 2 * 1000 * d + 2 * 1000 * d * (1000 // rows)
    assert isinstance(attenio_count(Problem.square(1000, d), M + 1), Fraction)
    N, d, M = 65_536, 64, 16_384
    streamed = 2 * N * d * (1 + N / ((M - 2) // (2 * d + 2)))
    assert attenio_count(Problem.square(N, d), M) > streamed > best_bound(Problem.square(N, d), M).value


def test_regimes() -> None:
    problem = Problem(100, 200, 8, 32)
    assert regime(problem, 64).mu == 1
    assert regime(problem, 64).large_cache
    assert str(regime(problem, 63)).startswith("small cache (M < d²)")
    assert str(regime(problem, 128)) == "large cache (M ≥ d²), M/d² = 2"
    with pytest.raises(InvalidInput):
        regime(problem, 0)
    problem = Problem.square(1024, 64, mask="window:64")
    found, point = regime(problem, 8192), sparse_dividing_point(problem)
    assert found.mu == 2
    assert found.large_cache
    assert found.sparse_mu == 8192 / point
    assert "M < Z_in²/Z_QK" in str(found)
    assert "M ≥ Z_in²/Z_QK" in str(regime(problem, 10**6))
    assert "Z_in" not in str(regime(problem.without_mask(), 8192))


def test_sparse_curves() -> None:
    """They are the dense ones for all pairs, and the two forms of the worst case meet at the dividing point."""
    full = mask_from_array(np.ones((512, 512), dtype=bool))
    for pass_name, dense in (("forward", saha_ye), ("backward", li_et_al)):
        problem = Problem.square(512, 16, pass_name=pass_name)
        masked = replace(problem, mask=full)
        for M in (20, 256, 3000):
            assert li_et_al_sparse(masked, M).value == pytest.approx(dense(problem, M).value)
        assert sparse_dividing_point(masked) == 256
    forward = replace(Problem.square(512, 16), mask=full)
    assert block_sparse_flash_attention(forward, 300).value == 512 * 16 + 512**2 * 16**2 / 300
    problem = Problem.square(1024, 64, mask="window:64")
    point = sparse_dividing_point(problem)
    assert point == Fraction(1024**2 * 64**2, problem.pairs)
    for M, which in ((int(point) // 4, 1), (4 * int(point), 0)):
        forms = ((1024 * 64) ** 2 / M, 1024 * 64 * (problem.pairs / M) ** 0.5)
        assert li_et_al_sparse(problem, M).value == pytest.approx(min(forms)) == pytest.approx(forms[which])
