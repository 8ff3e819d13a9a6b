"""The bound L for linear attention: its events, its cuts, and never above what can be done."""

from __future__ import annotations

import math
import random

import pytest

import pebble
from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.rules import Rules
from pebble.lower_bounds import best_bound, forward_bounds
from pebble.lower_bounds.attention.varying_work import linear, linear_events
from pebble.lower_bounds.rounding import ceil_div
from pebble.program.counting.run import run
from pebble.program.schedule import available


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
