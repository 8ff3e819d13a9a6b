"""Random legal runs of several devices against the bounds on communication."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pebble.computations.registry import family_from_header
from pebble.computations.shared_problem import SharedProblem
from pebble.game.files.processor_files import ProcessorCheck, check_processor_pebbling
from pebble.game.files.reader import PebblingReader
from pebble.graph.dag import Dag
from pebble.lower_bounds.attention.communication import (
    d1_busiest,
    d1_total,
    d2,
    d3_total,
    phi,
    words_for_shares,
)
from pebble.lower_bounds.attention.tile_words import products_of
from tests.support.random_processor_runs import Place, random_backward, random_forward, tokens_of


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
            nearest.append(
                assert_above_the_bounds(played("attention-forward", dag, layout, lines, P), N, d, P)
            )
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
            tally = played("attention-backward", dag, layout, lines, P).tally
            products = [
                sum(three) for three in zip(*(tally.computes_of(a) for a in ("dQ", "dK", "dV")), strict=True)
            ]
            balance = Fraction(max(products) * P, 3 * N * N * d)
            assert tally.total("received") >= d3_total(sizes_of(N, d, P, "backward"), balance).value, name
