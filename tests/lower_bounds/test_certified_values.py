"""T3, T4, B3 and B4: values are the theorems', leading constants those of the pages, and where they do not apply."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import proved_bounds
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.backward_rows import B3Row, B4Row, b3, b4
from pebble.lower_bounds.certified.forward_rows import T3Row, t3, t4
from tests.support.amounts import examples

Ask = Callable[[Problem, int], Bound]
DOCS = Path(__file__).parents[2] / "docs"
PASSES = {"T3": "forward", "T4": "forward", "B3": "backward", "B4": "backward"}
BOUNDS: dict[str, Ask] = {"T3": t3, "T4": t4, "B3": b3, "B4": b4}


def problem_of(name: str, N: int, d: int = 64) -> Problem:
    return Problem.square(N, d, pass_name=PASSES[name])


def leading(name: str, mu: float) -> float:
    N, d = 10**10, 2000
    return BOUNDS[name](problem_of(name, N, d), round(mu * d * d)).value / N**2


@pytest.mark.parametrize("name", ["T4", "B4"])
def test_the_table_of_the_docs(name: str) -> None:
    lines = (DOCS / "proofs" / f"{name.lower()}.md").read_text(encoding="utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line[:2] == "| " and line[2].isdigit()]
    assert len(cells) >= 13
    for mu, of_third, of_fourth in cells:
        for one, printed in ((f"{name[0]}3", of_third), (name, of_fourth)):
            assert 0 <= leading(one, float(mu)) - float(printed) < 0.01, (mu, printed)


def theorem_b3(row: B3Row, problem: Problem, M: int) -> Fraction | int | None:
    """The theorem's right-hand side: a fraction if I/O is above it, a whole number if I/O is at least that."""
    z, d, dv = problem.pairs, problem.d, problem.dv
    if d != dv and row.tau >= 4:
        return None
    D = min(d, dv)
    n = -(-z * ((row.S + row.dK + row.dQ) * d + (row.dP + row.dV) * dv) // (row.W * D**3))
    charge = row.gamma * z * ((row.S > 0) + (row.dP > 0))
    if row.gamma == 1 or row.S == row.dP == 0:
        X = row.tau * D**2 // 1 - M
        return int(M + 1 + (n - 1) * X - charge) if n >= 2 and X >= 1 else None
    step = row.tau * D**2 - M - 1
    return Fraction(M + (n - 1) * step - charge) if n >= 2 and step > 0 else None


def theorem_b4(row: B4Row, problem: Problem, M: int) -> Fraction | None:
    """The theorem's right-hand side, the minimum over all whole n between n(z, z) and n(0, 0) or beside a break."""
    z, d, dv = problem.pairs, problem.d, problem.dv
    D = min(d, dv)
    X = row.tau * D**2 - M
    if (d != dv and row.tau >= 3) or row.mu * D**2 < M or X <= 2:
        return None
    of_P, of_dS = (row.V1 - row.V0) * dv, (row.K1 - row.K0 + row.Q1 - row.Q0) * d
    work = z * ((row.S + row.K1 + row.Q1) * d + (row.dP + row.V1) * dv)
    fewest, most = (-(-left // (row.W * D**3)) for left in (work - z * (of_P + of_dS), work))
    if fewest < 2:
        return None

    def stores(n: int) -> Fraction:
        missing = max(Fraction(0), work - n * row.W * D**3)
        greater, smaller = max(of_P, of_dS), min(of_P, of_dS)
        first = min(Fraction(z), missing / greater) if greater else Fraction(0)
        return first + ((missing - first * greater) / smaller if smaller and missing > first * greater else 0)

    middle = int((work - z * max(of_P, of_dS)) / (row.W * D**3))
    tried = {fewest, fewest + 1, middle - 1, middle, middle + 1, middle + 2, most - 1, most, most + 1}
    if most - fewest < 200:
        tried |= set(range(fewest, most + 1))
    cost = min((n - 1) * (X - 2) + stores(n) for n in tried if n >= fewest)
    charges = row.gamma * (row.S > 0) + row.gamma_dP * (row.dP > 0)
    return Fraction(cost + M - charges * z - problem.Nq * d - problem.Nk * (d + dv))


@pytest.mark.parametrize("name", ["B3", "B4"])
@examples(50, 200)
@given(
    st.integers(1, 10**7),
    st.integers(1, 10**7),
    st.integers(1, 200),
    st.sampled_from([None, None, 1, 30, 90, 200]),
    st.integers(1, 10**5),
)
def test_equals_the_theorem_in_fractions(name: str, Nq: int, Nk: int, d: int, dv: int | None, M: int) -> None:
    """Of T3 and T4 Coq computes the values."""
    problem = Problem(Nq, Nk, d, dv or d, pass_name="backward")
    if name == "B3":
        values = [theorem_b3(row, problem, M) for row in B3Row.load()]
    else:
        values = [theorem_b4(row, problem, M) for row in B4Row.load()]
    known = [
        value // 1 + 1 if isinstance(value, Fraction) else value for value in values if value is not None
    ]
    if not known:
        with pytest.raises(BoundDoesNotApply):
            BOUNDS[name](problem, M)
        return
    expected = max(0, *known)
    assert expected - (name == "B4") <= BOUNDS[name](problem, M).value <= expected


@pytest.mark.parametrize(("name", "most"), [("T3", 19_000), ("T4", 4000), ("B3", 40_000), ("B4", 6100)])
def test_more_memory_never_helps_and_rules_do_not_matter(name: str, most: int) -> None:
    problem = Problem(30_000, 20_000, 64, 64, pass_name=PASSES[name])
    values = [BOUNDS[name](problem, M).value for M in range(100, most, 37)]
    assert all(later <= earlier for earlier, later in pairwise(values))
    for rules in (Rules(), Rules(recomputation=False), Rules(sliding=True), Rules(False, True)):
        assert BOUNDS[name](problem, 4000) in proved_bounds(problem, 4000, rules)


def test_large_sizes_are_exact_and_row_sums_cost_a_store_each() -> None:
    for name, least, status in (("T3", 3, "machine-checked"), ("B3", 6, "machine-checked")):
        bound = BOUNDS[name](problem_of(name, 10**15, 128), 16_000)
        assert bound.value > least * 10**30
        assert bound.status == status
    assert (
        t3(Problem.square(5000, 64, stats=True), 4096).value
        == t3(Problem.square(5000, 64), 4096).value + 5000
    )


def test_where_rows_end() -> None:
    backward = Problem.square(10**6, 64, pass_name="backward")
    for bound in (b3, b4):
        assert bound(Problem(10**6, 10**6, 64, 32, pass_name="backward"), 32**2 // 2).value > 0
    for ask, edge, problem in (
        (t3, int(T3Row.load()[-1].mu * 64**2), Problem.square(10**6, 64)),
        (b3, int(max(row.tau for row in B3Row.load()) * 64**2) - 2, backward),
    ):
        assert ask(problem, edge).value >= 0
        with pytest.raises(BoundDoesNotApply):
            ask(problem, edge + 2)
