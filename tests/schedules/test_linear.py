"""Schedules of linear attention: their I/O and room by formula, and tiles chosen exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pebble.common.errors import InvalidInput, Violation
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.computations.text import family_of_text
from pebble.lab.count import count
from pebble.lower_bounds.table import bounds
from pebble.program import Nodes, Program, compute, delete, load, loop, phase, store
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


def gradients(N: int, d: int, dv: int, chunk: int | None = None) -> Problem:
    return Problem.square(N, d, dv, attention="linear", mask="causal", pass_name="backward", chunk=chunk)


@pytest.mark.parametrize(("a", "b"), [(64, 32), (64, 20), (30, 32), (17, 9)])
def test_gradients_by_hand(a: int, b: int) -> None:
    """For H, K and dQ pass by each tile, V and dO too; for R all four inputs and two outputs.

    dQ and dK are loaded and stored for each tile of columns, dV for each of rows, but the first are not loaded.
    """
    N, d, dv = 10**6, 64, 32
    rows, cols = -(-d // a), -(-dv // b)
    dQ = N * d * cols + 2 * N * dv * rows + N * d * (2 * cols - 1)
    dK = N * dv * rows + N * d * (2 * cols - 1)
    dV = N * d * cols + N * dv * (2 * rows - 1)
    R = N * d * cols + N * dv * rows
    found = count(gradients(N, d, dv), 5000, ["state-tiles"], {"state_rows": a, "state_cols": b})
    row = found["state-tiles"]
    assert row.io == dQ + dK + dV + R == N * d * (7 * cols - 2) + N * dv * (6 * rows - 1)
    assert row.peak == a * b + min(a, b) + 2


def test_gradients_in_chunks_by_hand() -> None:
    """K, V, dO and dQ; Q, K, V, dO, dK and dV; in parallel K, V, Q and dO once more, and both states of a chunk twice.

    Where the state is tiled, dK and dV have passes of their own, and with each what makes their scores passes again.
    """
    N, d, dv, C = 2**20, 64, 32, 32
    problem = gradients(N, d, dv, C)
    whole = {"state_rows": d, "state_cols": dv}
    chunked, parallel = (
        count(problem, 20_000, [name], whole)[name].io for name in ("chunked", "chunk-parallel")
    )
    assert chunked == 5 * N * (d + dv)
    assert parallel == 7 * N * (d + dv) + 4 * d * dv * N // C
    tiled = count(problem, 20_000, ["chunked"], {"state_rows": 20, "state_cols": 16})["chunked"].io
    assert tiled == 2 * (2 * N * dv * 4 + 2 * N * d) + 2 * N * d * 2 + 2 * N * dv


@pytest.mark.slow
@pytest.mark.parametrize(
    ("N", "d", "dv", "chunk"), [(6, 4, 5, None), (6, 3, 2, 2), (6, 2, 3, 3), (4, 2, 2, 4), (3, 2, 1, 1)]
)
def test_gradients_keep_the_contract(N: int, d: int, dv: int, chunk: int | None) -> None:
    problem = gradients(N, d, dv, chunk)
    for schedule in available("backward", problem.form).values():
        for M in (schedule.least_M(problem), 1000):
            check_schedule(schedule, problem, M)


def both_ways(*phases: Nodes) -> Program:
    """Phases that read K in two directions."""
    return program_of(*(phase("", nodes) for nodes in phases))


@pytest.mark.parametrize("induction", [True, False])
def test_a_phase_reads_an_input_in_one_direction(induction: bool) -> None:
    """Fast memory would hold a word twice: the elementary play of these programs is illegal."""
    lines = "K[j,k]", "Ka[j,k] = K[last-j,k]", "Kb[j,k] = K[j,last-k]"
    sums = "X[j] += Ka[j,k]", "Y[j] += Kb[j,k]", "Z[j] += K[j,k]", "W[j] = X[j] + Y[j] + Z[j]"
    family = family_of_text("t", "\n".join(lines + sums), {"j": 3, "k": 2}, outputs=("W",))
    x = load("Ka"), compute("X"), delete("Ka")
    y = loop("j", 1, load("Kb"), compute("Y"), delete("Kb"))
    z, end = (load("K"), compute("Z"), delete("K")), (compute("W"), store("W"))
    assert run(both_ways(x, y, z, end), family, induction=induction).io == 3 * 6 + 3
    for one, other in (x, y), (x, z), (z, y):
        with pytest.raises(InvalidInput, match="in two directions: use one of them in a phase"):
            run(both_ways((one, other)), family, induction=induction)
    with pytest.raises(Violation, match="some of K is in fast memory: delete it first"):
        run(both_ways(load("K"), x, y, (compute("Z"), end)), family, induction=induction)


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
