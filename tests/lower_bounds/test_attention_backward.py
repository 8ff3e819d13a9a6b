"""Backward bounds: exactness, agreement with brute force, values and domains."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import best_bound, regime
from pebble.lower_bounds.attention.backward import B1Weights, b1, b1_events, b2, b2_events
from pebble.lower_bounds.attention.compulsory import compulsory_attention, compulsory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.backward_rows import b3
from pebble.lower_bounds.proved import backward_bounds, forward_bounds, proved_bounds
from pebble.lower_bounds.published import li_et_al
from pebble.lower_bounds.table import bounds
from tests.lower_bounds.backward_problems import backward
from tests.lower_bounds.brute_force import best_cut_by_brute_force
from tests.support.amounts import examples

SIZES = st.integers(1, 300)


def greatest_b1(T: float, d: int, dv: int) -> float:
    """The maximum of B1Weights over a grid in the square root of b, and where its two minimands meet."""
    segment = B1Weights(d, dv)
    B = segment.beta / segment.kappa
    s = np.append(np.sqrt(T) * np.linspace(0, 1, 100_001), np.sqrt(B * B + T) - B)
    rest = T - s * s
    return float((rest**2 / 4 + np.minimum(segment.beta * s * s, segment.kappa * s * rest / 2)).max())


@examples(15, 60)
@given(SIZES, SIZES, st.floats(-6, 7))
def test_b1_events_is_the_maximum_rounded_up_a_little(d: int, dv: int, log2: float) -> None:
    T = max(1, int(2**log2 * B1Weights(d, dv).kappa ** 2 / 16))
    found, grid = b1_events(T, d, dv), greatest_b1(T, d, dv)
    assert isinstance(found, int)
    assert math.floor(grid * (1 - 1e-12)) <= found <= grid * (1 + 1e-8) + 1


@examples(15, 60)
@given(SIZES, st.floats(-8, 3))
def test_b2_events_is_the_maximum(d: int, log2: float) -> None:
    T = max(1, int(2**log2 * d * d))
    y = T * np.linspace(0, 1, 100_001)
    grid = float((y * np.sqrt((T - y + y * y / (4 * d * d)) / 3)).max())
    assert math.floor(grid * (1 - 1e-12)) <= b2_events(T, d) <= grid * (1 + 1e-9) + 1 / 32


def test_b1_in_units_of_d_squared_is_the_closed_form() -> None:
    d = 5000
    for t in (9.0, 12.0, 20.0, 29.0, 29.02, 40.0, 100.0):
        T = int(t * d * d)
        closed = max(t * t / 16, 5.25 * (math.sqrt(9 + t) - 3) ** 2)
        assert b1_events(T, d, d) == pytest.approx(closed * 4 * d**4, rel=1e-6)
    bend = 84 - 6 * math.sqrt(84)
    T = math.ceil(bend * d * d) + 1
    assert b1_events(T, d, d) == T * T // 4
    T = math.floor(bend * d * d) - 1000
    assert b1_events(T, d, d) > T * T // 4


# -------------------------------------------------------------------------------------------- cutting


@pytest.mark.parametrize("seed", range(3))
def test_the_best_cut_is_found(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        d = rng.choice([1, 2, 5, 12])
        problem = backward(rng.randint(1, 40), rng.randint(1, 40), d, rng.choice([1, d, 7]))
        M = int(2 ** rng.uniform(1, 10))
        z, dv = problem.pairs, problem.dv
        W = z * B1Weights(d, dv).beta
        brute = best_cut_by_brute_force(W, M, lambda T, d=d, dv=dv: b1_events(T, d, dv))  # type: ignore[misc]
        assert brute * (1 - 1e-6) <= b1(problem, M).value <= brute
        least = min(d, dv)
        brute = best_cut_by_brute_force(z * (3 * d + 2 * dv), M, lambda T, k=least: b2_events(T, k))  # type: ignore[misc]
        brute = max(0, brute - 2 * z)
        assert brute * (1 - 1e-6) <= b2(problem, M).value <= brute


# ------------------------------------------------------------------------------------ values and domains


BEST_RIGOROUS = {
    0.05: 37.57,
    0.1: 25.97,
    0.25: 15.56,
    0.5: 10.28,
    1: 6.284,
    2: 3.803,
    3: 2.685,
    4: 2.086,
    6: 1.431,
    8: 1.214,
    12: 0.970,
    14.6: 12 / 14.6,
    20: 12 / 20,
    60: 12 / 60,
}


def best_known(mu: float) -> float:
    """Leading constant of the best known schedules."""
    if mu <= 0.25:
        return 3 + 10 / math.sqrt(mu)
    if mu <= 1:
        return 3 / mu + 3 + 4 / math.sqrt(mu)
    return min(5 / mu + 5, 9 / mu + 2, 14 / mu)


@pytest.mark.parametrize(("mu", "constant"), BEST_RIGOROUS.items())
def test_leading_constants(mu: float, constant: float) -> None:
    N, d = 10**10, 2000
    value = best_bound(backward(N, d=d), round(mu * d * d)).value / N**2
    assert constant * 0.999 <= value <= best_known(mu)
    assert value <= constant * 1.4, "this much better would be news; check it"


@pytest.mark.parametrize(("mu", "constant"), [(6, 1.4286), (8, 1.2143), (10, 1.0843), (12, 0.9701)])
def test_b1_below_its_threshold(mu: float, constant: float) -> None:
    N, d = 10**9, 1000
    assert b1(backward(N, d=d), int(mu * d * d)).value / N**2 == pytest.approx(constant, rel=1e-4)


@pytest.mark.parametrize("mu", [0.01, 0.3, 2, 14.51, 100])
def test_b1_is_at_least_its_simple_forms(mu: float) -> None:
    N, d = 10**8, 128
    M = int(mu * d * d)
    value = b1(backward(N, d=d), M).value
    assert value >= 12 * (N * d) ** 2 / (M + 4 * d * d) * (1 - 1e-9)
    if mu >= 14.51:
        assert value == pytest.approx(12 * (N * d) ** 2 / M, rel=2e-3)


def test_b2_has_its_leading_term() -> None:
    N, d, M = 10**9, 10**4, 10**4
    assert b2(backward(N, d=d), M).value == pytest.approx(5 * 3**0.5 * N * N * d / 100 - 2 * N * N, rel=1e-2)


@pytest.mark.parametrize(("d", "dv"), [(64, 64), (64, 16), (64, 100), (64, 128), (64, 300)])
def test_b1_for_other_head_dimensions(d: int, dv: int) -> None:
    N, M = 10**8, 400 * max(d, dv) ** 2
    D = d + dv
    beta = 2 * D * (2 * d + dv) if dv <= 2 * d else 4 * d * dv + (2 * d + dv) ** 2
    assert b1(backward(N, d=d, dv=dv), M).value == pytest.approx(beta * N * N / M, rel=5e-3)


def test_compulsory_counts_what_must_pass() -> None:
    assert compulsory_attention(backward(1000, d=64), 1).value == 8 * 1000 * 64 + 1000
    p = backward(3, 5, 7, 11)
    inputs = 3 * 7 + 5 * 7 + 5 * 11 + 2 * 3 * 11 + 3
    outputs = 3 * 7 + 5 * 7 + 5 * 11
    assert compulsory_attention(p, 1).value == compulsory_words(p) == inputs + outputs


def test_all_bounds_come_best_first_and_hold_under_all_rules() -> None:
    problem = backward(5000)
    for rules in (Rules(a, b) for a in (True, False) for b in (True, False)):
        found = backward_bounds(problem, 3000, rules)
        assert sorted(bound.name for bound in found) == ["B1", "B2", "B3", "B4", "D backward", "compulsory"]
        assert [b.value for b in found] == sorted((b.value for b in found), reverse=True)
        assert best_bound(problem, 3000, rules) == found[0] == proved_bounds(problem, 3000, rules)[0]
        assert all(bound.proved and isinstance(bound.value, int) for bound in found)


def test_the_table_serves_the_backward_pass() -> None:
    problem = Problem(4096, 4096, 64, 64, heads=3, batch=2, pass_name="backward")
    table = bounds(problem, 25_000)
    assert table.best.value == 6 * best_bound(problem, 25_000).value
    assert [curve.name for curve in table.curves] == ["Li et al.", "FlashAttention", "standard attention"]
    assert regime(problem, 4095).large_cache is False


def test_the_forward_pass_is_not_touched() -> None:
    problem = Problem.square(4096, 64)
    assert proved_bounds(problem, 25_000) == forward_bounds(problem, 25_000)
    for bound in (b1, b2, b3, backward_bounds, li_et_al):
        with pytest.raises(BoundDoesNotApply, match="backward"):
            bound(problem, 1000)
    with pytest.raises(BoundDoesNotApply, match="forward"):
        forward_bounds(backward(10), 100)


@pytest.mark.parametrize("M", [0, -5, True, 3.0, "7", None])
@pytest.mark.parametrize("bound", [compulsory_attention, b1, b2, b3, backward_bounds, best_bound, bounds])
def test_nonsense_words_are_refused(bound: Callable[[Problem, int], object], M: int) -> None:
    with pytest.raises(InvalidInput, match="M "):
        bound(backward(4, d=2), M)


def test_huge_sizes() -> None:
    for N in (10**9, 10**15):
        for mu in (0.01, 1, 20):
            bound: Bound = best_bound(backward(N, d=128), int(mu * 128**2))
            assert isinstance(bound.value, int)
            assert bound.value > N * N // 2
    assert b1(backward(1, 1, 1, 1), 1).value >= 0
    assert b2(backward(1, 1, 1, 1), 1).value >= 0
