"""Bounds of loop nests: what is proved by hand, leading terms, and values alive at a turn."""

import pytest

from pebble.computations.nests.nest_dag import nest_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds.attention.forward import t1
from pebble.lower_bounds.bound import ANY_RULES
from pebble.lower_bounds.matmul_fft import matmul_cut
from pebble.lower_bounds.nests.nest_bounds import nest_bounds
from pebble.solvers.heuristic.dag_schedule import schedule_dag
from pebble.solvers.optimum import optimal


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


ONCE = Rules(recomputation=False)


def turns(nest: LoopNest, M: int) -> int | float:
    return next((one.value for one in nest_bounds(nest, M) if one.name == "nest turns"), 0)


@pytest.mark.parametrize("M", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_turn_is_bounded_near_the_optimum(M: int) -> None:
    nest = loop_nest("x[i] = x[i-1] + u; y[i] = y[i+1]*x[i]", {"i": 14})
    least = optimal(nest_dag(nest).dag, M, ONCE, most_states=20_000).io
    assert least - 7 <= turns(nest, M) <= least


def test_values_of_several_arrays_are_held() -> None:
    text = "x[i,j] = x[i,j-1] + u[i,j]; w[j,i] = w[j-1,i]; y[i,j] = y[i,j+1]*x[i,j] + w[j,i]"
    nest = loop_nest(text, {"i": 3, "j": 12})
    assert 2 * 3 * (2 * 11 - 5) <= turns(nest, 5) <= schedule_dag(nest_dag(nest).dag, 5, order="greedy").io


@pytest.mark.parametrize(
    "text",
    [
        "x[i] = x[i-1] + u; y[i] = y[i-1]*x[i]",
        "x[i] = x[i-1] + u; y[i] = y[i+1]*x[0]",
        "x[i] = x[i-2] + u; y[i] = y[i+1]*x[i]",
        "x[i] = x[i-1] + u for 1 <= i; y[i] = y[i+1]*x[i]",
    ],
)
def test_the_same_direction_one_value_and_gaps_are_no_turns(text: str) -> None:
    assert not turns(loop_nest(text, {"i": 40}), 4)
