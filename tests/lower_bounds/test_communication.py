"""Bounds on communication: values, domains, rounding, and that no schedule beats them."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.lower_bounds.attention.communication import (
    communication_bounds,
    d1_busiest,
    d1_total,
    d2,
    d3_total,
    phi,
    words_for_shares,
)
from pebble.lower_bounds.attention.tile_words import least_words, most_products, received_at_least
from pebble.program.parallel import LAYOUTS, SharedProblem, distributed_schedules, play


def some(quick: int, slow: int) -> list[Any]:
    """Seeds: the first ones quick, the others for the long run."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, slow))]


def dense(
    N: int, d: int, P: int, heads: int = 1, kv_heads: int = 1, pass_name: str = "forward"
) -> SharedProblem:
    return SharedProblem(N, d, P, heads, kv_heads, pass_name=pass_name)


def G(w: float, d: int) -> float:
    return min(3 * math.cbrt(w) ** 2, 4 * math.sqrt(d * w))


@pytest.mark.parametrize("q", [2, 3, 4, 8])
def test_one_head_without_a_mask(q: int) -> None:
    N, d = 3 * 64 * q, 16
    words = 4 * d * N * (q - 1)
    assert d1_total(dense(N, d, q * q)).value == words
    assert phi(dense(N, d, q * q)).value == d1_busiest(dense(N, d, q * q)).value == -(-words // q**2)


def test_small_tiles_have_the_other_branch() -> None:
    N, d, P = 64, 100, 16
    w = N * N * d / P
    assert d1_busiest(dense(N, d, P)).value == math.ceil(3 * w ** (2 / 3) - 4 * d * N / P)
    assert math.isclose(float(least_words(Fraction(w), d)), 3 * w ** (2 / 3), rel_tol=1e-12)
    assert d1_total(dense(10**6, 1000, 10**6)).value < 4 * 1000 * 10**6 * 999


@pytest.mark.parametrize("seed", some(12, 50))
def test_rounding_is_to_the_safe_side(seed: int) -> None:
    chance = random.Random(seed)
    d, T = chance.randint(1, 100), Fraction(chance.randint(1, 10**6), chance.randint(1, 100))
    w = most_products(T, d)
    assert w * w >= (T / 3) ** 3
    assert T * T / (16 * d) <= w
    assert least_words(T, d) ** 3 <= 27 * T * T
    assert least_words(T, d) ** 2 <= 16 * d * T
    assert math.isclose(least_words(T, d), G(float(T), d), rel_tol=1e-9)


@pytest.mark.parametrize(
    ("kv_heads", "P", "words"),
    [(8, 4, 10.3), (8, 8, 7.38), (8, 32, 3.60), (8, 128, 1.91), (8, 1024, 0.70), (32, 32, 3.81)],
)
def test_whole_heads(kv_heads: int, P: int, words: float) -> None:
    N, d = 2**20, 128
    assert phi(dense(N, d, P, 32, kv_heads)).value / N / d == pytest.approx(words, rel=0.005)


@pytest.mark.parametrize("seed", some(6, 30))
def test_whole_heads_is_the_least_over_random_shares(seed: int) -> None:
    chance = random.Random(seed)
    d, P, kv_heads, g = (chance.randint(1, 8) for _ in range(4))
    sizes = dense(P * chance.randint(1, 20), d, P, kv_heads * g, kv_heads)
    N, whole = sizes.N, g * sizes.pairs * d
    total = kv_heads * whole * chance.random()
    own = (2 * g + 2) * (N // P) * d

    def cost(w: float) -> float:
        small = 3 * math.cbrt(w) ** 2
        large = 4 * math.sqrt(d * w) if w <= N * N * d else 2 * N * d + 2 * w / N
        return max(0.0, min(small, large) - own)

    bound = float(received_at_least(sizes, Fraction(total)))
    for _ in range(200):
        shares = [0.0] * kv_heads
        left, order = total, chance.sample(range(kv_heads), kv_heads)
        for place, head in enumerate(order):
            most = min(whole, left)
            least = max(0.0, left - (kv_heads - 1 - place) * whole)
            shares[head] = chance.choice((least, most, chance.uniform(least, most)))
            left -= shares[head]
        shares[order[-1]] += left
        assert sum(map(cost, shares)) >= bound * (1 - 1e-9) - 1e-6


def test_shares_that_are_equal_give_phi() -> None:
    sizes = dense(1024, 16, 64, 4, 2)
    pairs = [sizes.heads * sizes.pairs // 64] * 64
    assert 64 * (phi(sizes).value - 1) < words_for_shares(sizes, pairs) <= 64 * phi(sizes).value


def test_memory() -> None:
    """The leading term is 8(√2 − 1)·w·d/H, and the ring's own memory gives 0.4 Nd."""
    N, d, P = 2**24, 8, 2**14
    H = 3000
    assert d2(dense(N, d, P), H).value == pytest.approx(
        8 * (math.sqrt(2) - 1) * N * N * d * d / P / H, rel=0.01
    )
    ring = dense(2**20, 64, 1024)
    assert d2(ring, 8 * 2**10 * 64).value / (2**20 * 64) == pytest.approx(0.4, abs=0.02)


def test_backward() -> None:
    N, d = 2**14, 16
    for P in (4, 12, 64):
        words = 4 * math.sqrt(3) * N * d * math.sqrt(P) - 7 * N * d
        assert d3_total(dense(N, d, P, pass_name="backward")).value == math.ceil(words)
        C, R = {12: (4, 3)}.get(P, (1, 1))
        if P == 12:
            moved = N * ((3 * d + 2) * (C - 1) + 4 * d * (R - 1))
            assert moved - math.ceil(words) == 2 * N * (C - 1)
    with pytest.raises(BoundDoesNotApply, match="53d² is 13,568"):
        d3_total(dense(64, d, 4, pass_name="backward"))


def test_refusals() -> None:
    with pytest.raises(BoundDoesNotApply, match="P = 3 does not divide N = 100"):
        phi(dense(100, 4, 3))
    with pytest.raises(BoundDoesNotApply, match="D1-total is proved for the forward pass"):
        d1_total(dense(100, 4, 2, pass_name="backward"))
    with pytest.raises(BoundDoesNotApply, match="dv = 8 and d = 4"):
        d1_busiest(SharedProblem(100, 4, 2, dv=8))
    with pytest.raises(InvalidInput, match="less than its share"):
        d1_total(dense(100, 4, 2), Fraction(1, 2))
    with pytest.raises(InvalidInput, match="positive whole number of words"):
        d2(dense(100, 4, 2), 0)
    with pytest.raises(InvalidInput, match="evenly"):
        dense(100, 4, 2, 3, 2)
    found, refused = communication_bounds(dense(100, 4, 3), 1000)
    assert [bound.name for bound in found] == ["D1-total", "D1-busiest", "D2"]
    assert list(refused) == ["Phi"]


def test_work_that_is_not_balanced_lowers_the_bound() -> None:
    """One device that does everything moves less than the bound for equal work; the bound for its balance holds."""
    sizes = dense(12, 1, 4)
    moved = 4 * 12 * 3 // 4
    assert d1_total(sizes).value == 48 > moved
    assert d1_total(sizes, 4).value <= moved


@pytest.mark.parametrize("seed", some(8, 80))
def test_no_schedule_beats_a_bound(seed: int) -> None:
    chance = random.Random(seed)
    P, kv_heads = chance.choice((4, 6, 9, 12, 16)), chance.choice((1, 2, 4))
    N, d = P * chance.choice((2, 8, 40)), chance.randint(1, 3)
    causal, pass_name = chance.random() < 0.5, chance.choice(("forward", "forward", "backward"))
    heads = kv_heads * chance.choice((1, 2, 4))
    p = sizes = SharedProblem(N, d, P, heads, kv_heads, causal, pass_name, chance.choice(LAYOUTS))
    for schedule in distributed_schedules(pass_name):
        try:
            shape = schedule.best_shape(p)
        except InvalidInput:
            continue
        traffic = play(schedule.exchange(p, shape))
        balance = Fraction(max(traffic.pairs) * P, p.pairs * heads)
        both = max(a + b for a, b in zip(traffic.received, traffic.sent, strict=True))
        if pass_name == "backward":
            if balance * heads * p.pairs >= 53 * d * d * P:
                assert traffic.total >= d3_total(sizes, balance).value
            continue
        assert traffic.total >= d1_total(sizes, balance).value
        assert traffic.total >= words_for_shares(sizes, traffic.pairs)
        assert both >= max(d1_busiest(sizes).value, phi(sizes).value)
        assert both >= d2(sizes, max(traffic.memory) + N * N).value
        if len(set(traffic.pairs)) == 1:
            assert max(traffic.received) >= phi(sizes).value
