"""B3: its constants are proved anew and are nearly the best; its values are the theorem's, and hold step by step."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import backward_bounds
from pebble.lower_bounds.certified.b3 import B3Row, b3
from pebble.lower_bounds.certified.branch_and_bound import Boxes, certify
from pebble.lower_bounds.certified.prove_b3 import B3Search, B3Segment
from tests.support.amounts import examples, first

ROWS = B3Row.load()
QUICK = [row for row in ROWS if row.mu in (Fraction("0.14"), 7)]


def backward(Nq: int, Nk: int | None = None, d: int = 64, dv: int | None = None) -> Problem:
    return Problem(Nq, Nq if Nk is None else Nk, d, d if dv is None else dv, pass_name="backward")


# --- the constants ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("row", QUICK, ids=str)
def test_constant_is_proved_again(row: B3Row) -> None:
    proof = certify(B3Search, row)
    assert proof.verdict == "proved"
    assert row.W / Fraction("1.035") < proof.attained <= row.W, "the constant should be nearly the best one"


@pytest.mark.slow
@pytest.mark.parametrize("row", first(1, ROWS[2::7]), ids=str)
def test_six_per_cent_more_is_proved_and_four_per_cent_less_refuted(row: B3Row) -> None:
    assert certify(B3Search, replace(row, W=row.W * Fraction(106, 100))).verdict == "proved"
    smaller = certify(B3Search, replace(row, W=row.W * Fraction(96, 100)))
    assert smaller.verdict == "refuted"
    assert smaller.witness.weight(row) <= row.tau
    assert smaller.witness.work(row) == pytest.approx(smaller.attained)
    assert min(vars(smaller.witness).values()) >= 0


def test_out_of_boxes_is_not_a_proof() -> None:
    assert certify(B3Search, ROWS[0], max_boxes=300).verdict == "undecided"


@pytest.mark.slow
def test_a_proof_does_not_depend_on_the_search() -> None:
    row = replace(QUICK[0], W=QUICK[0].W * Fraction(15, 10))
    assert certify(B3Search, row) == certify(B3Search, row)
    assert certify(B3Search, row, rng=np.random.default_rng(7)).verdict == "proved"


def random_segments(row: B3Row, rng: np.random.Generator, n: int) -> B3Segment:
    """Segments of weight tau at most, of all shapes: random shares of the weight, many of them zero."""
    shares = rng.dirichlet(np.full(12, 0.4), n).T * (rng.random((12, n)) < 0.7) + 1e-12
    unit = B3Segment(*np.eye(12)).weight(row)
    return B3Segment(*(shares * (float(row.tau) * (1 - 1e-9) / (unit @ shares))))


@pytest.mark.parametrize("row", ROWS[::4], ids=str)
def test_random_segments_stay_below_the_constant(row: B3Row) -> None:
    segments = random_segments(row, np.random.default_rng(1), 100_000)
    assert segments.weight(row).max() <= float(row.tau)
    assert segments.work(row).max() <= float(row.W)


def plain_work(row: B3Row, x: B3Segment) -> Any:
    """f without the members of its minima that need dv = d."""
    S, dP, dV, dK, dQ = (float(w) for w in (row.S, row.dP, row.dV, row.dK, row.dQ))
    pairs = x.s + np.minimum(x.r + x.o * x.v, x.p + x.r + np.minimum(x.q, x.o) * np.minimum(x.k, x.v))
    return (
        S * np.sqrt((x.p + x.p_new) * x.q * x.k)
        + dP * np.sqrt((x.r + x.r_new) * x.o * x.v)
        + dV * np.sqrt((x.p + x.q * x.k) * x.uV * x.o)
        + dK * np.sqrt(pairs * x.uK * x.q)
        + dQ * np.sqrt(pairs * x.uQ * x.k)
    )


@examples(75, 300)
@given(st.integers(0, len(ROWS) - 1), st.integers(0, 2**32 - 1), st.floats(0, 0.6))
def test_a_box_is_bounded_above_every_point_in_it(which: int, seed: int, width: float) -> None:
    """For any multipliers, near the useful ones or not: the dual never lies."""
    row, rng = ROWS[which], np.random.default_rng(seed)
    n = 300
    s = random_segments(row, rng, n)
    point = np.array([s.q, s.k, s.o])
    below, above = rng.random((2, *point.shape)) * width
    lo, hi = point * (1 - below), point * (1 + above) + width * rng.random(point.shape) * (rng.random() < 0.5)
    search = B3Search(row, rng)
    multipliers = search.legal(np.clip(rng.uniform(-0.5, 1.5, (9, n)), 0, 1))
    multipliers[0] = np.exp(rng.uniform(-3, 3, n)) * float(row.tau) ** 0.5
    if row.plain:
        multipliers[1:5] = 0
    bound = search.bound(Boxes(lo, hi), multipliers)
    work = plain_work(row, s) if row.plain else s.work(row)
    assert (bound >= work * (1 - 1e-13)).all()
    assert np.isfinite(bound).any() or row.mu > 1


def tuned_bounds(row: B3Row, corner: np.ndarray[Any, Any], rounds: int = 6) -> np.ndarray[Any, Any]:
    """The least bounds that the search finds at single points (q, k, o)."""
    search = B3Search(row, np.random.default_rng(0))
    boxes = search.first_box().take(np.zeros(corner.shape[1], int))
    boxes.lo = boxes.hi = corner
    search.tune_price(boxes, 8.0, 30)
    for _ in range(rounds):
        boxes.step = np.full(corner.shape[1], 0.3)
        search.improve(boxes, 60)
    assert not (row.plain and boxes.multipliers[1:5].any()), "these are for dv = d only"
    return boxes.value


@pytest.mark.slow
@pytest.mark.parametrize("row", first(2, ROWS[::5]), ids=str)
def test_good_multipliers_come_near_and_stay_above(row: B3Row) -> None:
    """Concavity: at a point the dual has no gap, so that bounds can be as good as one likes, and no better."""
    lengths = (30, 60, 100, 150, 250, 400, 700, 1200)
    found = [B3Search(row, np.random.default_rng(n)).much_work(n) for n in lengths]
    work = np.array([attained for attained, _ in found])
    value = tuned_bounds(row, np.array([(x.q, x.k, x.o) for _, x in found]).T)
    assert (work <= value).all()
    assert value[-1] <= work[-1] * 1.02


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
    value = tuned_bounds(row, np.array([(x.q, x.k, x.o) for _, x in found]).T, rounds=3)
    assert (work <= value).all()


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", "1.5"),
        ("gamma", "0"),
        ("tau", "0.1"),
        ("W", "0"),
        ("S", "-1"),
        ("dK", "0.00000000001"),
        ("dQ", "x"),
    ],
)
def test_unsound_rows_are_refused(name: str, value: str) -> None:
    weights = {"S": "0.5", "dP": "0.6", "dV": "1", "dK": "1", "dQ": "1"}
    sound = {"mu": "1", "tau": "3", "gamma": "0.4", "W": "1.1"} | weights
    assert B3Row.from_strings(sound).mu == 1
    with pytest.raises(InvalidInput, match="row of B3"):
        B3Row.from_strings(sound | {name: value})
    with pytest.raises(InvalidInput, match="entries"):
        B3Row.from_strings({"mu": "1"})
    with pytest.raises(InvalidInput, match="not all of them 0"):
        B3Row.from_strings(sound | dict.fromkeys(weights, "0"))
