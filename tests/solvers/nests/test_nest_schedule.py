"""Schedules of nests that are no family: exact, never worse than the plain order, and what is too large."""

from __future__ import annotations

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.nests.nest_schedule import schedule_nest

NESTS = {
    "stencil": loop_nest(
        "A[t,i] = A[t-1,i-1] + A[t-1,i] + A[t-1,i+1] for t >= 1, i >= 1, i < 31", {"t": 24, "i": 32}
    ),
    "triangular solve": loop_nest("x[i] += L[i,j]*x[j] for j < i", {"i": 20, "j": 20}),
    "symmetric product": loop_nest("C[i,j] += A[i,k]*A[j,k] for j <= i", {"i": 14, "j": 14, "k": 9}),
    "convolution": loop_nest("O[x,y] += I[x+a,y+b]*W[a,b]", {"x": 9, "y": 9, "a": 3, "b": 3}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NESTS)
def test_counts_are_those_of_the_moves(name: str) -> None:
    nest = NESTS[name]
    dag = nest_dag(nest).dag
    least = dag.least_M()
    with pytest.raises(CacheTooSmall) as caught:
        schedule_nest(nest, least - 1)
    assert caught.value.least_M == least
    for M in (least, 20):
        found = schedule_nest(nest, M)
        status = replay(dag, M, found.moves(), Rules(recomputation=False))
        status.require_complete()
        assert (status.reads, status.writes, status.peak) == (found.reads, found.writes, found.peak)
        assert found.io <= schedule_dag(dag, M, order="given").io


def test_more_words_than_any_machine_has_are_no_trouble() -> None:
    found = schedule_nest(NESTS["triangular solve"], 10**30)
    assert found.M == 10**30
    assert found.io == 20 * 19 // 2 + 1 + 1  # L, the first x, and the last


def test_families_are_scheduled_as_programs_whose_moves_are_those_of_the_nest() -> None:
    nest = loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 5, "j": 4, "k": 3})
    found = schedule_nest(nest, 12)
    assert "load" in found.program
    status = replay(nest_dag(nest).dag, 12, found.moves(), Rules(recomputation=True))
    status.require_complete()
    assert status.reads + status.writes == found.io


def test_what_is_too_large_is_said_before_the_work() -> None:
    nest = loop_nest("x[i,k] += L[i,j]*x[j,k] for j < i", {"i": 1000, "j": 1000, "k": 1000})
    with pytest.raises(
        InvalidInput,
        match=r"x -> x are computed from each other\), .* Choose smaller extents, or run pebble dag",
    ):
        schedule_nest(nest, 100)
    nest = loop_nest("D[i,j] = C[i,j]; D[i,j] += A[i,k]*A[j,k]", {"i": 1000, "j": 1000, "k": 1000})
    with pytest.raises(CacheTooSmall, match="at least 5"):
        schedule_nest(nest, 4)


def random_nest(seed: int) -> LoopNest:
    """Return a two-dimensional recurrence with dependences drawn at random, all from earlier rows."""
    back = [f"A[t-{1 + seed * k % 2},i{'+-'[k % 2]}{seed % 3}]" for k in range(2 + seed % 2)]
    text = f"A[t,i] = {' + '.join(dict.fromkeys(back))} for t >= 2, i >= 2, i < 18"
    return loop_nest(text, {"t": 10, "i": 20})


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_any_dependence_is_kept(seed: int) -> None:
    nest = random_nest(seed)
    dag = nest_dag(nest).dag
    for M in (dag.least_M(), 9, 16):
        found = schedule_nest(nest, M)
        replay(dag, M, found.moves(), Rules(recomputation=False)).require_complete()
        assert found.io <= schedule_dag(dag, M, order="given").io
