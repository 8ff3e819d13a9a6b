"""Published bounds and curves: values, domains, and their place below what is proved here."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.lab.count import count_schedule
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
from pebble.program.schedule import get
from tests.lower_bounds.masked_problems import PASSES


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


def test_dense_theorems_refuse_masks() -> None:
    forward, backward = (Problem.square(1024, 64, pass_name=p, mask="causal") for p in PASSES)
    for curve in (saha_ye, fast_multiplication, flash_attention, standard_attention, attenio_count):
        with pytest.raises(BoundDoesNotApply, match="all pairs"):
            curve(forward, 4096)
    with pytest.raises(BoundDoesNotApply, match="all pairs"):
        li_et_al(backward, 4096)
    for curve in (li_et_al_sparse, block_sparse_flash_attention):
        with pytest.raises(BoundDoesNotApply, match="for masks"):
            curve(Problem.square(1024, 64), 4096)
    with pytest.raises(BoundDoesNotApply, match="forward"):
        block_sparse_flash_attention(backward, 4096)
    with pytest.raises(BoundDoesNotApply, match="d <= M <= N d"):
        block_sparse_flash_attention(forward, 63)
    with pytest.raises(BoundDoesNotApply, match="dv = d"):
        li_et_al_sparse(Problem.square(16, 4, 8, mask="causal"), 40)


def test_sparse_curves_are_the_dense_ones_for_all_pairs() -> None:
    full = mask_from_array(np.ones((512, 512), dtype=bool))
    for pass_name, dense in (("forward", saha_ye), ("backward", li_et_al)):
        problem = Problem.square(512, 16, pass_name=pass_name)
        masked = replace(problem, mask=full)
        for M in (20, 256, 3000):
            assert li_et_al_sparse(masked, M).value == pytest.approx(dense(problem, M).value)
        assert sparse_dividing_point(masked) == 256
    forward = replace(Problem.square(512, 16), mask=full)
    assert block_sparse_flash_attention(forward, 300).value == 512 * 16 + 512**2 * 16**2 / 300


def test_the_two_forms_of_the_worst_case_meet_at_the_dividing_point() -> None:
    problem = Problem.square(1024, 64, mask="window:64")
    point = sparse_dividing_point(problem)
    assert point == Fraction(1024**2 * 64**2, problem.pairs)
    for M in (int(point) // 4, 4 * int(point)):
        forms = ((1024 * 64) ** 2 / M, 1024 * 64 * (problem.pairs / M) ** 0.5)
        assert li_et_al_sparse(problem, M).value == pytest.approx(min(forms))
        assert li_et_al_sparse(problem, M).value == pytest.approx(forms[0 if point <= M else 1])
    assert [curve.status for curve in published_curves(problem, 4096)] == ["asymptotic"] * 2


@pytest.mark.parametrize("density", ["0.25", "0.5", "1"])
def test_block_sparse_flash_stays_within_constants_of_its_curve(density: str) -> None:
    """Per visit of a query by a block of keys 3d + 2 words, and Nd words besides where every key has a block."""
    N, d, block = 128, 8, 16
    problem = Problem.square(N, d, mask=f"blocks:size={block},density={density},seed=3")
    schedule = get("flash-1", "forward")
    M = schedule.measure(problem, {"cols": block}).peak
    row = count_schedule(schedule, problem, M, {"cols": block}, 1)
    visits = problem.pairs // block
    assert row.io == visits * (3 * d + 2) + 2 * problem.keys * d - problem.queries * (d + 2)
    assert 1 < row.io / block_sparse_flash_attention(problem, M).value < 6 * (3 * d + 2) / (3 * d) * 1.2


# What is shown


def test_regime_under_a_mask() -> None:
    problem = Problem.square(1024, 64, mask="window:64")
    found = regime(problem, 8192)
    assert found.mu == 2
    assert found.large_cache
    assert found.sparse_mu == 8192 / sparse_dividing_point(problem)
    assert "M < Z_in²/Z_QK" in str(found)
    assert "M ≥ Z_in²/Z_QK" in str(regime(problem, 10**6))
    assert "Z_in" not in str(regime(problem.without_mask(), 8192))
