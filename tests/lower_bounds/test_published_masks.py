"""Published curves under masks, and where they divide."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.lab.count import count_schedule
from pebble.lower_bounds import (
    attenio_count,
    published_curves,
    regime,
)
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
