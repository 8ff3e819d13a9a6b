"""T3, and where it is the same T4: the values are the theorem's, and stay below every schedule."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import isqrt, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import forward_bounds
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row, t3, t4
from tests.support.amounts import examples

ROWS = T3Row.load()

# Leading constants and best known schedules for N = Nq = Nk, dv = d, by mu = M/d².
LEADING = {
    0.05: 17.38,
    0.1: 12.15,
    0.25: 7.473,
    0.35: 6.275,
    0.5: 5.184,
    0.69: 4.273,
    0.85: 3.674,
    1.0: 3.288,
    1.5: 2.440,
    2.0: 1.922,
    3.0: 1.321,
}


def best_known(mu: float) -> float:
    if mu <= 0.25:
        return 4 / sqrt(mu) + 1
    return (1 + 1 / sqrt(mu)) ** 2 if mu <= 1 else 4 / mu


def near(row_mu: float) -> T3Row:
    return next(row for row in ROWS if row.mu == Fraction(str(row_mu)))


@pytest.mark.parametrize(("mu", "constant"), LEADING.items())
def test_leading_constants(mu: float, constant: float) -> None:
    N, d = 10**10, 2000
    value = t3(Problem.square(N, d), round(mu * d * d)).value / N**2
    assert constant * 0.999 <= value <= best_known(mu)
    assert value <= constant * 1.02, "this much better would be news; check it"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_close_to_the_best_known_schedule(row: T3Row) -> None:
    mu, N, d = float(row.mu), 10**10, 2000
    ratio = best_known(mu) / (t3(Problem.square(N, d), int(row.mu * d * d)).value / N**2)
    assert 1 <= ratio <= (1.23 if mu < 3 else 1.01)


def flash2_streamed(N: int, d: int, M: int) -> int:
    rows = (M - 2) // (2 * d + 2)
    return 2 * N * d + 2 * N * d * -(-N // rows)


def small_cache(N: int, d: int, M: int) -> int:
    B = isqrt(M // 4)
    tn, td = -(-N // B), -(-d // B)
    return 3 * N * d * tn + N * N * td + N + N * N + N * d + N


@pytest.mark.many(1)
@pytest.mark.parametrize("of_problem", [t3, t4])
@examples(150, 700)
@given(st.integers(1000, 10**6), st.integers(2, 300), st.floats(-7, 1.6))
def test_dominated_by_schedules(
    of_problem: Callable[[Problem, int], Bound], N: int, d: int, log2_mu: float
) -> None:
    M = int(2**log2_mu * d * d)
    if 2 * d + 8 > M:
        return
    problem = Problem.square(N, d)
    try:
        bound = of_problem(problem, M).value
    except BoundDoesNotApply:
        return
    assert bound <= flash2_streamed(N, d, M)
    assert bound <= small_cache(N, d, M)
    assert bound <= best_known(M / d**2) * N**2 + 4 * N * d


@pytest.mark.parametrize(("of_problem", "kind"), [(t3, T3Row), (t4, T4Row)])
@examples(30, 120)
@given(
    st.integers(1, 10**7),
    st.integers(1, 10**7),
    st.integers(1, 200),
    st.integers(1, 200),
    st.integers(1, 10**5),
)
def test_equals_the_theorem_in_fractions(
    of_problem: Callable[[Problem, int], Bound], kind: type[T3Row], Nq: int, Nk: int, d: int, dv: int, M: int
) -> None:
    problem = Problem(Nq=Nq, Nk=Nk, d=d, dv=dv)
    rows = kind.load() if kind is T3Row or dv <= d else ()
    values = [theorem(row, problem, M) for row in rows]
    known = [value for value in values if value is not None]
    if not known:
        with pytest.raises(BoundDoesNotApply):
            of_problem(problem, M)
        return
    bound = of_problem(problem, M)
    assert isinstance(bound.value, int)
    assert max(known) - 1 <= bound.value <= max(0, max(known))


def theorem(row: T3Row, problem: Problem, M: int) -> int | None:
    """The right-hand side of the theorem, minimised over every candidate for s, rounded down, plus 1."""
    z, d, dv = problem.pairs, problem.d, problem.dv
    X = row.tau * d**2 - M
    if row.mu * d**2 < M or X <= 2:
        return None

    def n(s: int) -> int:
        return -(-(z * (row.beta * d + (1 + row.delta) * dv) - row.delta * dv * s) // (row.W * d**3))

    if n(z) < 2:
        return None
    jumps = {0, z}
    for count in {n(z), n(z) + 1, n(0) - 1, n(0)}:
        first = -(-(z * (row.beta * d + (1 + row.delta) * dv) - count * row.W * d**3) // (row.delta * dv))
        jumps |= {s for s in (first, first + 1) if 0 <= s <= z}
    cost = min((n(s) - 1) * (X - 2) + s for s in jumps)
    return int((cost + M - row.gamma * z - problem.Nq * dv) // 1) + 1


def test_row_sums_as_outputs_add_one_store_a_row() -> None:
    plain, stats = Problem.square(5000, 64), Problem.square(5000, 64, stats=True)
    assert t3(stats, 4096).value == t3(plain, 4096).value + 5000


def test_more_memory_never_helps_the_bound_within_a_row() -> None:
    problem = Problem(Nq=30_000, Nk=20_000, d=64, dv=96)
    values = [t3(problem, M).value for M in range(100, 19_000, 37)]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_rules_do_not_matter() -> None:
    problem = Problem(Nq=30_000, Nk=20_000, d=64, dv=96)
    for rules in (Rules(), Rules(recomputation=False), Rules(sliding=True), Rules(False, True)):
        assert t3(problem, 4096).holds_under(rules)
        assert t3(problem, 4096) in forward_bounds(problem, 4096, rules)


def test_large_sizes_are_exact() -> None:
    problem = Problem.square(10**15, 128)
    bound = t3(problem, 16_000)
    assert bound.value > 3 * 10**30
    assert bound.status == "machine-checked"
    assert "mu = 1," in bound.note


def test_refusals() -> None:
    with pytest.raises(BoundDoesNotApply, match="use T1"):
        t3(Problem.square(10**6, 64), 5 * 64**2)
    with pytest.raises(BoundDoesNotApply, match="too small"):
        t3(Problem.square(4, 64), 4096)
    with pytest.raises(InvalidInput):
        t3(Problem.square(4096, 64), 0)
    with pytest.raises(BoundDoesNotApply, match="use T1"):
        t3(Problem.square(4096, 2), 20)
    edge = int(ROWS[-1].mu * 64**2)
    assert t3(Problem.square(10**6, 64), edge).value > 0
    with pytest.raises(BoundDoesNotApply):
        t3(Problem.square(10**6, 64), edge + 1)
