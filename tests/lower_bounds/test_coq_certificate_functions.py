"""The functions of B3 and B4 in docs/proofs/ are the program's, product by product, at random segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pebble.lower_bounds.certified.backward_rows import B3Row, B4Row
from pebble.lower_bounds.certified.parameters import SCALE
from pebble.lower_bounds.certified.prove_b3 import B3Segment
from pebble.lower_bounds.certified.prove_b4 import B4Segment
from tests.support.coq import compiled, needs_coq

pytestmark = pytest.mark.slow

_NEAR = Fraction(1, 10**6)
_B3_HEADER = """From Coq Require Import QArith.
From Pebble Require Import B3Function.
Open Scope Q_scope.
Ltac holds := split; [split|split; [split; [|split]|intros _; split; [|split]]]; vm_compute; discriminate.
Ltac fails h := exfalso; revert h; vm_compute; let h' := fresh in intros h'; apply h'; reflexivity.
Ltac exceeds := intros [[h1 h2] [[h3 [h4 h5]] h6]];
  first [fails h1|fails h2|fails h3|fails h4|fails h5
    |destruct (h6 eq_refl) as [h7 [h8 h9]]; first [fails h7|fails h8|fails h9]].
Ltac plain_exceeds := intros [[h1 h2] [[h3 [h4 h5]] _]]; first [fails h1|fails h2|fails h3|fails h4|fails h5].
Ltac plain_holds := split; [split|split; [split; [|split]|discriminate]]; vm_compute; discriminate.
"""
_B4_HEADER = """From Coq Require Import QArith.
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
_GRADIENTS = (("V0", "V1"), ("K0", "K1"), ("Q0", "Q1"))


def _floats(segment: Any) -> Any:
    return type(segment)(*map(float, astuple(segment)))


def _coq(values: Sequence[Fraction]) -> str:
    return " ".join(f"({value.numerator} # {value.denominator})" for value in values)


def _products(row: Any, segment: Any, alone: Sequence[dict[str, Fraction]]) -> list[float]:
    """Return f of the program, product by product: with the weights of one only."""
    none = {name: Fraction(0) for weights in alone for name in weights}
    return [float(_floats(segment).work(replace(row, **{**none, **weights}))) for weights in alone]


def _below(products: Sequence[float], by: Fraction) -> list[Fraction]:
    return [max(Fraction(0), Fraction(product).limit_denominator(10**9) - by) for product in products]


def _goals(within: str, below: list[Fraction], more: Fraction, prefix: str = "") -> str:
    """State that the products may come to so much, and no single one of them to more.

    ``within`` has a place for the amounts: the first, what comes between, and the others.
    """

    def goal(amounts: list[Fraction], tactic: str) -> str:
        return f"{within.format(_coq(amounts[:1]), _coq(amounts[1:]))}. Proof. {prefix}{tactic}. Qed.\n"

    text = "Goal " + goal(below, "holds")
    for which, amount in enumerate(below):
        text += "Goal ~ " + goal([*below[:which], amount + more, *below[which + 1 :]], "exceeds")
    return text


def _b3_roots(segment: B3Segment) -> list[float]:
    """Return the products of f₀, by the page."""
    x = _floats(segment)
    pairs = x.s + min(x.p + x.q * x.k, x.r + x.o * x.v, x.p + x.r + min(x.q, x.o) * min(x.k, x.v))
    squares = (
        (x.p + x.p_new) * x.q * x.k,
        (x.r + x.r_new) * x.o * x.v,
        (x.p + x.q * x.k) * x.uV * x.o,
        pairs * x.uK * x.q,
        pairs * x.uQ * x.k,
    )
    return [float(np.sqrt(square)) for square in squares]


def _b3_weight(row: B3Row, segment: B3Segment) -> str:
    exact = _floats(segment).weight(row)
    near = Fraction(exact).limit_denominator(10**12)
    weight = f"b3_weight {SCALE} {row.scaled['gamma']} {_coq(astuple(segment))}"
    assert abs(near - Fraction(exact)) < _NEAR
    low, high = near - _NEAR, near + _NEAR
    return (
        f"Goal {low.numerator} # {low.denominator} <= {weight}"
        f" /\\ {weight} <= {high.numerator} # {high.denominator}."
        " Proof. split; vm_compute; discriminate. Qed.\n"
    )


def _b3_text() -> str:
    """Segments in thousandths, of all shapes: many of the amounts are zero."""
    row, rng = B3Row.load()[0], np.random.default_rng(3)
    alone = [{name: Fraction(1)} for name in ("S", "dP", "dV", "dK", "dQ")]
    amounts = rng.integers(0, 4000, (12, 12)) * (rng.random((12, 12)) < 0.8)
    text = _B3_HEADER
    for each in amounts:
        segment = B3Segment(*(Fraction(int(amount), 1000) for amount in each))
        text += _b3_weight(row, segment)
        for products, plain in ((_products(row, segment, alone), False), (_b3_roots(segment), True)):
            within = f"b3_within {str(plain).lower()} {_coq(astuple(segment))} {{}} {{}}"
            text += _goals(within, _below(products, _NEAR), 3 * _NEAR, "plain_" * plain)
    return text


def _b4_roots(row: B4Row, segment: B4Segment, root: Fraction) -> list[float]:
    """Return the products of f₀, by the page; ``root`` is that of q·k."""
    x, y = _floats(segment), float(root)
    C, R = x.p_stored + x.p_kept + x.p_new, x.r_stored + x.r_kept + x.r_new
    spread, inner = float(np.sqrt(C)), (x.whole * y) ** 2
    of_dV = float(row.V0) ** 2 * x.p_stored + float(row.V1) ** 2 * (x.p_kept + inner)
    found = [
        min(spread * y, spread * y * (1 - x.whole) + y**2 * x.whole),
        float(np.sqrt(R * x.o * x.v)),
        float(np.sqrt(of_dV * x.uV * x.o)),
    ]
    for (name0, name1), words in zip(_GRADIENTS[1:], (x.uK * x.q, x.uQ * x.k), strict=True):
        light, heavy = float(getattr(row, name0)) ** 2, float(getattr(row, name1)) ** 2
        p, r = heavy * (x.p_stored + x.p_kept), light * x.r_stored + heavy * x.r_kept
        both = heavy * min(x.q, x.o) * min(x.k, x.v)
        made = min(p + heavy * inner, r + heavy * x.o * x.v, p + r + both)
        found.append(float(np.sqrt((light * x.s_stored + heavy * x.s_kept + made) * words)))
    return found


def _b4_weight(row: B4Row, x: B4Segment) -> str:
    """State both inequalities of (2), for the weight of the program."""
    exact = Fraction(float(_floats(x).weight(row)))
    touched = f"b4_touched {SCALE} {row.scaled['gamma']} {row.scaled['gamma_dP']} {_coq(astuple(x)[:15])}"
    above = x.uV + x.uK + x.uQ + x.p_kept + x.r_kept + x.s_kept - row.mu
    weight = f"{touched} + {_coq([max(Fraction(0), above)])}"
    low, high = (_coq([value.limit_denominator(10**9)]) for value in (exact - _NEAR, exact + _NEAR))
    return f"Goal {low} <= {weight} /\\ {weight} <= {high}. Proof. split; decided. Qed.\n"


def _b4_segments(rng: np.random.Generator, n: int) -> list[tuple[B4Segment, Fraction]]:
    """Segments in hundredths, with a rational root of q·k; every other one has few pairs and chains of dQ."""
    found = []
    for number in range(n):
        parts = rng.integers(0, 400, 16) * (rng.random(16) < 0.9)
        if number % 2:
            parts[6:15] //= 8
        amounts = [Fraction(int(part), 100) for part in parts]
        root_q, root_k, whole = amounts[0] / 2, amounts[1] / 2, amounts[15] / 4
        found.append((B4Segment(*[root_q**2, root_k**2, *amounts[2:15], whole]), root_q * root_k))
    return found


def _b4_text() -> str:
    row = B4Row.load()[-1]
    assert row.V0 < row.V1
    assert row.K0 < row.K1
    alone = [{"S": Fraction(1)}, {"dP": Fraction(1)}]
    alone += [{name: getattr(row, name) for name in pair} for pair in _GRADIENTS]
    weights = [Fraction(getattr(row, name)) for pair in _GRADIENTS for name in pair]
    text = _B4_HEADER  # with this seed each member of each minimum is the least one somewhere
    for x, y in _b4_segments(np.random.default_rng(633), 5):
        text += _b4_weight(row, x)
        h = x.whole * y
        C = x.p_stored + x.p_kept + x.p_new
        spread = Fraction(float(np.sqrt(float(C)))).limit_denominator(10**9)
        root = max(Fraction(0), (spread - _NEAR / 100) * (y - h))
        numbers = _coq([*weights, *astuple(x)[:15], y, h, min(x.q, x.o), min(x.k, x.v)])
        for products, plain in ((_products(row, x, alone), False), (_b4_roots(row, x, y), True)):
            within = f"b4_within {str(plain).lower()} {numbers} {{}} {_coq([root])} {{}}"
            text += _goals(within, _below(products, 10 * _NEAR), 30 * _NEAR)
    return text


def test_the_fields_of_a_segment_stand_in_the_order_of_the_function() -> None:
    words = "q k o v uV uK uQ p_stored p_kept p_new r_stored r_kept r_new s_stored s_kept whole"
    assert [field.name for field in fields(B4Segment)] == words.split()


@pytest.mark.parametrize("text", [_b3_text, _b4_text])
def test_the_function_is_the_programs(text: Any, tmp_path: Path) -> None:
    needs_coq(tmp_path)
    assert compiled(text(), tmp_path) is None
