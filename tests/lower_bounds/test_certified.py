"""The constants of T3, T4, B3 and B4 are proved anew and are nearly the best; no bound on a box is too small."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.lower_bounds.certified.backward_rows import B3Row, B4Row, BackwardRow
from pebble.lower_bounds.certified.backward_work import Amounts
from pebble.lower_bounds.certified.branch_and_bound import Boxes, certify
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row
from pebble.lower_bounds.certified.prove_b3 import B3Search, B3Segment
from pebble.lower_bounds.certified.prove_b4 import B4Search, PlainB4Search, b4_search
from pebble.lower_bounds.certified.prove_t3 import T3Search
from pebble.lower_bounds.certified.prove_t4 import T4Search
from tests.support.amounts import examples

T3, T4, B3, B4 = T3Row.load(), T4Row.load(), B3Row.load(), B4Row.load()


def cases(search: Any, rows: Iterable[Any], *numbers: Any, quick: int = 0) -> list[Any]:
    """Parameters of a test: the search, a row, and numbers; all but some are slow."""
    return [
        pytest.param(
            search,
            row,
            *numbers,
            marks=[] if place < quick else [pytest.mark.slow],
            id=f"{row.statement.name}, {row}",
        )
        for place, row in enumerate(rows)
    ]


# --- the constants ------------------------------------------------------------------------------------------


@pytest.mark.many(1)
@pytest.mark.parametrize(
    ("search", "row", "spare"),
    [
        *cases(T3Search, T3[44:50:2], "1.002", quick=3),
        *cases(T4Search, T4[2::7], "1.012", quick=1),
        *cases(B3Search, (B3[10], B3[27]), "1.035"),
        *cases(b4_search, (B4[8],), "1.03"),
    ],
)
def test_constant_is_proved_again(search: Any, row: Any, spare: str) -> None:
    proof = certify(search, row)
    assert proof.verdict == "proved"
    assert row.W / Fraction(spare) < proof.attained <= row.W, "the constant should be nearly the best one"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "row", "more", "less"),
    [
        *cases(T3Search, T3[::5], "1.02", "0.98", quick=11),
        *cases(T3Search, T3[44:50:2], "1.02", "0.997", quick=3),
        *cases(T4Search, T4, "1.03", "0.98"),
        *cases(B3Search, B3[2::7], "1.06", "0.96"),
        *cases(b4_search, B4[3::4], "1.08", "0.94"),
    ],
)
def test_more_is_proved_by_any_search_and_less_refuted(search: Any, row: Any, more: str, less: str) -> None:
    greater = replace(row, W=row.W * Fraction(more))
    assert certify(search, greater, rng=np.random.default_rng(5)).verdict == "proved"
    smaller = certify(search, replace(row, W=row.W * Fraction(less)))
    witness = smaller.witness
    assert smaller.verdict == "refuted"
    assert witness.weight(row) <= row.tau
    assert witness.work(row) == pytest.approx(smaller.attained)
    assert min(vars(witness).values()) >= 0
    assert getattr(witness, "whole", 1) <= 1
    assert getattr(witness, "cn", 0) <= row.mu


@pytest.mark.parametrize("row", [T3[0], T4[0], B3[0], B4[0]], ids=lambda row: row.statement.name)
def test_unsound_rows_are_refused(row: Any) -> None:
    unsound = {"gamma": "1.5", "tau": "0.001", "W": "0"}
    if isinstance(row, T3Row):
        unsound |= {"delta": "-1", "beta": "-1"}
    else:
        unsound |= {"S": "-1", "dP": "-1"}
    if isinstance(row, B4Row):
        unsound |= {"gamma_dP": "0", "V0": "1.1", "K1": "0.1", "Q0": "-1"}
    for name, value in unsound.items():
        with pytest.raises(InvalidInput, match=f"no sound row of {row.statement.name}"):
            replace(row, **{name: Fraction(value)})
    given_as = dict.fromkeys(row.scaled, "0.5")
    for text in ("0.00000000001", "x"):
        with pytest.raises(ValueError, match=r"nine decimal places|Invalid literal"):
            row.from_strings(given_as | {"gamma": text})


# --- bounds on boxes ----------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A search, the variables of its boxes, and how many multipliers it has; those that plain rows do not use."""

    rows: tuple[Any, ...]
    search: Any
    variables: tuple[str, ...]
    multipliers: int
    not_plain: tuple[int, ...] = ()


KINDS = {
    "T3": Kind(T3, T3Search, ("x", "u"), 3),
    "T4": Kind(T4, T4Search, ("x", "whole", "u"), 5),
    "B3": Kind(B3, B3Search, ("q", "k", "o"), 9, (1, 2, 3, 4)),
    "B4": Kind(B4, B4Search, ("q", "k", "o", "whole"), 16, (2, 3, 4, 5, 13, 14)),
    "plain B4": Kind(B4[:9], PlainB4Search, ("q", "k", "o", "whole"), 5),
}


def random_segments(search: Any) -> Any:
    """Segments of weight tau at most, of all shapes: random shares of the weight, many of them zero."""
    parts, rng = search.random_amounts(), search.rng
    whole = [rng.choice([0.0, 1.0, 0.5, rng.random()], 300)] * hasattr(search.segment(*parts), "whole")
    heavy = parts[: len(parts) - len(whole)]
    return search.segment(*search.fit(heavy * (rng.random(heavy.shape) < 0.7) + 1e-12), *whole)


@pytest.mark.parametrize("name", KINDS)
def test_random_segments_stay_below_the_constant(name: str) -> None:
    kind = KINDS[name]
    for row in kind.rows[::4]:
        search = kind.search(row, np.random.default_rng(1))
        for _ in range(20):
            segments = random_segments(search)
            assert segments.weight(row).max() <= float(row.tau)
            assert segments.work(row).max() <= float(row.W)


def plain_work(row: BackwardRow, x: Any) -> Any:
    """f of B3 or B4 without the members of its minima that need dv = d."""
    S, dP, V0, V1, K0, K1, Q0, Q1 = map(float, row.weights)
    if isinstance(x, B3Segment):
        *words, p, p_new, r, r_new, s = (getattr(x, name) for name in vars(x))
        x = Amounts(*[*words, p, 0.0, p_new, r, 0.0, r_new, s, 0.0, 1.0])
        on_S = np.sqrt((p + p_new) * x.q * x.k)
    else:
        spread = np.sqrt((x.p_stored + x.p_kept + x.p_new) * x.q * x.k)
        on_S = np.minimum(spread, spread * (1 - x.whole) + x.q * x.k * x.whole)
    p, inner = x.p_stored + x.p_kept, x.whole**2 * x.q * x.k
    both = np.minimum(x.q, x.o) * np.minimum(x.k, x.v)

    def pairs(low: float, high: float) -> Any:
        r = low**2 * x.r_stored + high**2 * x.r_kept
        made = np.minimum(high**2 * (p + inner), r + high**2 * x.o * x.v)
        return low**2 * x.s_stored + high**2 * x.s_kept + np.minimum(made, high**2 * (p + both) + r)

    return (
        S * on_S
        + dP * np.sqrt((x.r_stored + x.r_kept + x.r_new) * x.o * x.v)
        + np.sqrt((V0**2 * x.p_stored + V1**2 * (x.p_kept + inner)) * x.uV * x.o)
        + np.sqrt(pairs(K0, K1) * x.uK * x.q)
        + np.sqrt(pairs(Q0, Q1) * x.uQ * x.k)
    )


@pytest.mark.parametrize("name", KINDS)
@examples(40, 300)
@given(st.integers(0, 50), st.integers(0, 2**32 - 1), st.floats(0, 0.6))
def test_a_box_is_bounded_above_every_point_in_it(name: str, which: int, seed: int, width: float) -> None:
    """For any multipliers, near the useful ones or not: the dual never lies."""
    rows, kind, variables, number, not_plain = KINDS[name]
    row, rng = rows[which % len(rows)], np.random.default_rng(seed)
    search = kind(row, rng)
    s = random_segments(search)
    point = np.array([getattr(s, variable) for variable in variables])
    below, above, farther = rng.random((3, *point.shape)) * width
    lo, hi = point * (1 - below), point * (1 + above) + farther * (rng.random() < 0.5)
    if "whole" in variables:
        hi[variables.index("whole")] = np.minimum(hi[variables.index("whole")], 1.0)
    multipliers = search.legal(rng.uniform(-0.5, 1.5, (number, 300)))
    multipliers[0] = np.exp(rng.uniform(-3, 3, 300)) * float(row.tau) ** 0.5
    plain = getattr(row, "plain", False)
    if plain:
        multipliers[list(not_plain)] = 0
    bound = search.bound(Boxes(lo, hi), multipliers)
    work = plain_work(row, s) if plain else s.work(row)
    assert (bound >= work * (1 - 1e-13)).all()
    assert np.isfinite(bound).any() or row.mu > 1


def test_boxes_are_cut_to_what_a_segment_reaches_and_no_more() -> None:
    row, rng = B4[-1], np.random.default_rng(0)
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
