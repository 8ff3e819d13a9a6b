"""B4: its certificate is that of the docs; its values are the theorem's, and stay below every schedule."""

from __future__ import annotations

import itertools
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.lower_bounds.certified.backward_rows import B4Row, b3, b4
from pebble.lower_bounds.certified.branch_and_bound import Boxes
from pebble.lower_bounds.certified.prove_b4 import B4Search
from tests.lower_bounds.test_b3 import backward
from tests.lower_bounds.test_certified import random_segments, tuned_bounds
from tests.support.amounts import examples, first

ROWS = B4Row.load()
DOCS = Path(__file__).parents[2] / "docs"
# Leading constants that were known before.
LEADING = {
    0.05: 39.45,
    0.1: 27.54,
    0.14: 23.10,
    0.18: 20.23,
    0.25: 16.97,
    0.35: 14.16,
    0.5: 11.50,
    0.7: 9.659,
    0.85: 8.709,
    1.0: 7.99,
    1.25: 6.96,
    1.5: 6.15,
    2.0: 4.97,
    2.5: 4.16,
    3.0: 3.59,
    4.0: 2.79,
    5.0: 2.28,
}


def leading(bound: Any, mu: float) -> float:
    N, d = 10**10, 2000
    value: int = bound(backward(N, d=d), round(mu * d * d)).value
    return value / N**2


# --- the constants ------------------------------------------------------------------------------------------


def g_of_the_docs(row: B4Row, at: Any, m: Any) -> Any:
    """g of docs/proofs/b4.md, section 4, at points, letter by letter; inf where a condition fails."""
    S, dP, V0, V1, K0, K1, Q0, Q1 = map(
        float, (row.S, row.dP, row.V0, row.V1, row.K0, row.K1, row.Q0, row.Q1)
    )
    tau, mu, gS, gP = map(float, (row.tau, row.mu, row.gamma, row.gamma_dP))
    (q, k, o, eta), (lam, t1, a1, a2, fK, fQ, pK, pK1, eK, pQ, pQ1, eQ, alpha, sS, sP, theta) = at, m
    t, rho = 1 + t1, alpha * q + (1 - alpha) * o
    A = (1 - a1 - a2) ** 2 * o / (4 * (lam * t - a1 * V1 * q))
    BK = (1 - fK) ** 2 * q / (4 * (lam * t - fK * K1 * rho))
    BQ = (1 - fQ) ** 2 * k / (4 * (lam * t - fQ * Q1 * k))
    (kappa0, kappa1), (chi0, chi1) = (BK * K0**2, BK * K1**2), (BQ * Q0**2, BQ * Q1**2)
    c0, c1 = fK * K0 + fQ * Q0, fK * K1 + fQ * Q1
    H = kappa1 * (pK + pK1) + chi1 * (pQ + pQ1) + c1
    G0, G1 = kappa0 * (1 - pK1) + chi0 * (1 - pQ1) + c0, kappa1 * (1 - pK1) + chi1 * (1 - pQ1) + c1
    L_p = np.minimum(lam - A * V0**2 - (a1 + a2) * V0 - H, lam * t - A * V1**2 - (a1 + a2) * V1 - H)
    L_p = np.minimum(L_p, gS * lam) - sS * S
    L_r = np.minimum(np.minimum(lam - G0, lam * t - G1), gP * lam) - sP * dP
    L_v = lam - kappa1 * ((1 - pK - pK1) * o + pK * eK * rho) - chi1 * ((1 - pQ - pQ1) * o + pQ * eQ * rho)
    value = lam * (tau + (t - 1) * mu - q - k - o) + (1 - sS) * S * theta * eta * q * k
    value += (1 - sS) ** 2 * S**2 * (1 - theta * eta) ** 2 * q * k / (4 * L_p) + A * V1**2 * eta**2 * q * k
    value += a2 * V1 * k * o + kappa1 * (pK1 * eta**2 * q * k + pK * (1 - eK) * rho * k)
    value += chi1 * (pQ1 * eta**2 * q * k + pQ * (1 - eQ) * rho * k)
    holds = (A >= 0) & (BK >= 0) & (BQ >= 0) & (L_p > 0) & (L_r >= 0) & (L_v >= 0)
    holds &= (lam >= kappa0 + chi0 + c0) & (lam * t >= kappa1 + chi1 + c1)
    return np.where(holds & (L_r * L_v >= (1 - sP) ** 2 * dP**2 * o / 4), value, np.inf)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.plain][::3], ids=str)
def test_the_bound_at_a_point_is_the_function_of_the_docs(row: B4Row) -> None:
    rng, n = np.random.default_rng(0), 20_000
    at = np.concatenate([rng.dirichlet(np.ones(4), n).T[:3] * float(row.tau), rng.random((1, n))])
    search = B4Search(row, rng)
    multipliers = search.legal(rng.random((16, n)) * rng.random(n))
    multipliers[0] = np.exp(rng.uniform(-2, 1, n))
    with np.errstate(all="ignore"):
        expected = g_of_the_docs(row, at, multipliers)
    bound = search.bound(Boxes(at, at), multipliers)
    both = np.isfinite(bound) & np.isfinite(expected)
    assert (np.isfinite(bound) == np.isfinite(expected)).mean() > 0.9999  # rounding aside
    assert both.mean() > 0.02
    assert bound[both] == pytest.approx(expected[both], rel=1e-6, abs=1e-6)
    assert (bound[both] >= expected[both]).all()


def test_boxes_are_cut_to_what_a_segment_reaches_and_no_more() -> None:
    row, rng = ROWS[-1], np.random.default_rng(0)
    search = B4Search(row, rng)
    s = random_segments(search)
    point = np.array([s.q, s.k, s.o, s.whole])
    boxes = search.first_box().take(np.zeros(300, int))
    boxes.lo, boxes.hi = point * rng.random(point.shape), point + 9 * rng.random(point.shape)
    uncut = boxes.hi.copy()
    cut = search.reachable(boxes)
    assert len(cut) == 300
    assert (cut.hi >= point).all()
    assert (cut.hi < uncut).any(axis=0).mean() > 0.05
    cut.lo, cut.hi = (
        np.array([[float(row.tau)], [0.0], [0.0], [0.0]]) * np.ones(300),
        np.full((4, 300), 99.0),
    )
    assert (search.reachable(cut).hi[0] >= float(row.tau)).all()


@pytest.mark.parametrize("tau", first(1, ["2", "9"]))
@pytest.mark.parametrize(
    "products", first(1, ["dP K Q", "S V", "dP V K", "S", "dP", "V", "K", "Q", "dP Q", "S K"])
)
def test_every_term_of_the_bound_is_needed(products: str, tau: str) -> None:
    """With few products at a time no error in a term can hide: there is no gap for it."""
    weights = {name: Fraction(int(name in products.split())) for name in ("S", "dP")}
    for name, (low, high) in itertools.product("VKQ", [("0", "1")]):
        used = int(name in products.split())
        weights |= {name + low: Fraction(2 * used, 3), name + high: Fraction(used)}
    row = B4Row(Fraction(1, 2), Fraction(tau), Fraction(1, 2), Fraction(1), Fraction(1, 3), **weights)
    found = [B4Search(row, np.random.default_rng(n)).much_work(n) for n in (60, 200, 600)]
    assert (np.array([attained for attained, _ in found]) <= tuned_bounds("B4", row, found)).all()


# --- the values ---------------------------------------------------------------------------------------------


def theorem(row: B4Row, problem: Problem, M: int) -> Fraction | None:
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


@examples(50, 300)
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
            b4(problem, M)
        return
    expected = max(0, max(known) // 1 + 1)
    assert expected - 1 <= b4(problem, M).value <= expected


@pytest.mark.parametrize(("mu", "constant"), LEADING.items())
def test_leading_constants(mu: float, constant: float) -> None:
    assert constant <= leading(b4, mu) <= constant * 1.05, "this much better would be news; check it"
    assert leading(b4, mu) > leading(b3, mu)


def test_the_table_of_the_docs() -> None:
    lines = (DOCS / "proofs" / "b4.md").read_text(encoding="utf-8").splitlines()
    cells = [
        line.strip("| ").split(" | ") for line in lines if line[:3] in {f"| {digit}" for digit in range(10)}
    ]
    assert len(cells) == len(ROWS)
    for mu, of_b3, of_b4 in cells:
        for bound, printed in ((b3, of_b3), (b4, of_b4)):
            assert 0 <= leading(bound, float(mu)) - float(printed) < 0.01, (mu, printed)


def test_more_memory_never_helps_the_bound_within_the_rows() -> None:
    problem = backward(30_000, 20_000)
    values = [b4(problem, M).value for M in range(100, 6100, 37)]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_refusals() -> None:
    with pytest.raises(BoundDoesNotApply, match="use B3 or B1"):
        b4(backward(10**6), 40 * 64**2)
    with pytest.raises(BoundDoesNotApply, match="too small"):
        b4(backward(4), 4096)
    with pytest.raises(BoundDoesNotApply, match="use B3 or B1"):
        b4(backward(10**6, dv=32), 3 * 32**2)
    assert b4(backward(10**6, dv=32), 32**2 // 2).value > 0
    with pytest.raises(InvalidInput):
        b4(backward(4096), 0)
