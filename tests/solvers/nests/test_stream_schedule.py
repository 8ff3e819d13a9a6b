"""Columns of loop nests: their counts are those of a legal pebbling, move by move."""

from __future__ import annotations

import random

import pytest

from pebble.computations.nests.named_kernel import read_kernel
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.points import TooManyPoints
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.solvers.nests.stream_schedule import schedule_columns

TEXTS = {
    "solve": (
        "S[i,j] += L[i,k]*X[k,j] for k < i; X[i,j] = (B[i,j] - S[i,j])/L[i,i] for 1 <= i; X[0,j] = B[0,j]/L[0,0]",
        ["X"],
    ),
    "solve from an initial value": (
        "Y[i,j] = B[i,j]; Y[i,j] -= L[i,k]*X[k,j] for k < i; X[i,j] = Y[i,j]/L[i,i]",
        ["X"],
    ),
    "backwards": ("w[i] = b[i]; w[i] -= U[i,j]*x[j] for i < j; x[i] = w[i]/U[i,i]", ["x"]),
    "stencil": ("u[t,i] = u[t-1,i] + u[t-1,i+1]", []),
    "lines": ("s[i,j] = s[i,j-1] + x[i,j]; t[i,j] = t[i-1,j] + s[i,j]", []),
    "in place": (
        "W[i,j,k] = W[i,j,k-1] - L[i,k]*L[j,k] for k < j, j <= i; L[i,j] = W[i,j,j-1]/L[j,j] for j < i; "
        "L[i,i] = sqrt(W[i,i,i-1])",
        ["L"],
    ),
    "bands": ("y[i] += A[i,j]*x[j] for i - 2 <= j, j <= i + 2; z[i] = y[i] + z[i-1]", ["y"]),
}


def _check(nest: LoopNest, M: int) -> None:
    found = schedule_columns(nest, M)
    status = replay(nest_dag(nest).dag, M, found.moves(), Rules(recomputation=False, sliding=False))
    status.require_complete()
    assert (status.reads, status.writes, status.peak) == (found.reads, found.writes, found.peak)


def _kernel(name: str, extent: int) -> LoopNest:
    nest = read_kernel(name, {}, ())
    return LoopNest(nest.statements, dict.fromkeys(nest.extents, extent), nest.outputs)


@pytest.mark.parametrize("name", ["cholesky", "lu", "ludcmp"])
def test_the_counts_of_factorizations_are_those_of_their_moves(name: str) -> None:
    _check(_kernel(name, 7), 20)


@pytest.mark.parametrize("name", TEXTS)
def test_the_counts_of_other_nests_are_those_of_their_moves(name: str) -> None:
    text, outputs = TEXTS[name]
    indices = [name for name in "ijkt" if f"[{name}" in text or f",{name}" in text]
    _check(loop_nest(text, dict.fromkeys(indices, 6), outputs), 17)


def random_nest(seed: int) -> LoopNest:
    """Return a sum over earlier elements, whose conditions, order of places and border are drawn at random."""
    draw = random.Random(seed)
    upper = draw.random() < 0.5
    condition = draw.choice(
        ["k < i", "k < i, k < j", "k < i, j <= i", "k + 2 <= i", "1 <= k, k < i, i <= j + 3"]
    )
    left = draw.choice(["L[i,k]", "L[k,i]", "X[i,k]" if "j" in condition else "L[i,k]"])
    tail = f" for {draw.choice(['j <= i', '1 <= i', 'j <= 3'])}" if draw.random() < 0.4 else ""
    right = draw.choice(
        ["S[i,j]", "B[i,j] - S[i,j]", "B[j,i] + S[i,j]*v[j]", "S[i,j]*S[i,j]/L[i,i]", "S[i,j] + alpha"]
    )
    text = f"S[i,j] += {left}*X[k,j]{'*q' if upper else ''} for {condition}; X[i,j] = {right}{tail}"
    if draw.random() < 0.4:
        text += "; r[i] += X[i,j]*p[j]"
    extents = {name: draw.randint(2, 8) for name in "ijk"}
    return loop_nest(text, extents, draw.choice([[], ["X"], ["S", "X"]]))


def _random_cases(seeds: range) -> int:
    scheduled = 0
    for seed in seeds:
        for M in (12, 29):
            try:
                _check(random_nest(seed), M)
            except TooManyPoints:
                continue
            scheduled += 1
    return scheduled


def test_the_counts_of_random_nests_are_those_of_their_moves() -> None:
    assert _random_cases(range(3)) > 2


@pytest.mark.slow
def test_the_counts_of_more_random_nests_are_those_of_their_moves() -> None:
    assert _random_cases(range(6, 60)) > 60


def test_a_factorization_is_near_what_tiles_of_targets_can_do() -> None:
    found = schedule_columns(_kernel("lu", 200), 4_000)
    assert found.peak <= 4_000
    assert found.io < 2 * 200**3 / 3 / 4_000**0.5 * 1.1 + 2 * 200**2
    assert "for i in tiles of" in str(found)


def test_what_has_no_columns() -> None:
    circle = "P[k+1,i,j] = min(P[k,i,j], P[k,i,k] + P[k,k,j])"
    with pytest.raises(TooManyPoints, match="no columns"):
        schedule_columns(loop_nest(circle, dict.fromkeys("ijk", 20)), 50)
    twice = "A[i+10*j] = B[i,j]; C[i] = A[i] + C[i-1]"
    with pytest.raises(TooManyPoints, match="no columns"):
        schedule_columns(loop_nest(twice, {"i": 20, "j": 20}), 50)
