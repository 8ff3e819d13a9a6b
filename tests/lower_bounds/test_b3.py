"""B3: its values are the theorem's, and every term of its certificate is needed."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import backward_bounds
from pebble.lower_bounds.certified.backward_rows import B3Row, b3
from pebble.lower_bounds.certified.prove_b3 import B3Search
from tests.lower_bounds.test_certified import tuned_bounds
from tests.support.amounts import examples, first

ROWS = B3Row.load()


def backward(Nq: int, Nk: int | None = None, d: int = 64, dv: int | None = None) -> Problem:
    return Problem(Nq, Nq if Nk is None else Nk, d, d if dv is None else dv, pass_name="backward")


# --- the constants ------------------------------------------------------------------------------------------


@pytest.mark.many(1)
@pytest.mark.parametrize("tau", ["2", "9"])
@pytest.mark.parametrize(
    "products",
    first(3, ["dP dK dQ", "S", "dP dV dK", "dP", "dV", "dK", "dQ", "dP dK", "dP dQ", "S dV", "S dK"]),
)
def test_every_term_of_the_bound_is_needed(products: str, tau: str) -> None:
    """With few products at a time no error in a term can hide: there is no gap for it."""
    names = ("S", "dP", "dV", "dK", "dQ")
    weights = {name: Fraction(int(name in products.split())) for name in names}
    gamma = Fraction(1, 1 if "dP d" in products else 2)
    row = B3Row(mu=Fraction(1, 10), tau=Fraction(tau), gamma=gamma, W=Fraction(1), **weights)
    found = [B3Search(row, np.random.default_rng(n)).much_work(n) for n in (60, 120, 240, 480, 900)]
    work = np.array([attained for attained, _ in found])
    assert (work <= tuned_bounds("B3", row, found, rounds=3)).all()


# --- the values ---------------------------------------------------------------------------------------------


def theorem(row: B3Row, problem: Problem, M: int) -> Fraction | int | None:
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


@examples(50, 200)
@given(
    st.integers(1, 10**7),
    st.integers(1, 10**7),
    st.integers(1, 200),
    st.sampled_from([None, None, 1, 30, 90, 200]),
    st.integers(1, 10**5),
)
def test_equals_the_theorem_in_fractions(Nq: int, Nk: int, d: int, dv: int | None, M: int) -> None:
    problem = backward(Nq, Nk, d, dv)
    known = [value for row in ROWS if (value := theorem(row, problem, M)) is not None]
    if not known:
        with pytest.raises(BoundDoesNotApply):
            b3(problem, M)
        return
    expected = max(value // 1 + 1 if isinstance(value, Fraction) else value for value in known)
    assert b3(problem, M).value == max(0, expected)


def test_more_memory_never_helps_the_bound() -> None:
    problem = backward(30_000, 20_000)
    values = [b3(problem, M).value for M in range(100, 40_000, 37)]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_rules_do_not_matter() -> None:
    problem = backward(30_000, 20_000)
    for rules in (Rules(), Rules(recomputation=False), Rules(sliding=True), Rules(False, True)):
        assert b3(problem, 4096).holds_under(rules)
        assert b3(problem, 4096) in backward_bounds(problem, 4096, rules)


def test_between_rows_the_bound_does_not_sag() -> None:
    """On a logarithmic scale the bound is nearly as good as the mean of what it is on either side."""
    N, d = 10**9, 1000
    values = np.array(
        [b3(backward(N, d=d), int(mu * d * d)).value / N**2 for mu in np.geomspace(0.004, 11, 120)]
    )
    assert (values[4:-4] >= 0.97 * np.sqrt(values[8:] * values[:-8])).all()


def test_large_sizes_are_exact() -> None:
    problem = backward(10**15, d=128)
    bound = b3(problem, 16_000)
    assert bound.value > 6 * 10**30
    assert bound.status == "computer-assisted"


def test_refusals() -> None:
    with pytest.raises(BoundDoesNotApply, match="use B1"):
        b3(backward(10**6), 40 * 64**2)
    with pytest.raises(BoundDoesNotApply, match="too small"):
        b3(backward(4), 4096)
    with pytest.raises(BoundDoesNotApply, match="use B1"):
        b3(backward(10**6, dv=32), 5 * 32**2)
    assert b3(backward(10**6, dv=32), 32**2).value > 0
    with pytest.raises(InvalidInput):
        b3(backward(4096), 0)
    edge = int(max(row.tau for row in ROWS) * 64**2)
    assert b3(backward(10**6), edge - 2).value >= 0
    with pytest.raises(BoundDoesNotApply):
        b3(backward(10**6), edge)
