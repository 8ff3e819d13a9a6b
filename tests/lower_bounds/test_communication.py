"""Bounds on communication: values, domains, rounding, and that no schedule beats them."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Callable
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
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.communication import (
    communication_bounds,
    d1_busiest,
    d1_total,
    d2,
    d3_total,
    phi,
    words_for_shares,
)
from pebble.lower_bounds.attention.crossing import d4
from pebble.lower_bounds.attention.tile_words import (
    least_words,
    most_products,
    products_of,
    received_at_least,
)
from pebble.program.parallel import LAYOUTS, distributed_schedules, play
from tests.support.random_processor_runs import Place, masks_of, random_backward, random_forward, tokens_of


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
    with pytest.raises(BoundDoesNotApply, match="not shared evenly"):
        phi(SharedProblem(100, 4, 2, 3, 2, groups=(2, 1)))
    with pytest.raises(BoundDoesNotApply, match="striped"):
        d4(SharedProblem(100, 4, 2, mask="window:3", layout="striped"))
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


@pytest.mark.parametrize("seed", some(12, 120))
def test_no_schedule_beats_a_bound(seed: int) -> None:
    chance = random.Random(seed)
    P, kv_heads = chance.choice((4, 6, 9, 12, 16)), chance.choice((1, 2, 4))
    N, d = P * chance.choice((2, 8, 40)), chance.randint(1, 3)
    pass_name, groups = chance.choice(("forward", "forward", "backward")), None
    heads = kv_heads * chance.choice((1, 2, 4))
    if seed % 3 == 0:
        groups = tuple(chance.choice((1, 2, 4)) for _ in range(kv_heads))
        heads = sum(groups)
    Nq = chance.choice((None, None, N // 2 if N >= 4 * P else None))
    p = sizes = SharedProblem(
        *(N, d, P, heads, kv_heads),
        pass_name=pass_name,
        layout=chance.choice(LAYOUTS),
        dv=chance.choice((None, 1, 4)),
        mask=chance.choice((None, "causal", *masks_of(N, Nq or N, chance))),
        Nq=Nq,
        groups=groups,
    )
    for schedule in distributed_schedules(pass_name):
        try:
            shape = schedule.best_shape(p)
        except InvalidInput:
            continue
        traffic = play(schedule.exchange(p, shape))
        balance = Fraction(max(traffic.pairs) * P, p.pairs * heads)
        both = max(a + b for a, b in zip(traffic.received, traffic.sent, strict=True))
        if p.layout != "striped":
            total, busiest = d4(sizes)
            assert traffic.total >= total.value
            assert both >= busiest.value
        if pass_name == "backward":
            if balance * heads * p.pairs >= 53 * min(d, p.width) ** 2 * P:
                assert traffic.total >= d3_total(sizes, balance).value
            continue
        assert traffic.total >= d1_total(sizes, balance).value
        assert both >= max(d1_busiest(sizes).value, d2(sizes, max(traffic.memory) + N * N).value)
        if groups is not None:
            continue
        assert traffic.total >= words_for_shares(sizes, traffic.pairs)
        assert both >= phi(sizes).value
        if len(set(traffic.pairs)) == 1:
            assert max(traffic.received) >= phi(sizes).value


def test_documents_move_what_each_of_them_must() -> None:
    """Four documents on four devices need not move, however large; one over four moves what it does alone."""
    d, P = 4, 4
    alone = d1_total(dense(1024, d, P)).value
    assert d1_total(SharedProblem(1024, d, P, mask="document:256x4")).value == 0
    cut = d1_total(SharedProblem(1024 + 16 * 4, d, P, mask="document:1024,4x16"))
    assert cut.value == pytest.approx(alone, rel=0.001)
    assert cut.status == "proved"


def dag_of(name: str, N: int, d: int) -> Dag:
    return family_from_header(
        name, {key: str(N if key[0] == "N" else d) for key in ("Nq", "Nk", "d", "dv")}
    ).dag()


def played(name: str, dag: Dag, layout: str, lines: list[str], P: int) -> ProcessorCheck:
    sums = "l U" if name != "attention-backward" else "dQ dK dV"
    head = f"# pebbling 1\n# dag {name}\n# devices {P}\n# layout {layout}\n# sums {sums}\n"
    found = check_processor_pebbling(
        PebblingReader(io.StringIO(head + "\n".join(lines) + "\n")), lambda header: dag
    )
    assert found.complete, str(found)
    return found


def sizes_of(N: int, d: int, P: int, pass_name: str = "forward") -> SharedProblem:
    return SharedProblem(N, d, P, pass_name=pass_name)


def assert_above_the_bounds(found: ProcessorCheck, N: int, d: int, P: int) -> float:
    """Compare a run that absorbs every product once; return how far above D1(a) it is."""
    tally, sizes = found.tally, sizes_of(N, d, P)
    products = tally.computes_of("U")
    assert sum(products) == N * N * d
    total = d1_total(sizes, Fraction(max(products) * P, N * N * d)).value
    busy = max(a + b for a, b in zip(tally.counts("received"), tally.counts("sent"), strict=True))
    assert tally.total("received") >= total
    assert busy >= d1_busiest(sizes).value
    assert busy >= d2(sizes, max(tally.counts("memory_peak"))).value
    if N % P == 0:
        assert busy >= phi(sizes).value
        assert tally.total("received") >= words_for_shares(sizes, [count // d for count in products])
    return tally.total("received") / max(total, 1e-9)


def assert_rows_cross(found: ProcessorCheck, sizes: SharedProblem) -> None:
    if sizes.layout != "striped":
        total, busiest = (bound.value for bound in d4(sizes))
        both = zip(found.tally.counts("received"), found.tally.counts("sent"), strict=True)
        assert found.tally.total("received") >= total
        assert max(map(sum, both)) >= busiest


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
        "columns": lambda i, j, e: j * P // N,
        "balanced": lambda i, j, e: int(balanced[i, j]),
        "anywhere": lambda i, j, e: int(where[i, j, e]),
        "one device": lambda i, j, e: 0,
    }


def assert_runs_above(N: int, d: int, P: int, seeds: range) -> list[float]:
    dag, nearest = dag_of("attention-forward", N, d), []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        layout = ("contiguous", "striped", "zigzag" if N % (2 * P) == 0 else "striped")[seed % 3]
        for place in placements(N, P, rng).values():
            elsewhere = (0.0, 0.0, 0.3)[seed // 3 % 3]
            lines = random_forward(tokens_of(layout, N, P), d, rng, place, elsewhere)
            found = played("attention-forward", dag, layout, lines, P)
            nearest.append(assert_above_the_bounds(found, N, d, P))
            assert_rows_cross(found, SharedProblem(N, d, P, layout=layout))
    return nearest


def test_random_legal_runs_move_what_d1_asks_for() -> None:
    assert_runs_above(4, 2, 2, range(2))
    assert min(assert_runs_above(8, 1, 4, range(1))) == pytest.approx(40 / 32), "a grid: (4d + 1)/4d"


@pytest.mark.slow
def test_many_random_legal_runs_move_what_d1_asks_for() -> None:
    for N, d, P in [(4, 1, 4), (4, 2, 2), (6, 1, 3), (8, 1, 4)]:
        assert_runs_above(N, d, P, range(9))


def by_head(devices: dict[tuple[int, int], np.ndarray]) -> Callable[[tuple[int, ...]], Place]:
    """Return where products are absorbed, by head, from the devices of its pairs."""

    def of_head(head: tuple[int, ...]) -> Place:
        mine = devices[head[0], head[1]]
        return lambda i, j, e: int(mine[i, j])

    return of_head


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 25), marks=pytest.mark.slow)])
def test_runs_of_several_heads_move_what_phi_asks_for(seeds: range) -> None:
    """Whole heads, shares of heads, pairs anywhere; in the balanced ones every device receives Φ on the average."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        P, d, kv_heads, group = [(4, 1, 2, 2), (2, 1, 2, 1), (2, 2, 1, 2), (3, 1, 3, 1)][seed % 4]
        N, heads = P if P > 2 else 4, list(product(range(kv_heads), range(group)))
        parameters = {"Nq": N, "Nk": N, "d": d, "dv": d, "Hq": len(heads), "Hk": kv_heads}
        dag = family_from_header(
            "attention-heads", {key: str(value) for key, value in parameters.items()}
        ).dag()
        sizes = SharedProblem(N, d, P, len(heads), kv_heads)
        order = rng.permutation(len(heads))[:, None, None]
        shares = [
            np.broadcast_to(order * P // len(heads), (len(heads), N, N)),
            np.broadcast_to((np.arange(N)[:, None] * P // N + order) % P, (len(heads), N, N)),
            rng.permutation(np.arange(len(heads) * N * N) % P).reshape(len(heads), N, N),
        ]
        for share in shares:
            place = by_head(dict(zip(heads, share, strict=True)))
            lines = random_forward(tokens_of("contiguous", N, P), d, rng, place, 0.2 * (seed % 2), heads)
            tally = played("attention-heads", dag, "contiguous", lines, P).tally
            products = tally.computes_of("U")
            busy = max(a + b for a, b in zip(tally.counts("received"), tally.counts("sent"), strict=True))
            assert busy >= phi(sizes).value
            assert tally.total("received") >= words_for_shares(sizes, [count // d for count in products])
            balance = Fraction(max(products) * P, products_of(sizes))
            assert tally.total("received") >= d1_total(sizes, balance).value


@pytest.mark.slow
def test_backward_runs_move_what_d3_asks_for() -> None:
    """D3 holds where λz/P ≥ 53d²."""
    N, d, P = 16, 1, 4
    dag = dag_of("attention-backward", N, d)
    for seed, layout in enumerate(("contiguous", "zigzag", "striped")):
        rng = np.random.default_rng(seed)
        for name, place in placements(N, P, rng).items():
            lines = random_backward(tokens_of(layout, N, P), d, rng, place)
            found = played("attention-backward", dag, layout, lines, P)
            assert_rows_cross(found, SharedProblem(N, d, P, pass_name="backward", layout=layout))
            tally = found.tally
            products = [
                sum(three) for three in zip(*(tally.computes_of(a) for a in ("dQ", "dK", "dV")), strict=True)
            ]
            balance = Fraction(max(products) * P, 3 * N * N * d)
            assert tally.total("received") >= d3_total(sizes_of(N, d, P, "backward"), balance).value, name
