"""How much a segment does, against the greatest on a fine grid; and the best cutting, against all of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.lower_bounds import t1, t2
from pebble.lower_bounds.attention.backward import MOST_WIDE, B1Weights, b1, b1_events, b2, b2_events
from pebble.lower_bounds.attention.forward import t1_events, t2_events
from pebble.lower_bounds.attention.latent import latent_bound, latent_events
from pebble.lower_bounds.attention.varying_work import (
    linear,
    linear_backward,
    linear_backward_events,
    linear_events,
    rescaled_by_block,
    safe_softmax,
    safe_softmax_events,
    safe_softmax_weight,
)
from pebble.lower_bounds.cutting import SegmentBound, best_cut, least_words
from pebble.lower_bounds.matmul_fft import fft_cut, fft_events, matmul_cut
from pebble.lower_bounds.rounding import ceil_div
from tests.support.amounts import examples

SIZES = st.integers(1, 300)


@given(st.integers(0, 10**8), st.integers(1, 10**3), st.integers(1, 10**3))
def test_t1_events_is_the_whole_part_of_the_greater_form(T: int, d: int, dv: int) -> None:
    with localcontext(prec=80):
        few = (Decimal(T) / 3) ** Decimal("1.5")
        if 3 * dv**2 < T:
            few = dv * ((T + Decimal(dv) ** 2).sqrt() - dv) ** 2
        many = Decimal(T) ** 2 / (16 * d) if dv >= d else dv * Decimal(T) ** 2 / (4 * (d + dv) ** 2)
        assert t1_events(T, d, dv) == math.floor(max(few, many) + Decimal("1e-40"))


@given(st.integers(1, 10**15), SIZES, SIZES, st.integers(0, 10**12))
def test_least_words_is_the_inverse_of_events(w: int, d: int, dv: int, near: int) -> None:
    for events in (
        lambda T: t1_events(T, d, dv),
        lambda T: t2_events(T, d),
        lambda T: b1_events(T, d, dv),
        lambda T: b2_events(T, d),
        lambda T: latent_events(T, d + dv, dv),
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


def test_blocks_and_cubes_reach_the_events_exactly() -> None:
    """Whole rows, ``dv <= d``: ``side² dv`` events, ``2 side (d + dv)`` words. A cube: ``side³``, ``3 side²``."""
    for side in range(1, 50):
        assert t1_events(3 * side**2, 10**6, side) == t2_events(3 * side**2, 10**9) == side**3
        assert latent_events(3 * side**2, 10**6, 10**6 - 1) == side**3
        for d, dv in ((2, 1), (8, 7), (30, 30), (8, 8)):
            found = t1_events(2 * side * (d + dv), d, dv)
            assert found >= side**2 * dv
            assert found == side**2 * dv or side < 2 * d


def greatest_b1(T: float, d: int, dv: int, width: int) -> float:
    """The maximum of B1Weights over a grid in the square root of b, and where its two minimands meet."""
    segment = B1Weights(d, dv, width)
    B = segment.beta / segment.kappa
    s = np.append(np.sqrt(T) * np.linspace(0, 1, 100_001), np.sqrt(B * B + T) - B)
    rest = T - s * s
    return float((rest**2 / 4 + np.minimum(segment.beta * s * s, segment.kappa * s * rest / 2)).max())


@examples(15, 60)
@given(SIZES, SIZES, st.floats(-6, 7))
def test_b1_events_is_the_maximum_rounded_up_a_little(d: int, dv: int, log2: float) -> None:
    T = max(1, int(2**log2 * B1Weights(d, dv).kappa ** 2 / 16))
    found, grid = b1_events(T, d, dv), greatest_b1(T, d, dv, 1)
    assert isinstance(found, int)
    assert math.floor(grid * (1 - 1e-12)) <= found <= grid * (1 + 1e-8) + 1


@pytest.mark.parametrize("w", range(2, MOST_WIDE + 1))
def test_b1_events_of_wide_sums(w: int) -> None:
    for d, T in ((1, 50), (8, 3000), (8, 40_000), (64, 10**6)):
        assert B1Weights(d, d, w).beta == (8 + 6 * w) * d * d
        grid = [T * k / 4000 for k in range(4001)]
        beta, kappa = (8 + 6 * w) * d * d, (4 + 2 * w) * d / math.sqrt(w)
        real = max((T - b) ** 2 / 4 + min(beta * b, kappa * math.sqrt(b) * (T - b) / 2) for b in grid)
        assert 0.999 * real <= b1_events(T, d, d, w) <= real * (1 + 0.3 / d) + 2


@examples(15, 60)
@given(SIZES, st.floats(-8, 3))
def test_b2_events_is_the_maximum(d: int, log2: float) -> None:
    T = max(1, int(2**log2 * d * d))
    y = T * np.linspace(0, 1, 100_001)
    grid = float((y * np.sqrt((T - y + y * y / (4 * d * d)) / 3)).max())
    assert math.floor(grid * (1 - 1e-12)) <= b2_events(T, d) <= grid * (1 + 1e-9) + 1 / 32


def test_events_of_linear_attention_that_are_left_out() -> None:
    """Where the words at hand make a state anew, what reads it is not counted."""

    def causal(heads: int = 1) -> Problem:
        return Problem.square(10, 2, 3, attention="linear", mask="causal", heads=heads, kv_heads=1)

    assert linear_events(causal(), 8) == linear_events(causal(), 7) == 6 * (10 + 6)
    assert linear_events(causal(heads=5), 7) == 6 * (10 + 5 * 6)
    assert linear_events(causal(), 21) == linear_events(causal(), 100) == 60
    right = Problem(7, 10, 2, 3, attention="linear")
    assert [linear_events(right, T) for T in (19, 20)] == [6 * 17, 60]


# -- the best cutting


def best_of_all(W: int, M: int, events: Callable[[int], int]) -> int:
    """The formula with G for every h up to where it cannot help, by scanning T; and no cleverness at all."""
    T, table = 0, [events(0)]
    while table[-1] < W:
        T += 1
        table.append(events(T))
    best, h = T, 1
    while T > M and h <= W:
        while T and table[T - 1] * h >= W:
            T -= 1
        best = max(best, M + 1 + h * (T - M - 1))
        h += 1
    return best


def events_of(bound: SegmentBound, problem: Problem) -> Callable[[int], int]:
    return lambda T: bound.events(T, problem)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_cut_is_found(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(6):
        Nq, Nk, d = rng.randint(1, 50), rng.randint(1, 50), rng.choice([1, 2, 5, 16, 64])
        dv, M = rng.choice([1, d, 7]), int(2 ** rng.uniform(1, 11))
        forward = Problem(Nq, Nk, d, dv)
        backward = Problem(Nq, Nk, min(d, 12), dv, pass_name="backward")
        latent = Problem(min(Nq, 9), min(Nk, 9), min(d, 5) + dv, dv, shared_values=True)
        for bound, one in (
            (t1, forward),
            (t2, forward),
            (b1, backward),
            (b2, backward),
            (latent_bound, latent),
        ):
            brute = best_of_all(bound.work(one), M, events_of(bound, one))
            brute = max(0, brute + bound.more(one))
            assert brute * (1 - 1e-6) <= bound(one, M).value <= brute
        brute = best_of_all(Nq * d * 7, M, lambda T: math.isqrt(T**3 // 27))
        assert brute * (1 - 1e-6) <= matmul_cut(Nq, d, 7, M).value <= brute
        brute = 64 + best_of_all(64 * 6, M, fft_events)
        assert brute * (1 - 1e-2) <= fft_cut(64, M).value <= brute


def test_a_wrong_guess_cannot_lift_a_bound() -> None:
    W, M = 10**5, 50
    brute = best_of_all(W, M, lambda T: t1_events(T, 8, 3))
    for X in (1, 3, 10, 1000, 10**5):
        assert best_cut(W, M, lambda T: t1_events(T, 8, 3), X).moves <= brute


@pytest.mark.parametrize(
    ("N", "d", "M", "block"),
    [
        *(
            (N, d, M, None)
            for N, d, M in [(20, 1, 10), (50, 1, 3), (90, 1, 100), (100, 2, 136), (300, 1, 40)]
        ),
        *((50, 1, 3, 7), (90, 1, 100, 40), (300, 1, 40, 64)),
    ],
)
def test_the_best_cut_of_safe_softmax_is_found(N: int, d: int, M: int, block: int | None) -> None:
    """In two passes, and by blocks of keys."""
    problem = Problem.square(N, d, softmax="online" if block else "safe")
    keys = [min(block or N, N - first) for first in range(0, N, block or N)]
    best = 0
    for X in range(max(1, 34 * d * d - M), 40 * M + 40):
        T = M + X
        work = N * N * (d + 4 * d) - d * N * sum(min(one, T // d) for one in keys)
        assert block or work == safe_softmax_weight(problem, T)
        segments = ceil_div(work, safe_softmax_events(T, d))
        best = max(best, M + 1 + X * (segments - 1) if segments >= 2 else 0)
    assert (rescaled_by_block(problem, M, block) if block else safe_softmax(problem, M)).value == best


def test_safe_softmax_under_a_mask_does_not_count_queries_without_a_key() -> None:
    problem = Problem.square(300, 1, softmax="safe", stats=True, mask="window:40")
    assert safe_softmax_weight(problem, 50) == problem.pairs * 5 - min(problem.pairs, 300 * 50)
    some = mask_from_array([[False] * 100] * 3 + [[True] * 100] * 50, empty_rows="zero")
    whole, fewer = (
        Problem(50, 100, 1, 1, True, softmax="safe"),
        Problem(53, 100, 1, 1, True, softmax="safe", mask=some),
    )
    assert safe_softmax(fewer, 20).value == safe_softmax(whole, 20).value


def test_no_order_moves_fewer_words_than_by_blocks() -> None:
    """Row blocks that keep the keys of a block, or sweep over them twice: their words and room are known."""
    rng, applied = random.Random(3), 0
    for _ in range(60):
        d, N = rng.randint(1, 3), rng.randint(50, 3000)
        rows, block = rng.randint(1, N), rng.randint(1, N)
        problem, sweeps = Problem.square(N, d, softmax="online"), ceil_div(N, rows)
        kept = 2 * N * d + 2 * N * d * sweeps, rows * (2 * d + 2) + block * (2 * d + 1) + 2
        twice = 2 * N * d + 3 * N * d * sweeps, rows * (2 * d + 2) + 2 * d + 2
        for words, room in (kept, twice):
            with suppress(BoundDoesNotApply):
                assert rescaled_by_block(problem, room, block).value <= words
                applied += 1
    assert applied > 30


@pytest.mark.parametrize("seed", range(3))
def test_the_best_cut_of_linear_attention_is_found(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        Nq, Nk, d, dv = (rng.randint(1, most) for most in (40, 40, 6, 6))
        causal = Problem.square(Nk, d, dv, attention="linear", mask="causal")
        problem, M = rng.choice([Problem(Nq, Nk, d, dv, attention="linear"), causal]), rng.randint(3, 80)
        segments = (
            (X, ceil_div(linear_events(problem, M + X), max(1, math.isqrt((M + X) ** 3 // 27))))
            for X in range(1, 1500)
        )
        cuts = [M + 1 + X * (number - 1) for X, number in segments if number > 1]
        assert linear(problem, M).value == max([0, *(moves - d * dv for moves in cuts)])


@pytest.mark.parametrize("seed", range(3))
def test_the_events_of_gradients_of_linear_attention(seed: int) -> None:
    """At most 2·T^(3/2)/9 for any share of T words, which is reached; and the best cut is found."""
    rng = np.random.default_rng(seed)

    def events(*words: Any) -> Any:
        h, r, K, V, Q, dO, dQ, dK, dV = words
        first = np.sqrt(h) * (np.sqrt(K * V) + np.sqrt(dO * dQ))
        return first + np.sqrt(r) * (np.sqrt(Q * dO) + np.sqrt(V * dK) + np.sqrt(K * dV))

    shares = rng.dirichlet(np.full(9, rng.uniform(0.2, 3)), size=20_000)
    assert events(*shares.T).max() <= 2 / 9
    assert events(1, 2, 2, 2, 0, 0, 0, 1, 1) / 27 == pytest.approx(2 / 9)
    N, d, dv, M = (int(rng.integers(1, most)) for most in (40, 6, 6, 80))
    problem = Problem.square(N, d, dv, attention="linear", mask="causal", pass_name="backward")
    parts = (
        (X, ceil_div(linear_backward_events(problem, M + X), max(1, math.isqrt(4 * (M + X) ** 3 // 81))))
        for X in range(1, 1500)
    )
    cuts = [M + 1 + X * (number - 1) for X, number in parts if number > 1]
    assert linear_backward(problem, M).value == max([0, *(moves - 2 * d * dv for moves in cuts)])


# -- rows times columns: the claim of two proofs, on random shares; it is reached where all accumulators are at work


@pytest.mark.parametrize("w", range(2, MOST_WIDE + 1))
def test_rows_times_columns_of_wide_sums(w: int) -> None:
    rng, least = random.Random(w), math.inf
    omega, kappa = 2 * w, 4 + 2 * w
    for _ in range(3000):
        d, r, rho, c2, delta = (rng.randint(low, 5) for low in (1, 0, 0, 0, 0))
        c1 = c2 + delta
        o = [rng.choice((0, rho, rng.randint(0, rho))) for _ in range(d)]
        v = [rng.choice((0, c1, rng.randint(0, c1))) for _ in range(d)]
        V, O, X = sum(v), sum(o), sum(map(math.prod, zip(o, v, strict=True)))
        W, Y = (rng.choice((0, d * most, rng.randint(0, d * most))) for most in (c2, r))
        rows = d * (r + rho) + d * r + O + w * Y
        columns = d * c1 + d * c2 + w * (V + W)
        work = d * (omega * (r * V + X) + kappa * (r * W + c2 * Y))
        assert rows * columns >= work
        least = min(least, rows * columns / work) if work else least
    assert least == 1


def test_rows_times_columns_of_the_gradient_of_the_weights() -> None:
    rng, least = random.Random(3), math.inf
    for _ in range(4000):
        d, rho, r, c2, more = (rng.randint(low, 5) for low in (1, 0, 0, 0, 0))
        c1 = c2 + more
        u = [rng.choice((0, rho, rng.randint(0, rho))) for _ in range(d)]
        v = [rng.choice((c2, c1, rng.randint(c2, c1))) for _ in range(d)]
        s, x = rng.choice((0, d * r, rng.randint(0, d * r))), sum(map(math.prod, zip(u, v, strict=True)))
        product, work = (d * rho + sum(u) + 2 * d * r + s) * (d * c1 + sum(v)), 4 * d * x + 6 * d * c2 * s
        assert product >= work
        least = min(least, product / work) if work else least
    assert least == 1
