"""Bounds on communication: values, domains, rounding, and that no schedule and no random run beats them."""

from __future__ import annotations

import io
import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.registry import family_from_header
from pebble.computations.shared_problem import SharedProblem
from pebble.game.files.processor_files import ProcessorCheck, check_processor_pebbling
from pebble.game.files.reader import PebblingReader
from pebble.lower_bounds.attention.communication import (
    communication_bounds,
    d1_busiest,
    d1_total,
    d2,
    d3_total,
    phi,
    words_for_shares,
)
from pebble.lower_bounds.attention.tile_words import (
    least_words,
    most_products,
    products_of,
    received_at_least,
)
from pebble.program.parallel import LAYOUTS, distributed_schedules, play
from tests.support.amounts import first
from tests.support.random_processor_runs import Place, random_forward, tokens_of


def dense(
    N: int, d: int, P: int, heads: int = 1, kv_heads: int = 1, pass_name: str = "forward"
) -> SharedProblem:
    return SharedProblem(N, d, P, heads, kv_heads, pass_name=pass_name)


@pytest.mark.parametrize("q", [2, 8])
def test_one_head_without_a_mask(q: int) -> None:
    N, d = 3 * 64 * q, 16
    words = 4 * d * N * (q - 1)
    assert d1_total(dense(N, d, q * q)).value == words
    assert phi(dense(N, d, q * q)).value == d1_busiest(dense(N, d, q * q)).value == -(-words // q**2)


@pytest.mark.parametrize("seed", first(12, range(50)))
def test_rounding_is_to_the_safe_side(seed: int) -> None:
    chance = random.Random(seed)
    d, T = chance.randint(1, 100), Fraction(chance.randint(1, 10**6), chance.randint(1, 100))
    w = most_products(T, d)
    assert w * w >= (T / 3) ** 3
    assert T * T / (16 * d) <= w
    assert least_words(T, d) ** 3 <= 27 * T * T
    assert least_words(T, d) ** 2 <= 16 * d * T
    least = min(3 * math.cbrt(T) ** 2, 4 * math.sqrt(d * T))
    assert math.isclose(least_words(T, d), least, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("kv_heads", "P", "words"),
    [(8, 4, 10.3), (8, 32, 3.60), (8, 1024, 0.70), (32, 32, 3.81)],
)
def test_whole_heads(kv_heads: int, P: int, words: float) -> None:
    N, d = 2**20, 128
    assert phi(dense(N, d, P, 32, kv_heads)).value / N / d == pytest.approx(words, rel=0.005)


@pytest.mark.parametrize("seed", first(6, range(30)))
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


REFUSED: list[tuple[Any, SharedProblem, tuple[Any, ...], type[Exception], str]] = [
    (phi, dense(100, 4, 3), (), BoundDoesNotApply, "P = 3 does not divide N = 100"),
    (d1_total, dense(100, 4, 2, pass_name="backward"), (), BoundDoesNotApply, "proved for the forward pass"),
    (d1_busiest, SharedProblem(100, 4, 2, dv=8), (), BoundDoesNotApply, "dv = 8 and d = 4"),
    (d1_total, dense(100, 4, 2), (Fraction(1, 2),), InvalidInput, "less than its share"),
    (d2, dense(100, 4, 2), (0,), InvalidInput, "positive whole number of words"),
    (d3_total, dense(64, 16, 4, pass_name="backward"), (), BoundDoesNotApply, "53d² is 13,568"),
]


@pytest.mark.parametrize(("bound", "sizes", "more", "error", "words"), REFUSED)
def test_refusals(
    bound: Any, sizes: SharedProblem, more: tuple[Any, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        bound(sizes, *more)


def test_what_does_not_apply_is_said() -> None:
    found, refused = communication_bounds(dense(100, 4, 3), 1000)
    assert [bound.name for bound in found] == ["D1-total", "D1-busiest", "D2"]
    assert list(refused) == ["Phi"]


@pytest.mark.parametrize("seed", first(8, range(80)))
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


# -- random legal runs


def played(name: str, sizes: SharedProblem, layout: str, lines: list[str]) -> ProcessorCheck:
    lengths = {"Nq": sizes.N, "Nk": sizes.N, "d": sizes.d, "dv": sizes.d}
    if name == "attention-heads":
        lengths |= {"Hq": sizes.heads, "Hk": sizes.kv_heads}
    dag = family_from_header(name, {key: str(value) for key, value in lengths.items()}).dag()
    sums = "l U" if name != "attention-backward" else "dQ dK dV"
    head = f"# pebbling 1\n# dag {name}\n# devices {sizes.P}\n# layout {layout}\n# sums {sums}\n"
    reader = PebblingReader(io.StringIO(head + "\n".join(lines) + "\n"))
    found = check_processor_pebbling(reader, lambda header: dag)
    assert found.complete, str(found)
    return found


def nearness(found: ProcessorCheck, sizes: SharedProblem) -> float:
    """Hold a run that absorbs every product once to all bounds; return how far above D1(a) it is."""
    tally = found.tally
    products = tally.computes_of("U")
    assert sum(products) == products_of(sizes)
    total = d1_total(sizes, Fraction(max(products) * sizes.P, products_of(sizes))).value
    busy = max(a + b for a, b in zip(tally.counts("received"), tally.counts("sent"), strict=True))
    assert tally.total("received") >= total
    assert busy >= d1_busiest(sizes).value
    assert busy >= d2(sizes, max(tally.counts("memory_peak"))).value
    if sizes.N % sizes.P == 0:
        assert busy >= phi(sizes).value
        assert tally.total("received") >= words_for_shares(sizes, [count // sizes.d for count in products])
    return tally.total("received") / max(total, 1e-9)


def placements(N: int, P: int, rng: np.random.Generator) -> dict[str, Place]:
    """Where products are absorbed: on tiles of a grid, on tiles drawn anew, anywhere, all on one device, …"""
    q = math.isqrt(P)
    where = rng.integers(P, size=(N, N, 3))
    balanced = rng.permutation(np.arange(N * N) % P).reshape(N, N)
    rows, columns = rng.permutation(N), rng.permutation(N)
    return {
        "grid": lambda i, j, e: i * P // N // q * q + j * P // N % q if q * q == P else j * P // N,
        "grid of drawn tokens": lambda i, j, e: (
            int((rows[i] * q // N) * q + columns[j] * q // N) if q * q == P else 0
        ),
        "rows": lambda i, j, e: i * P // N,
        "balanced": lambda i, j, e: int(balanced[i, j]),
        "anywhere": lambda i, j, e: int(where[i, j, e]),
        "one device": lambda i, j, e: 0,
    }


ONE_HEAD = [(4, 2, 2, 0), (4, 2, 2, 1), (8, 1, 4, 0)]
ONE_HEAD += [(*sizes, seed) for sizes in [(4, 1, 4), (4, 2, 2), (6, 1, 3), (8, 1, 4)] for seed in range(2, 9)]


@pytest.mark.parametrize("run", first(3, ONE_HEAD), ids=str)
def test_random_legal_runs_move_what_the_bounds_ask_for(run: tuple[int, int, int, int]) -> None:
    N, d, P, seed = run
    rng, nearest = np.random.default_rng(seed), math.inf
    layout = ("contiguous", "striped", "zigzag" if N % (2 * P) == 0 else "striped")[seed % 3]
    for place in placements(N, P, rng).values():
        lines = random_forward(tokens_of(layout, N, P), d, rng, place, (0.0, 0.0, 0.3)[seed // 3 % 3])
        found = played("attention-forward", dense(N, d, P), layout, lines)
        nearest = min(nearest, nearness(found, dense(N, d, P)))
    assert run != (8, 1, 4, 0) or nearest == pytest.approx(40 / 32), "a grid: (4d + 1)/4d"


@pytest.mark.parametrize("seed", first(2, range(12)))
def test_runs_of_several_heads_move_what_the_bounds_ask_for(seed: int) -> None:
    """Whole heads, shares of heads, pairs anywhere; in the balanced ones every device receives Φ on the average."""
    rng = np.random.default_rng(seed)
    P, d, kv_heads, group = [(4, 1, 2, 2), (2, 1, 2, 1), (2, 2, 1, 2), (3, 1, 3, 1)][seed % 4]
    N, heads = P if P > 2 else 4, list(product(range(kv_heads), range(group)))
    sizes, number = dense(N, d, P, len(heads), kv_heads), len(heads)
    order = rng.permutation(number)[:, None, None]
    for share in (
        np.broadcast_to(order * P // number, (number, N, N)),
        np.broadcast_to((np.arange(N)[:, None] * P // N + order) % P, (number, N, N)),
        rng.permutation(np.arange(number * N * N) % P).reshape(number, N, N),
    ):

        def place(head: tuple[int, ...], share: np.ndarray = share) -> Place:
            mine = share[heads.index((head[0], head[1]))]
            return lambda i, j, e: int(mine[i, j])

        lines = random_forward(tokens_of("contiguous", N, P), d, rng, place, 0.2 * (seed % 2), heads)
        nearness(played("attention-heads", sizes, "contiguous", lines), sizes)
