"""T3: its constants are proved anew and are nearly the best; its values stay below every schedule."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isqrt, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import forward_bounds
from pebble.lower_bounds.certified.branch_and_bound import Boxes, certify
from pebble.lower_bounds.certified.prove_t3 import T3Search, T3Segment
from pebble.lower_bounds.certified.t3 import T3Row, t3
from tests.support.amounts import examples

ROWS = T3Row.load()
QUICK = [row for row in ROWS if row.mu in (3, Fraction("3.5"), 4)]

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


# --- the constants ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", QUICK, ids=str)
def test_constant_is_proved_again(row: T3Row) -> None:
    proof = certify(T3Search, row)
    assert proof.verdict == "proved"
    assert row.W / 1.002 < proof.attained <= row.W, "the constant should be nearly the best one"


@pytest.mark.parametrize("row", ROWS[::5], ids=str)
def test_two_per_cent_more_is_proved_and_two_per_cent_less_refuted(row: T3Row) -> None:
    assert certify(T3Search, replace(row, W=row.W * Fraction(102, 100))).verdict == "proved"
    smaller = certify(T3Search, replace(row, W=row.W * Fraction(98, 100)))
    assert smaller.verdict == "refuted"
    assert smaller.witness.weight(row) <= row.tau
    assert smaller.witness.cn <= row.mu
    assert smaller.witness.work(row) == pytest.approx(smaller.attained)


@pytest.mark.parametrize("row", QUICK, ids=str)
def test_a_third_of_a_per_cent_less_is_refuted(row: T3Row) -> None:
    assert certify(T3Search, replace(row, W=row.W * Fraction(997, 1000))).verdict == "refuted"


def test_out_of_boxes_is_not_a_proof() -> None:
    assert certify(T3Search, ROWS[0], max_boxes=100).verdict == "undecided"


def test_proof_is_deterministic() -> None:
    assert certify(T3Search, QUICK[-1]) == certify(T3Search, QUICK[-1])


def random_segments(row: T3Row, rng: np.random.Generator, n: int) -> T3Segment:
    """Segments of weight exactly tau, of all shapes: random shares of the weight, many of them zero."""
    shares = rng.dirichlet(np.full(6, 0.5), n).T * float(row.tau)
    cs, cn, fresh, x, u, v = shares
    cn = np.minimum(cn, float(row.mu))
    room = np.minimum(u, float(row.mu) - cn)
    u = room + (u - room) / 2
    return T3Segment(cs, cn, fresh / float(row.gamma), x / 2, u, v)


@pytest.mark.parametrize("row", ROWS[::4], ids=str)
def test_random_search_stays_below_the_constant_and_comes_near(row: T3Row) -> None:
    rng = np.random.default_rng(1)
    segment = random_segments(row, rng, 100_000)
    assert segment.weight(row).max() <= float(row.tau) * (1 + 1e-12)
    best, at = climb(row, segment, rng)
    assert best <= float(row.W)
    assert best >= 0.97 * float(row.W), at


def climb(row: T3Row, start: T3Segment, rng: np.random.Generator) -> tuple[float, np.ndarray[Any, Any]]:
    """Local improvement of the best random segments, in the space of shares."""
    work = start.work(row)
    order = np.argsort(-work)[:40]
    parts = np.array([getattr(start, name)[order] for name in ("cs", "cn", "fresh", "x", "u", "v")])
    best = work[order]
    for step in np.geomspace(0.5, 1e-3, 400):
        moved = np.abs(
            parts + step * rng.normal(size=parts.shape) * parts.mean() * (rng.random(parts.shape) < 0.5)
        )
        moved[1] = np.minimum(moved[1], float(row.mu))
        moved *= float(row.tau) / np.maximum(float(row.tau), T3Segment(*moved).weight(row))
        feasible = T3Segment(*moved).weight(row) <= float(row.tau) * (1 + 1e-12)
        better = (T3Segment(*moved).work(row) > best) & feasible
        parts[:, better] = moved[:, better]
        best = np.maximum(best, np.where(better, T3Segment(*moved).work(row), 0))
    return float(best.max()), parts[:, int(np.argmax(best))]


@examples(50, 200)
@given(st.integers(0, len(ROWS) - 1), st.integers(0, 2**32 - 1), st.floats(0, 0.5))
def test_a_box_is_bounded_above_every_point_in_it(which: int, seed: int, width: float) -> None:
    row, rng, n = ROWS[which], np.random.default_rng(seed), 200
    s = random_segments(row, rng, n)
    point = np.array([s.x, s.u])
    below, above = rng.random((2, *point.shape)) * width
    lo, hi = point * (1 - below), point * (1 + above)
    search = T3Search(row, rng)
    multipliers = search.legal(rng.uniform(-0.2, 1.2, (3, n)))
    multipliers[0] = np.exp(rng.uniform(-8, 3, n))
    bound = search.bound(Boxes(lo, hi), multipliers)
    assert (bound >= s.work(row) * (1 - 1e-13)).all()
    assert np.isfinite(bound).mean() > 0.3


@pytest.mark.parametrize("row", ROWS[::6], ids=str)
def test_good_multipliers_come_near(row: T3Row) -> None:
    work, s = T3Search(row, np.random.default_rng(0)).much_work()
    search = T3Search(row, np.random.default_rng(0))
    boxes = search.first_box()
    boxes.lo = boxes.hi = np.array([[s.x], [s.u]])
    search.tune_price(boxes, 8.0, 30)
    for _ in range(5):
        boxes.step = np.full(1, 0.3)
        search.improve(boxes, 30)
    assert work <= boxes.value[0] <= work * 1.001


# --- the values ---------------------------------------------------------------------------------------------


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


@examples(200, 800)
@given(st.integers(1000, 10**6), st.integers(2, 300), st.floats(-7, 1.6))
def test_dominated_by_schedules(N: int, d: int, log2_mu: float) -> None:
    M = int(2**log2_mu * d * d)
    if 2 * d + 8 > M:
        return
    problem = Problem.square(N, d)
    try:
        bound = t3(problem, M).value
    except BoundDoesNotApply:
        return
    assert bound <= flash2_streamed(N, d, M)
    assert bound <= small_cache(N, d, M)
    assert bound <= best_known(M / d**2) * N**2 + 4 * N * d


@examples(30, 120)
@given(
    st.integers(1, 10**7),
    st.integers(1, 10**7),
    st.integers(1, 200),
    st.integers(1, 200),
    st.integers(1, 10**5),
)
def test_equals_the_theorem_in_fractions(Nq: int, Nk: int, d: int, dv: int, M: int) -> None:
    problem = Problem(Nq=Nq, Nk=Nk, d=d, dv=dv)
    values = [theorem(row, problem, M) for row in ROWS]
    known = [value for value in values if value is not None]
    if not known:
        with pytest.raises(BoundDoesNotApply):
            t3(problem, M)
        return
    bound = t3(problem, M)
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


@pytest.mark.parametrize(
    ("name", "value"),
    [("gamma", "1.5"), ("gamma", "0"), ("tau", "0.1"), ("W", "0"), ("beta", "0.00000000001"), ("delta", "x")],
)
def test_unsound_rows_are_refused(name: str, value: str) -> None:
    sound = {"mu": "1", "tau": "3", "delta": "0.4", "beta": "0.6", "gamma": "0.3", "W": "1.1"}
    assert T3Row.from_strings(sound).mu == 1
    with pytest.raises(InvalidInput, match="row of T3"):
        T3Row.from_strings(sound | {name: value})
    with pytest.raises(InvalidInput, match="entries"):
        T3Row.from_strings({"mu": "1"})
