"""The function of B4 in docs/proofs/B4Function.v is the program's, product by product, at random segments."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pebble.lower_bounds.certified.backward_rows import B4Row
from pebble.lower_bounds.certified.parameters import SCALE
from pebble.lower_bounds.certified.prove_b4 import B4Segment
from tests.support.coq import compiled, needs_coq

pytestmark = pytest.mark.slow

_NEAR = Fraction(1, 10**6)
_GRADIENTS = (("V0", "V1"), ("K0", "K1"), ("Q0", "Q1"))
_HEADER = """From Coq Require Import QArith.
From Pebble Require Import B4Function.
Open Scope Q_scope.
Ltac decided := vm_compute; discriminate.
Ltac holds := unfold b4_within, b4_root;
  repeat match goal with |- _ /\\ _ => split | |- _ = false -> _ => let h := fresh in intros h; try discriminate h end;
  decided.
Ltac fails h := exfalso; revert h; vm_compute; let h' := fresh in intros h'; apply h'; reflexivity.
Ltac some_fails := match goal with h : (_ <= _)%Q |- _ => fails h end.
Ltac exceeds := unfold b4_within, b4_root; intros h; repeat match goal with h : _ /\\ _ |- _ => destruct h end;
  repeat match goal with h : false = false -> _ |- _ => specialize (h eq_refl) end; some_fails.
"""


@dataclass(frozen=True)
class _Point:
    """A segment, with a rational root y of q·k."""

    segment: B4Segment
    y: Fraction


def _points(rng: np.random.Generator, n: int) -> list[_Point]:
    """Segments in hundredths: some amounts are zero, and every other segment has few pairs and chains of dQ."""
    points = []
    for number in range(n):
        parts = rng.integers(0, 400, 16) * (rng.random(16) < 0.9)
        if number % 2:
            parts[6:15] //= 8
        amounts = [Fraction(int(part), 100) for part in parts]
        root_q, root_k, whole = amounts[0] / 2, amounts[1] / 2, amounts[15] / 4
        segment = B4Segment(*[root_q**2, root_k**2, *amounts[2:15], whole])
        points.append(_Point(segment, root_q * root_k))
    return points


def _floats(segment: B4Segment) -> B4Segment:
    return B4Segment(*map(float, astuple(segment)))


def _products(row: B4Row, point: _Point) -> list[float]:
    """Return f of the program, product by product: with the weights of one only, for S and dP 1."""
    none = {name: Fraction(0) for name in ("S", "dP", *sum(_GRADIENTS, ()))}
    alone = [{"S": Fraction(1)}, {"dP": Fraction(1)}]
    alone += [{name: getattr(row, name) for name in pair} for pair in _GRADIENTS]
    return [float(_floats(point.segment).work(replace(row, **{**none, **weights}))) for weights in alone]


def _roots(row: B4Row, point: _Point) -> list[float]:
    """Return the same for f₀, by the page."""
    x, y = _floats(point.segment), float(point.y)
    C, R = x.p_stored + x.p_kept + x.p_new, x.r_stored + x.r_kept + x.r_new
    spread, inner = float(np.sqrt(C)), (x.whole * y) ** 2
    found = [
        min(spread * y, spread * y * (1 - x.whole) + y**2 * x.whole),
        float(np.sqrt(R * x.o * x.v)),
        float(
            np.sqrt((float(row.V0) ** 2 * x.p_stored + float(row.V1) ** 2 * (x.p_kept + inner)) * x.uV * x.o)
        ),
    ]
    for (name0, name1), words in zip(_GRADIENTS[1:], (x.uK * x.q, x.uQ * x.k), strict=True):
        light, heavy = float(getattr(row, name0)) ** 2, float(getattr(row, name1)) ** 2
        p, r = heavy * (x.p_stored + x.p_kept), light * x.r_stored + heavy * x.r_kept
        both = heavy * min(x.q, x.o) * min(x.k, x.v)
        pairs = (
            light * x.s_stored
            + heavy * x.s_kept
            + min(p + heavy * inner, r + heavy * x.o * x.v, p + r + both)
        )
        found.append(float(np.sqrt(pairs * words)))
    return found


def _coq(values: list[Fraction]) -> str:
    return " ".join(f"({value.numerator} # {value.denominator})" for value in values)


def _goals(row: B4Row, point: _Point, products: list[float], plain: bool) -> str:
    """State that the products may come to so much, and no single one of them to more."""
    x = point.segment
    h = x.whole * point.y
    weights = [Fraction(getattr(row, name)) for pair in _GRADIENTS for name in pair]
    least = [h, min(x.q, x.o), min(x.k, x.v)]
    C = x.p_stored + x.p_kept + x.p_new
    spread = Fraction(float(np.sqrt(float(C)))).limit_denominator(10**9)
    root = max(Fraction(0), (spread - _NEAR / 100) * (point.y - h))
    below = [
        max(Fraction(0), Fraction(product).limit_denominator(10**9) - 10 * _NEAR) for product in products
    ]

    def goal(amounts: list[Fraction], tactic: str) -> str:
        numbers = _coq([*weights, *astuple(x)[:15], point.y, *least, amounts[0], root, *amounts[1:]])
        return f"b4_within {str(plain).lower()} {numbers}. Proof. {tactic}. Qed.\n"

    text = "Goal " + goal(below, "holds")
    for which, amount in enumerate(below):
        text += "Goal ~ " + goal([*below[:which], amount + 30 * _NEAR, *below[which + 1 :]], "exceeds")
    return text


def _same_weight(row: B4Row, point: _Point) -> str:
    """State both inequalities of (2), for the weight of the program."""
    x = point.segment
    exact = Fraction(float(_floats(x).weight(row)))
    numbers = _coq(list(astuple(x)[:15]))
    touched = f"b4_touched {SCALE} {row.scaled['gamma']} {row.scaled['gamma_dP']} {numbers}"
    above = x.uV + x.uK + x.uQ + x.p_kept + x.r_kept + x.s_kept - row.mu
    weight = f"{touched} + {_coq([max(Fraction(0), above)])}"
    low, high = (_coq([value.limit_denominator(10**9)]) for value in (exact - _NEAR, exact + _NEAR))
    return f"Goal {low} <= {weight} /\\ {weight} <= {high}. Proof. split; decided. Qed.\n"


def test_the_fields_of_a_segment_stand_in_the_order_of_the_function() -> None:
    names = [field.name for field in fields(B4Segment)]
    assert names[:7] == ["q", "k", "o", "v", "uV", "uK", "uQ"]
    assert names[7:] == [f"p_{x}" for x in ("stored", "kept", "new")] + [
        f"r_{x}" for x in ("stored", "kept", "new")
    ] + ["s_stored", "s_kept", "whole"]


def test_the_function_is_the_programs(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    row = B4Row.load()[-1]
    assert row.V0 < row.V1
    assert row.K0 < row.K1
    text = _HEADER  # with this seed each member of each minimum is the least one somewhere
    for point in _points(np.random.default_rng(633), 5):
        text += _same_weight(row, point)
        text += _goals(row, point, _products(row, point), plain=False)
        text += _goals(row, point, _roots(row, point), plain=True)
    assert compiled(text, tmp_path) is None
