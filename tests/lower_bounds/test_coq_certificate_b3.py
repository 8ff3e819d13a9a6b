"""The function of B3 in docs/proofs/B3Function.v is the program's, product by product, at random segments."""

from __future__ import annotations

from dataclasses import astuple, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pebble.lower_bounds.certified.backward_rows import B3Row
from pebble.lower_bounds.certified.parameters import SCALE
from pebble.lower_bounds.certified.prove_b3 import B3Segment
from tests.support.coq import compiled, needs_coq

pytestmark = pytest.mark.slow

_PRODUCTS = ("S", "dP", "dV", "dK", "dQ")
_NEAR = Fraction(1, 10**6)
_HEADER = """From Coq Require Import QArith.
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


def _segments(rng: np.random.Generator, n: int) -> list[B3Segment]:
    """Segments in thousandths, of all shapes: many of the amounts are zero."""
    amounts = rng.integers(0, 4000, (n, 12)) * (rng.random((n, 12)) < 0.8)
    return [B3Segment(*(Fraction(int(amount), 1000) for amount in each)) for each in amounts]


def _floats(segment: B3Segment) -> B3Segment:
    return B3Segment(*map(float, astuple(segment)))


def _products(row: B3Row, segment: B3Segment) -> list[float]:
    """Return f of the program with one weight at a time."""
    none = dict.fromkeys(_PRODUCTS, Fraction(0))
    return [float(_floats(segment).work(replace(row, **{**none, name: Fraction(1)}))) for name in _PRODUCTS]


def _roots(segment: B3Segment) -> list[float]:
    """Return the same for f₀, by the page."""
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


def _goals(segment: B3Segment, products: list[float], plain: bool) -> str:
    """State that the products may come to so much, and no single one of them to more."""
    prefix = "plain_" if plain else ""
    below = [max(Fraction(0), Fraction(product).limit_denominator(10**9) - _NEAR) for product in products]

    def goal(amounts: list[Fraction], tactic: str) -> str:
        numbers = " ".join(f"({x.numerator} # {x.denominator})" for x in [*astuple(segment), *amounts])
        return f"b3_within {str(plain).lower()} {numbers}. Proof. {prefix}{tactic}. Qed.\n"

    text = "Goal " + goal(below, "holds")
    for which, amount in enumerate(below):
        more = [*below[:which], amount + 3 * _NEAR, *below[which + 1 :]]
        text += "Goal ~ " + goal(more, "exceeds")
    return text


def _same_weight(row: B3Row, segment: B3Segment) -> str:
    numbers = " ".join(f"({x.numerator} # {x.denominator})" for x in astuple(segment))
    exact = _floats(segment).weight(row)
    near = Fraction(exact).limit_denominator(10**12)
    scale = f"{SCALE} {row.scaled['gamma']}"
    assert abs(near - Fraction(exact)) < _NEAR
    low, high = near - _NEAR, near + _NEAR
    return (
        f"Goal {low.numerator} # {low.denominator} <= b3_weight {scale} {numbers}"
        f" /\\ b3_weight {scale} {numbers} <= {high.numerator} # {high.denominator}."
        " Proof. split; vm_compute; discriminate. Qed.\n"
    )


def test_the_function_is_the_programs(tmp_path: Path) -> None:
    needs_coq(tmp_path)
    row = B3Row.load()[0]
    text = _HEADER
    for segment in _segments(np.random.default_rng(3), 12):
        text += _same_weight(row, segment)
        text += _goals(segment, _products(row, segment), plain=False)
        text += _goals(segment, _roots(segment), plain=True)
    assert compiled(text, tmp_path) is None
