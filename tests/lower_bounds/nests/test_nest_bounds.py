"""Bounds of loop nests: never above an exact optimum nor a legal pebbling; equal to what is proved by hand."""

import random

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.graph.statistics import compulsory_io
from pebble.lower_bounds.attention.forward import t1
from pebble.lower_bounds.bound import ANY_RULES
from pebble.lower_bounds.matmul_fft import matmul_cut
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal
from tests.lower_bounds.nests.nest_dag import nest_dag
from tests.lower_bounds.nests.small_nests import TEXTS, small_nest


def check_against_pebblings(text: str, seed: int, most: int, exact: bool) -> None:
    draw = random.Random(f"{text} {seed}")
    nest = small_nest(draw, text, most)
    dag = nest_dag(nest)
    if dag is None:
        return
    loads, stores = compulsory_io(dag)
    for M in {dag.least_M(), dag.least_M() + draw.randint(1, 6)}:
        bounds = nest_bounds(nest, M)
        compulsory = next((bound.value for bound in bounds if bound.name == "nest compulsory"), None)
        if compulsory is not None:
            assert compulsory == loads + stores
        found = schedule_dag(dag, M, order="greedy").io
        for bound in bounds:
            assert bound.value <= found, (text, nest.extents, M, bound)
        if exact and dag.n_vertices <= 16:
            for rules in (Rules(), Rules(sliding=True), Rules(recomputation=False)):
                optimum = optimal(dag, M, rules, most_states=20_000)
                for bound in bounds:
                    assert not bound.holds_under(rules) or bound.value <= optimum.io, (nest, M, bound)


@pytest.mark.many(2)
@pytest.mark.parametrize("text", TEXTS[::3])
def test_no_bound_is_above_a_pebbling(text: str) -> None:
    check_against_pebblings(text, 0, 3, exact=len(text) < 30)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_no_bound_is_above_many_pebblings(text: str) -> None:
    for seed in range(1, 4):
        check_against_pebblings(text, seed, 1 + seed, exact=seed < 3)


def test_the_product_is_bounded_as_by_hand() -> None:
    for m, n, k, M in ((1000, 1000, 1000, 1024), (37, 50, 29, 100), (64, 64, 64, 300)):
        nest = loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": m, "j": n, "k": k})
        assert nest_bounds(nest, M)[0].value == matmul_cut(m, n, k, M).value


@pytest.mark.slow
def test_attention_is_bounded_as_by_hand() -> None:
    N, d, M = 2048, 32, 16_384
    text = "S[i,j] += Q[i,k]*K[j,k]; P[i,j] = exp(S[i,j]); l[i] += P[i,j]; U[i,e] += P[i,j]*V[j,e]; "
    text += "O[i,e] = U[i,e]/l[i]"
    best = nest_bounds(loop_nest(text, {"i": N, "j": N, "k": d, "e": d}), M)[0]
    assert best.holds_under(Rules())
    assert t1(Problem.square(N, d), M).value * 0.999 <= best.value <= t1(Problem.square(N, d), M).value * 1.01


LEADING = {
    "gemm": ("D[i,j] = C[i,j]; D[i,j] += A[i,k]*B[k,j]", 2),
    "syrk": ("C[i,j] += A[i,k]*A[j,k] for j <= i", 2**-0.5),
    "syr2k": ("C[i,j] += A[i,k]*B[j,k] + A[j,k]*B[i,k] for j <= i", 2**0.5),
    "cholesky": (
        "S[i,j] += L[i,k]*L[j,k] for k < j, j <= i; L[i,j] = A[i,j] - S[i,j] for 1 <= j, j <= i; "
        "L[i,0] = A[i,0]",
        2**-0.5 / 3,
    ),
    "two products": ("C[i,j] += A[i,k]*B[k,j]; E[i,l] += C[i,j]*D[j,l]", 4),
}


@pytest.mark.parametrize("name", ["syrk", *(pytest.param(name, marks=pytest.mark.slow) for name in LEADING)])
def test_leading_terms(name: str) -> None:
    text, constant = LEADING[name]
    used = {one for one in "ijkl" if f"{one}]" in text or f"{one}," in text}
    n, M = 3000, 900
    best = nest_bounds(loop_nest(text, dict.fromkeys(sorted(used), n)), M)[0]
    assert 0.96 * constant <= best.value * M**0.5 / n**3 <= 1.02 * constant


def test_stencils_in_the_plane() -> None:
    """N·T/M for N·T points with three neighbours."""
    nest = loop_nest("a[t+1,i+1] = a[t,i] + a[t,i+1] + a[t,i+2]", {"t": 4000, "i": 4000})
    once, best, *_ = nest_bounds(nest, 64)
    assert (best.name, best.rules) == ("nest stencils", ANY_RULES)
    assert 0.98 < best.value * 64 / 4000**2 < 1.02
    assert once.name == "nest stencils, once only"
    assert 1.8 < once.value * 64 / 4000**2 < 2


def test_stencils_in_space() -> None:
    """N²·T·√(8/(3·M)) for N²·T points with five neighbours."""
    text = "a[t+1,i+1,j+1] = a[t,i+1,j+1] + a[t,i,j+1] + a[t,i+2,j+1] + a[t,i+1,j] + a[t,i+1,j+2]"
    best = next(
        bound
        for bound in nest_bounds(loop_nest(text, dict.fromkeys("tij", 20_000)), 256)
        if bound.holds_under(Rules())
    )
    assert best.name == "nest stencils"
    assert 0.99 < best.value / 20_000**3 * (256 * 3 / 8) ** 0.5 < 1.01


def test_convolutions_use_that_the_filter_is_small() -> None:
    """2·W/√(9·M) for filters of nine words, as Dinh and Demmel have it: an input counts nine times."""
    text = "O[n,c,x,y] += I[n,k,x+r,y+s]*F[c,k,r,s]"
    nest = loop_nest(text, {**dict.fromkeys("ncxyk", 64), "r": 3, "s": 3})
    best = nest_bounds(nest, 256)[0]
    assert best.name == "nest projections"
    assert 0.99 < best.value / (2 * 64**5 * 9 / (9 * 256) ** 0.5) < 1.01
