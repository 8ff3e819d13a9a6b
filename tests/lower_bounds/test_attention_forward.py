"""Forward bounds: exactness, agreement with brute force, domains, and never above a schedule's count."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import best_bound, forward_bounds, t1, t2
from pebble.lower_bounds.attention.backward import b1_events, b2_events
from pebble.lower_bounds.attention.compulsory import compulsory_attention
from pebble.lower_bounds.attention.forward import t1_events, t2_events
from pebble.lower_bounds.cutting import best_cut, least_words
from pebble.lower_bounds.matmul_fft import fft, fft_cut, fft_events, matmul, matmul_cut
from pebble.lower_bounds.rounding import ceil_div
from tests.lower_bounds.brute_force import best_cut_by_brute_force


@given(st.integers(0, 10**8), st.integers(1, 10**3), st.integers(1, 10**3))
def test_t1_events_is_the_whole_part_of_the_greater_form(T: int, d: int, dv: int) -> None:
    with localcontext(prec=80):
        few = (Decimal(T) / 3) ** Decimal("1.5")
        if 3 * dv**2 < T:
            few = dv * ((T + Decimal(dv) ** 2).sqrt() - dv) ** 2
        many = Decimal(T) ** 2 / (16 * d) if dv >= d else dv * Decimal(T) ** 2 / (4 * (d + dv) ** 2)
        assert t1_events(T, d, dv) == math.floor(max(few, many) + Decimal("1e-40"))


@given(st.integers(1, 10**15), st.integers(1, 300), st.integers(1, 300), st.integers(0, 10**12))
def test_least_words_is_the_inverse_of_events(w: int, d: int, dv: int, near: int) -> None:
    for events in (
        lambda T: t1_events(T, d, dv),
        lambda T: t2_events(T, d),
        lambda T: b1_events(T, d, dv),
        lambda T: b2_events(T, d),
        fft_events,
    ):
        T = least_words(events, w, near)
        assert events(T - 1) < w <= events(T)


@pytest.mark.parametrize("d", [1, 2, 3, 10, 100])
def test_t2_events_is_the_maximum_on_a_fine_grid(d: int) -> None:
    for T in range(3, 400, 7):
        w = np.linspace(0, T / 2, 20001)
        top = float(np.max(w * np.sqrt(T - 2 * w + 4 * w**2 / (27 * d * d))))
        assert math.floor(top - 1e-9) <= t2_events(T, d) <= top * (1 + 1e-7) + 1e-9


@pytest.mark.parametrize("side", [2, 5, 12])
@pytest.mark.parametrize("d", [2, 8, 30])
@pytest.mark.parametrize("dv", [1, 2, 7, 30])
def test_blocks_reach_t1_events_exactly(side: int, d: int, dv: int) -> None:
    """Whole rows, ``dv <= d``: ``side² dv`` events, ``2 side (d + dv)`` words. A cube: ``side³``, ``3 side²``."""
    assert t1_events(3 * side**2, 10**6, max(side, dv)) == side**3
    if dv <= d:
        assert t1_events(2 * side * (d + dv), d, dv) >= side**2 * dv
        if side >= 2 * d:
            assert t1_events(2 * side * (d + dv), d, dv) == side**2 * dv


def test_t2_events_is_reached_where_rows_are_long() -> None:
    assert [t2_events(3 * a * a, 10**9) for a in range(1, 50)] == [a**3 for a in range(1, 50)]


# -------------------------------------------------------------------------------------------- cutting


@pytest.mark.parametrize("seed", range(3))
def test_best_cut_finds_the_best_cut(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(15):
        N, d, M = rng.randint(1, 60), rng.choice([1, 2, 5, 16, 64]), int(2 ** rng.uniform(1, 11))
        problem = Problem(N, rng.randint(1, 60), d, rng.choice([1, d, 7]))
        z, dv = problem.pairs, problem.dv
        brute = best_cut_by_brute_force(z * dv, M, lambda T, d=d, dv=dv: t1_events(T, d, dv))  # type: ignore[misc]
        assert brute * (1 - 1e-6) <= t1(problem, M).value <= brute
        brute = best_cut_by_brute_force(z * (d + dv), M, lambda T, d=d: t2_events(T, d)) - z  # type: ignore[misc]
        assert max(0, brute) * (1 - 1e-6) <= t2(problem, M).value <= max(0, brute)
        brute = best_cut_by_brute_force(N * d * 7, M, lambda T: math.isqrt(T**3 // 27))
        assert brute * (1 - 1e-6) <= matmul_cut(N, d, 7, M).value <= brute
        brute = 64 + best_cut_by_brute_force(64 * 6, M, fft_events)
        assert brute * (1 - 1e-2) <= fft_cut(64, M).value <= brute


def test_a_wrong_guess_cannot_lift_a_bound() -> None:
    W, M = 10**5, 50
    brute = best_cut_by_brute_force(W, M, lambda T: t1_events(T, 8, 3))
    for X in (1, 3, 10, 1000, 10**5):
        assert best_cut(W, M, lambda T: t1_events(T, 8, 3), X).moves <= brute


# ------------------------------------------------------------------------------------ values and domains


def test_golden_values() -> None:
    """From the proofs' leading terms and the project's brief."""
    assert best_bound(Problem.square(4096, 64), 25_000).value >= 11_010_000
    N, d, M = 65_536, 64, 4 * 64**2
    flash = 2 * N * d * (1 + ceil_div(N, (M - 2) // (2 * d + 2)))
    assert 1 <= flash / best_bound(Problem.square(N, d), M).value <= 1.06


@pytest.mark.parametrize("N", [10**6, 10**9, 10**15])
def test_leading_terms(N: int) -> None:
    d = 128
    large, small = 20 * d * d, d * d // 100
    assert t1(Problem.square(N, d), large).value == pytest.approx(4 * N * N * d * d / large, rel=2e-3)
    assert t1(Problem.square(N, d), small).value == pytest.approx(2 * N * N * d / math.sqrt(small), rel=1e-2)
    expected = 4 * N * N * d / math.sqrt(small) - N * N
    assert t2(Problem.square(N, d), small).value == pytest.approx(expected, rel=2e-2)
    assert matmul(N, N, N, 10**4).value == pytest.approx(2 * N**3 / 100, rel=1e-3)


def test_head_dimensions_play_different_parts() -> None:
    """Rows have d + dv words up to dv = d, slices of the columns 2d beyond; of Nq and Nk only the product matters."""
    z, M = 4000**2, 10**5
    one, two = (t1(Problem(4000, 4000, 64, dv), M).value for dv in (64, 128))
    assert two - M == pytest.approx(2 * (one - M), rel=0.01)
    assert t1(Problem(4000, 4000, 128, 32), M).value == pytest.approx(z * 160**2 / M + M, rel=0.01)
    assert t1(Problem(8000, 2000, 64, 64), M).value == one


def test_statistics_are_more_outputs() -> None:
    for M in (50, 1000, 10**5):
        plain, more = Problem(300, 500, 16, 8), Problem(300, 500, 16, 8, stats=True)
        for bound in (compulsory_attention, t1):
            assert bound(more, M).value == bound(plain, M).value + 300
    assert t2(Problem.square(300, 64, stats=True), 40).value == t2(Problem.square(300, 64), 40).value + 300


def test_compulsory_counts_what_must_pass() -> None:
    assert compulsory_attention(Problem(3, 5, 7, 11), 1).value == 3 * 7 + 5 * 7 + 5 * 11 + 3 * 11
    assert matmul(3, 5, 7, 10**6).value == 3 * 7 + 7 * 5 + 3 * 5
    assert fft(16, 10**6).value == 32


def test_all_bounds_come_best_first_and_hold_under_all_rules() -> None:
    problem = Problem.square(2000, 64)
    for rules in (Rules(a, b) for a in (True, False) for b in (True, False)):
        bounds = forward_bounds(problem, 2000, rules)
        assert sorted(bound.name for bound in bounds) == ["D", "T1", "T2", "T3", "T4", "compulsory"]
        assert [b.value for b in bounds] == sorted((b.value for b in bounds), reverse=True)
        assert best_bound(problem, 2000, rules) == bounds[0]
        assert all(bound.proved and isinstance(bound.value, int) for bound in bounds)


def test_copies_are_left_to_the_caller() -> None:
    assert t1(Problem(64, 64, 8, 8, heads=12, batch=3), 100) == t1(Problem(64, 64, 8, 8), 100)


@pytest.mark.parametrize("M", [0, -5, True, 3.0, "7", None])
@pytest.mark.parametrize("bound", [compulsory_attention, t1, t2, best_bound, forward_bounds])
def test_nonsense_words_are_refused(bound: Callable[[Problem, int], object], M: int) -> None:
    with pytest.raises(InvalidInput, match="M "):
        bound(Problem.square(4, 2), M)


def test_another_pass_is_refused() -> None:
    backward = Problem.square(8, 4)
    object.__setattr__(backward, "pass_name", "backward")
    for bound in (t1, t2, forward_bounds):
        with pytest.raises(BoundDoesNotApply, match="forward"):
            bound(backward, 10)
