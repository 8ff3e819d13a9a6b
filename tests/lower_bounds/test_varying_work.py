"""Theorem S, and the bounds on plain softmax where the maximum is found: never above what moves fewer words."""

from __future__ import annotations

import math
import random
from random import Random

import pytest

import pebble
from pebble.common.errors import BoundDoesNotApply
from pebble.computations.load import load_dag
from pebble.computations.masks import mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.rules import Rules
from pebble.lab.count import count
from pebble.lower_bounds import best_bound, forward_bounds
from pebble.lower_bounds.attention.varying_work import (
    linear,
    linear_events,
    rescaled_by_block,
    safe_softmax,
    safe_softmax_events,
    safe_softmax_weight,
)
from pebble.lower_bounds.proved import proved_bounds
from pebble.lower_bounds.rounding import ceil_div
from pebble.program.counting.run import run
from pebble.program.schedule import available
from pebble.solvers.optimum import optimal


def safe(N: int, d: int, *, stats: bool = False) -> Problem:
    return Problem.square(N, d, softmax="safe", stats=stats)


@pytest.mark.parametrize(
    ("N", "d", "M"), [(20, 1, 10), (50, 1, 3), (90, 1, 100), (100, 2, 136), (300, 1, 40)]
)
def test_the_best_of_all_cuttings_is_found(N: int, d: int, M: int) -> None:
    problem = safe(N, d)
    best = 0
    for X in range(max(1, 34 * d * d - M), 40 * M + 40):
        segments = -(-safe_softmax_weight(problem, M + X) // safe_softmax_events(M + X, d))
        best = max(best, M + 1 + X * (segments - 1) if segments >= 2 else 0)
    assert safe_softmax(problem, M).value == best


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_no_schedule_moves_fewer_words(seed: int) -> None:
    rnd = Random(seed)
    d, dv, stats = rnd.choice([1, 1, 2, 3]), rnd.randint(1, 4), rnd.random() < 0.3
    problem = Problem(rnd.randint(30, 150), rnd.randint(30, 150), d, dv, stats=stats, softmax="safe")
    M = rnd.randint(2 * (d + dv) + 6, 60 * d * d + 40)
    found = count(problem, M)
    for row in found.rows:
        assert row.io is None or row.io >= max(bound.value for bound in proved_bounds(problem, M)), row.name


@pytest.mark.parametrize("mask", ["causal", "window:30"])
def test_no_schedule_moves_fewer_words_under_a_mask(mask: str) -> None:
    problem = Problem.square(64, 1, softmax="safe", mask=mask)
    least = safe_softmax(problem, 12).value
    assert least > 300
    for row in count(problem, 12).rows:
        assert row.io is None or row.io >= least, row.name


def test_under_a_mask_queries_without_a_key_do_not_count() -> None:
    problem = Problem.square(300, 1, softmax="safe", stats=True, mask="window:40")
    assert safe_softmax_weight(problem, 50) == problem.pairs * 5 - min(problem.pairs, 300 * 50)
    some = mask_from_array([[False] * 100] * 3 + [[True] * 100] * 50, empty_rows="zero")
    whole, fewer = (
        Problem(50, 100, 1, 1, True, softmax="safe"),
        Problem(53, 100, 1, 1, True, softmax="safe", mask=some),
    )
    assert safe_softmax(fewer, 20).value == safe_softmax(whole, 20).value


@pytest.mark.parametrize(("N", "d", "M", "block"), [(50, 1, 3, 7), (90, 1, 100, 40), (300, 1, 40, 64)])
def test_the_best_of_all_cuttings_by_blocks(N: int, d: int, M: int, block: int) -> None:
    problem, best = Problem.square(N, d, softmax="online"), 0
    for X in range(max(1, 34 * d * d - M), 40 * M + 40):
        T = M + X
        keys = [min(block, N - first) for first in range(0, N, block)]
        weight = N * N * (d + 4 * d) - d * N * sum(min(one, T // d) for one in keys)
        segments = -(-weight // safe_softmax_events(T, d))
        best = max(best, M + 1 + X * (segments - 1) if segments >= 2 else 0)
    assert rescaled_by_block(problem, M, block).value == best


def test_larger_blocks_cost_more_up_to_two_passes() -> None:
    problem, M = Problem.square(20_000, 8, softmax="online"), 1200
    values = [
        rescaled_by_block(problem, M, block).value for block in (1, 10, 100, 1000, 5000, 20_000, 30_000)
    ]
    assert values == sorted(values)
    assert values[-1] == values[-2] == safe_softmax(safe(20_000, 8), M).value
    assert values[0] < 0.82 * values[-1]


def test_no_order_moves_fewer_words_than_by_blocks() -> None:
    """Row blocks that keep the keys of a block, or sweep over them twice: their words and room are known."""
    rnd = Random(3)
    for _ in range(300):
        d, N = rnd.randint(1, 3), rnd.randint(50, 3000)
        rows, block = rnd.randint(1, N), rnd.randint(1, N)
        problem, sweeps = Problem.square(N, d, softmax="online"), -(-N // rows)
        kept = 2 * N * d + 2 * N * d * sweeps, rows * (2 * d + 2) + block * (2 * d + 1) + 2
        twice = 2 * N * d + 3 * N * d * sweeps, rows * (2 * d + 2) + 2 * d + 2
        for words, room in (kept, twice):
            try:
                assert rescaled_by_block(problem, room, block).value <= words
            except BoundDoesNotApply:
                continue


def test_to_the_letter() -> None:
    """The schedule meets the bound to leading order, and neither plain nor online softmax is bound by it."""
    problem, M = safe(10**6, 64), 20 * 64**2
    unit = 10**12 * 64**2 / M
    assert safe_softmax(problem, M).value / unit == pytest.approx(4.998, abs=0.002)
    (row,) = count(problem, M, ["split"]).rows
    assert row.io is not None
    assert row.io / unit == pytest.approx(5.093, abs=0.002)
    with_stats = safe(10**6, 64, stats=True)
    assert safe_softmax(with_stats, M).value == safe_softmax(problem, M).value + 2 * 10**6


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Problem.square(4096, 64), "only for safe softmax in two passes"),
        (Problem.square(4096, 64, softmax="online"), "only for safe softmax in two passes"),
        (Problem.square(8, 8, softmax="safe", mask="causal"), "done in one"),
        (Problem.square(8, 8, softmax="safe"), "done in one"),
        (Problem.square(8, 8, pass_name="backward"), "only for the forward pass"),
    ],
)
def test_where_it_does_not_apply(problem: Problem, words: str) -> None:
    with pytest.raises(BoundDoesNotApply, match=words):
        safe_softmax(problem, 4096)


@pytest.mark.parametrize("stats", [0, 1])
@pytest.mark.parametrize(
    ("softmax", "Nq", "Nk", "Ms"),
    [("safe", 1, 2, (4, 5, 7)), ("safe", 2, 1, (4, 6)), ("online", 1, 2, (5, 7)), ("online", 2, 1, (5, 6))],
)
def test_no_bound_is_above_the_optimum(
    softmax: str, Nq: int, Nk: int, Ms: tuple[int, ...], stats: int
) -> None:
    dag = load_dag(f"attention-{softmax}:Nq={Nq},Nk={Nk},d=1,stats={stats}")
    problem = Problem(Nq, Nk, 1, 1, softmax=softmax, stats=bool(stats))
    for M in Ms:
        best = optimal(dag, M)
        assert best.proved
        assert all(bound.value <= best.io for bound in proved_bounds(problem, M))


def test_the_maxima_are_stored_besides() -> None:
    for softmax in ("safe", "online"):
        without, kept = (
            {
                one.name: one.value
                for one in proved_bounds(Problem.square(64, 4, softmax=softmax, stats=stats), 60)
            }
            for stats in (False, True)
        )
        assert kept["compulsory"] == without["compulsory"] + 2 * 64
        assert kept["T1"] == without["T1"] + 2 * 64


def causal(N: int, d: int, dv: int, *, gate: bool = False, heads: int = 1) -> Problem:
    return Problem.square(N, d, dv, attention="linear", mask="causal", gate=gate, heads=heads, kv_heads=1)


def test_events_that_are_left_out() -> None:
    """Where the words at hand make a state anew, what reads it is not counted."""
    assert linear_events(causal(10, 2, 3), 8) == 6 * (10 + 6)
    assert linear_events(causal(10, 2, 3), 7) == 6 * (10 + 6)
    assert linear_events(causal(10, 2, 3, heads=5), 7) == 6 * (10 + 5 * 6)
    assert linear_events(causal(10, 2, 3), 21) == linear_events(causal(10, 2, 3), 100) == 60
    right = Problem(7, 10, 2, 3, attention="linear")
    assert [linear_events(right, T) for T in (19, 20)] == [6 * 17, 60]


@pytest.mark.parametrize("seed", range(3))
def test_the_best_cut_is_found(seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(12):
        Nq, Nk, d, dv = (rnd.randint(1, most) for most in (40, 40, 6, 6))
        problem = rnd.choice([Problem(Nq, Nk, d, dv, attention="linear"), causal(Nk, d, dv)])
        M = rnd.randint(3, 80)
        segments = (
            (X, ceil_div(linear_events(problem, M + X), max(1, math.isqrt((M + X) ** 3 // 27))))
            for X in range(1, 1500)
        )
        cuts = [M + 1 + X * (number - 1) for X, number in segments if number > 1]
        assert linear(problem, M).value == max([0, *(moves - d * dv for moves in cuts)])


@pytest.mark.parametrize(
    "problem",
    [Problem(2, 2, 1, 1, attention="linear"), causal(3, 1, 1), causal(2, 1, 2), causal(2, 1, 1, heads=2)],
)
def test_never_above_the_optimum(problem: Problem) -> None:
    dag = family_of(problem).dag()
    for M in (4, 5, 6):
        for sliding in (False, True):
            found = pebble.optimal(dag, M, Rules(sliding=sliding))
            assert found.proved
            assert best_bound(problem, M).value <= found.io


@pytest.mark.parametrize("form", ["linear", "recurrent", "gated"])
def test_never_above_a_run(form: str) -> None:
    """Tiles and shapes at random, with as much memory as they take."""
    rnd = random.Random(form)
    schedule = available("forward", form)["state-tiles"]
    for _ in range(25):
        N, d, dv = 2 ** rnd.randint(0, 12) + rnd.randint(0, 5), rnd.randint(1, 40), rnd.randint(1, 40)
        problem = causal(N, d, dv, gate=form == "gated", heads=rnd.choice((1, 1, 3)))
        if form == "linear":
            problem = Problem(N, rnd.randint(1, 2 * N), d, dv, attention="linear")
        tiles = {"state_rows": rnd.randint(1, d), "state_cols": rnd.randint(1, dv)}
        counted = run(schedule.program(problem, tiles), family_of(problem))
        for bound in forward_bounds(problem, counted.peak):
            assert bound.value <= counted.io


def test_never_above_a_run_of_two_products() -> None:
    rnd = random.Random(8)
    schedule = available("forward", "linear")["tiled-products"]
    for _ in range(25):
        sizes = {name: 2 ** rnd.randint(0, 9) + rnd.randint(0, 5) for name in ("Nq", "Nk", "d", "dv")}
        problem = Problem(**sizes, attention="linear")
        tiles = {name: rnd.randint(1, 30) for name in schedule.tile_names}
        counted = run(schedule.program(problem, tiles), family_of(problem))
        assert best_bound(problem, counted.peak).value <= counted.io


def test_leading_term() -> None:
    """4·N·d·dv/√M for N much larger than M."""
    for M in (1000, 4000):
        for problem in (causal(10**9, 128, 64), Problem(10**9, 10**9, 128, 64, attention="linear")):
            assert linear(problem, M).value == pytest.approx(4e9 * 128 * 64 / math.sqrt(M), rel=2e-3)


def test_gates_add_their_words() -> None:
    assert linear(causal(1000, 8, 8, gate=True), 20).value == linear(causal(1000, 8, 8), 20).value + 999 * 8


def test_refused_for_other_computations() -> None:
    chunked = Problem.square(64, 8, attention="linear", mask="causal", chunk=4)
    for problem in (chunked, Problem.square(64, 8), Problem.square(64, 8, mask="causal")):
        with pytest.raises(BoundDoesNotApply, match="L is proved for linear attention"):
            linear(problem, 20)
    assert [bound.name for bound in forward_bounds(chunked, 20)] == ["compulsory"]
    assert [bound.name for bound in forward_bounds(causal(64, 8, 8), 20)] == ["L", "compulsory"]
