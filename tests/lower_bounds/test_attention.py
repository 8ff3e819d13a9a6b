"""T1, T2, B1 and B2: exactness, agreement with brute force, leading terms and domains; what both passes share."""

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
from pebble.lower_bounds import best_bound, forward_bounds, regime, t1, t2
from pebble.lower_bounds.attention.backward import B1Weights, b1, b1_events, b2, b2_events
from pebble.lower_bounds.attention.compulsory import compulsory_attention
from pebble.lower_bounds.attention.forward import t1_events, t2_events
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.backward_rows import b3
from pebble.lower_bounds.cutting import SegmentBound, best_cut, least_words
from pebble.lower_bounds.matmul_fft import fft, fft_cut, fft_events, matmul, matmul_cut
from pebble.lower_bounds.proved import backward_bounds, proved_bounds
from pebble.lower_bounds.published import li_et_al
from pebble.lower_bounds.rounding import ceil_div
from pebble.lower_bounds.table import bounds
from tests.lower_bounds.backward_problems import backward
from tests.lower_bounds.brute_force import best_cut_by_brute_force
from tests.support.amounts import examples


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


def test_copies_are_left_to_the_caller() -> None:
    assert t1(Problem(64, 64, 8, 8, heads=12, batch=3), 100) == t1(Problem(64, 64, 8, 8), 100)


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


def test_the_table_serves_the_backward_pass() -> None:
    problem = Problem(4096, 4096, 64, 64, heads=3, batch=2, pass_name="backward")
    table = bounds(problem, 25_000)
    assert table.best.value == 6 * best_bound(problem, 25_000).value
    assert [curve.name for curve in table.curves] == ["Li et al.", "FlashAttention", "standard attention"]
    assert regime(problem, 4095).large_cache is False


def test_huge_sizes() -> None:
    for N in (10**9, 10**15):
        for mu in (0.01, 1, 20):
            bound: Bound = best_bound(backward(N, d=128), int(mu * 128**2))
            assert isinstance(bound.value, int)
            assert bound.value > N * N // 2
    assert b1(backward(1, 1, 1, 1), 1).value >= 0
    assert b2(backward(1, 1, 1, 1), 1).value >= 0


# Both passes

FORWARD = (compulsory_attention, t1, t2, best_bound, forward_bounds)
BACKWARD = (compulsory_attention, b1, b2, b3, best_bound, backward_bounds, bounds)


def events_of(bound: SegmentBound, problem: Problem) -> Callable[[int], int]:
    return lambda T: bound.events(T, problem)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_cut_is_found(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        Nq, Nk, d = rng.randint(1, 50), rng.randint(1, 50), rng.choice([1, 2, 5, 16, 64])
        dv, M = rng.choice([1, d, 7]), int(2 ** rng.uniform(1, 11))
        forward, problem = Problem(Nq, Nk, d, dv), backward(Nq, Nk, min(d, 12), dv)
        for bound, one in ((t1, forward), (t2, forward), (b1, problem), (b2, problem)):
            brute = best_cut_by_brute_force(bound.work(one), M, events_of(bound, one))
            brute = max(0, brute + bound.more(one))
            assert brute * (1 - 1e-6) <= bound(one, M).value <= brute
        brute = best_cut_by_brute_force(Nq * d * 7, M, lambda T: math.isqrt(T**3 // 27))
        assert brute * (1 - 1e-6) <= matmul_cut(Nq, d, 7, M).value <= brute
        brute = 64 + best_cut_by_brute_force(64 * 6, M, fft_events)
        assert brute * (1 - 1e-2) <= fft_cut(64, M).value <= brute


def test_compulsory_counts_what_must_pass() -> None:
    inputs, outputs = 3 * 7 + 5 * 7 + 5 * 11, 3 * 11
    assert compulsory_attention(Problem(3, 5, 7, 11), 1).value == inputs + outputs
    gradients = backward(3, 5, 7, 11)
    assert compulsory_attention(gradients, 1).value == inputs + 2 * 3 * 11 + 3 + inputs
    assert matmul(3, 5, 7, 10**6).value == 3 * 7 + 7 * 5 + 3 * 5
    assert fft(16, 10**6).value == 32


@pytest.mark.parametrize(
    ("problem", "ask", "names"),
    [
        (Problem.square(2000, 64), forward_bounds, {"D", "T1", "T2", "T3", "T4", "compulsory"}),
        (backward(5000), backward_bounds, {"B1", "B2", "B3", "B4", "D backward", "compulsory"}),
    ],
)
def test_all_bounds_come_best_first_and_hold_under_all_rules(
    problem: Problem, ask: Callable[[Problem, int, Rules], list[Bound]], names: set[str]
) -> None:
    for rules in (Rules(a, b) for a in (True, False) for b in (True, False)):
        found = ask(problem, 2000, rules)
        assert {bound.name for bound in found} == names
        assert [b.value for b in found] == sorted((b.value for b in found), reverse=True)
        assert best_bound(problem, 2000, rules) == found[0] == proved_bounds(problem, 2000, rules)[0]
        assert all(bound.proved and isinstance(bound.value, int) for bound in found)


@pytest.mark.parametrize("M", [0, -5, True, 3.0, "7", None])
def test_nonsense_words_are_refused(M: int) -> None:
    for some, problem in ((FORWARD, Problem.square(4, 2)), (BACKWARD, backward(4, d=2))):
        for bound in some:
            with pytest.raises(InvalidInput, match="M "):
                bound(problem, M)


def test_another_pass_is_refused() -> None:
    for some, problem, needed in (
        ((t1, t2, forward_bounds), backward(8, d=4), "forward"),
        ((b1, b2, b3, backward_bounds, li_et_al), Problem.square(8, 4), "backward"),
    ):
        for bound in some:
            with pytest.raises(BoundDoesNotApply, match=needed):
                bound(problem, 10)
