"""Schedules of linear attention: their I/O and room by formula, and tiles chosen exactly."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from pebble.common.errors import CacheTooSmall, Violation
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lab.count import count
from pebble.lower_bounds.table import bounds
from pebble.program import compute, delete, load, loop, phase, store
from pebble.program import program as program_of
from pebble.program.counting.run import run
from pebble.program.schedule import available
from pebble.testing import check_schedule


def problem_of(form: str, N: int, d: int, dv: int, chunk: int = 2) -> Problem:
    if form == "linear":
        return Problem(N, N + 1, d, dv, attention="linear")
    options = {"gate": form == "gated", "chunk": chunk if form == "chunked" else None}
    return Problem.square(N, d, dv, attention="linear", mask="causal", **options)


@pytest.mark.many(1)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gate": True},
        {"chunk": 2},
        {"chunk": 2, "gate": True},
        pytest.param({"chunk": 3}, marks=pytest.mark.slow),
        {"chunk": 9},
    ],
)
def test_query_heads_that_share_a_state(options: dict[str, Any]) -> None:
    """Their queries and outputs pass once for each, keys and values once for all."""
    shared, alone = (
        Problem.square(5, 3, 2, heads=heads, kv_heads=1, attention="linear", mask="causal", **options)
        for heads in (3, 1)
    )
    for schedule in available("forward", shared.form).values():
        for M in (schedule.least_M(shared), 200):
            check_schedule(schedule, shared, M)
        words = schedule.measure(shared, schedule.tiles(shared, 200)).io
        if schedule.name != "naive":
            one = schedule.measure(alone, schedule.tiles(alone, 200))
            assert words == one.io + 2 * 5 * (3 + 2)


@pytest.mark.many(4)
@pytest.mark.parametrize("chunk", [1, 3, 4, 8, 9])
@pytest.mark.parametrize("name", ["chunked", "chunk-parallel"])
def test_chunks_of_any_size(name: str, chunk: int) -> None:
    """Eight tokens: a last chunk that is short, full, or the only one."""
    schedule = available("forward", "chunked")[name]
    for gate in (False, True):
        check_schedule(schedule, replace(problem_of("chunked", 8, 2, 2, chunk), gate=gate), 80)


def test_gates_of_chunks_add_a_row_of_each() -> None:
    """But for the last chunk, after which nothing needs the state; Mamba-2 and GLA at N = 65,536, C = 64."""
    plain, gated = (replace(problem_of("chunked", 65_536, 64, 64, 64), gate=gate) for gate in (False, True))
    for name in ("chunked", "chunk-parallel"):
        one, other = (count(problem, 25_000, [name])[name].io for problem in (plain, gated))
        assert one is not None
        assert other == one + 1023 * 64
    assert count(gated, 25_000)["best"].io == bounds(gated, 25_000).best.value == 4 * 65_536 * 64 + 1023 * 64


@pytest.mark.parametrize("form", ["linear", "recurrent", "gated"])
def test_tiles_are_the_cheapest_that_fit(form: str) -> None:
    """By the machine, of all tiles there are."""
    rnd = random.Random(form)
    schedule = available("forward", form)["state-tiles"]
    for N, d, dv in [(1, 1, 1), (1, 2, 5), (2, 1, 1)] + [
        (rnd.randint(1, 9), rnd.randint(1, 5), rnd.randint(1, 5)) for _ in range(5)
    ]:
        problem = problem_of(form, N, d, dv)
        runs = [
            schedule.measure(problem, {"state_rows": a, "state_cols": b})
            for a in range(1, d + 1)
            for b in range(1, dv + 1)
        ]
        least = schedule.least_M(problem)
        for M in {least, least + 2, least + 7, 3 * least}:
            found = schedule.measure(problem, schedule.tiles(problem, M))
            assert found.peak <= M
            assert found.io == min(one.io for one in runs if one.peak <= M)


def test_state_tiles_by_formula() -> None:
    rnd = random.Random(5)
    for _ in range(20):
        N, d, dv = 10 ** rnd.randint(1, 8) + rnd.randint(0, 9), rnd.randint(2, 99), rnd.randint(2, 99)
        a, b = rnd.randint(1, d), rnd.randint(1, dv)
        for form, gates in (("recurrent", 0), ("gated", 1)):
            problem, schedule = problem_of(form, N, d, dv), available("forward", form)["state-tiles"]
            counted = schedule.measure(problem, {"state_rows": a, "state_cols": b})
            across, down = -(-dv // b), -(-d // a)
            assert counted.io == 2 * N * d * across + N * dv * (3 * down - 1) + gates * (N - 1) * d * across
            held = min(2 * a + 2, b + 3) if gates else min(a, b) + 2
            assert counted.peak == a * b + max(held, min(a, b) + 2)


@pytest.mark.parametrize("N", [1000, 10**9])
def test_least_memory_for_one_pass(N: int) -> None:
    """d = dv = 64: from 4,162 words on, every word moves once."""
    problem = Problem.square(N, 64, attention="linear", mask="causal")
    for M, passes in ((4162, True), (4161, False)):
        report = count(problem, M, ["state-tiles", "best"])
        assert (report["best"].io == 4 * N * 64) is passes
        assert report["best"].io == report["state-tiles"].io
    schedule = available("forward", "recurrent")["state-tiles"]
    whole = schedule.program(problem, {"state_rows": 64, "state_cols": 64})
    assert run(whole, schedule.family(problem)).peak == 4162


@pytest.mark.slow
def test_chunks_by_formula() -> None:
    """Every word once, whatever the chunk; in parallel K and V twice, and a state out and in for each chunk."""
    rnd = random.Random(6)
    for _ in range(6):
        N, d, dv = 10 ** rnd.randint(1, 8) + rnd.randint(0, 9), rnd.randint(2, 60), rnd.randint(2, 60)
        C = rnd.randint(1, min(N, 300))
        problem, n = problem_of("chunked", N, d, dv, C), -(-N // C)
        once = count(problem, 10**6, ["chunked", "chunk-parallel"])
        assert once["chunked"].io == 2 * N * (d + dv)
        assert once["chunk-parallel"].io == 2 * N * (d + dv) + (n - 1) * (C * (d + dv) + 2 * d * dv)
        if C > 1 and n > 2:
            assert once["chunked"].peak == d * dv + C * (d + dv) + d + min(C + 2, dv + 1) + 1


def test_columns_of_the_state_where_it_does_not_fit() -> None:
    problem = problem_of("chunked", 1000, 16, 16, 10)
    whole = available("forward", "chunked")["chunked"].measure(problem, {"state_cols": 16}).peak
    for M in (whole - 1, whole // 2):
        row = count(problem, M, ["chunked"])["chunked"]
        assert row.tiles is not None
        assert row.io == 2 * 1000 * (16 * -(-16 // row.tiles["state_cols"]) + 16)
    with pytest.raises(CacheTooSmall):
        available("forward", "chunked")["chunked"].tiles(problem, 20)
    assert count(problem, 20)["best"].chosen == "naive"


@pytest.mark.parametrize("rows", [1, 3])
def test_gates_must_be_in_fast_memory(rows: int) -> None:
    """But not for the first token: the program without gates gets as far as the second."""
    gated, plain = problem_of("gated", 4, 3, 2), problem_of("recurrent", 4, 3, 2)
    program = available("forward", "recurrent")["state-tiles"].program(
        plain, {"state_rows": rows, "state_cols": 2}
    )
    with pytest.raises(Violation, match=r"n iteration 1 of 4.*not all of G.* G@later is read"):
        run(program, family_of(gated))


def test_a_state_is_read_after_its_own_token() -> None:
    """Not before: a query that goes ahead of its token's key and value is refused."""
    family = family_of(problem_of("recurrent", 4, 1, 1))
    early = loop(
        "n", 1, load("K", "V", "Q"), compute("O"), compute("H"), store("O"), delete("K", "V", "Q", "O")
    )
    with pytest.raises(Violation, match=r"H@after is read"):
        run(program_of(phase("", early)), family)
