"""Formulas are exact polynomials whose text says the same as their value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.program.closed_forms.formula import Formula, constant, symbol
from tests.program.test_closed_forms import value_of

NAMES = {"N": 1000, "Nq": 37, "d": 64, "⌈N/92⌉": 11, "⌈(N − 5)/7⌉": 143}
PLAIN = {"N": 1000, "Nq": 37, "d": 64}


def formulas() -> st.SearchStrategy[tuple[Formula, int]]:
    """A formula with the value that plain numbers give."""
    leaf = st.one_of(
        st.integers(-30, 30).map(lambda n: (constant(n), n)),
        st.sampled_from(sorted(NAMES)).map(lambda name: (symbol(name, NAMES[name]), NAMES[name])),
    )
    return st.recursive(
        leaf,
        lambda inner: st.tuples(inner, inner, st.sampled_from("+-*")).map(
            lambda t: {
                "+": (t[0][0] + t[1][0], t[0][1] + t[1][1]),
                "-": (t[0][0] - t[1][0], t[0][1] - t[1][1]),
                "*": (t[0][0] * t[1][0], t[0][1] * t[1][1]),
            }[t[2]]
        ),
        max_leaves=8,
    )


@given(formulas())
def test_value_and_text(pair: tuple[Formula, int]) -> None:
    formula, value = pair
    assert int(formula) == value
    assert value_of(str(formula), PLAIN) == value


@given(formulas(), formulas())
def test_equal_polynomials_have_equal_terms(one: tuple[Formula, int], other: tuple[Formula, int]) -> None:
    a, b = one[0], other[0]
    assert dict((a + b).terms) == dict((b + a).terms)
    assert dict((a * b).terms) == dict((b * a).terms)
    assert (a - a).terms == ()
    assert dict(((a + b) * (a - b)).terms) == dict((a * a - b * b).terms)


def test_texts() -> None:
    N, d, blocks = (symbol(name, NAMES[name]) for name in ("N", "d", "⌈N/92⌉"))
    assert str(N * blocks * d * constant(2) + N * d) == "2·N·d·⌈N/92⌉ + N·d"
    assert str(N * N * d - N) == "N²·d − N"
    assert str(constant(0)) == "0"
    assert str(N - N) == "0"
    assert str(constant(3) - N * N * N) == "−N³ + 3"
    power = constant(1)
    for _ in range(12):
        power = power * d
    assert str(power) == "d¹²"


def test_large_values_are_exact() -> None:
    huge = symbol("N", 10**9)
    assert int(huge * huge * huge - constant(1)) == 10**27 - 1


def test_one_name_has_one_value() -> None:
    with pytest.raises(ValueError, match="N"):
        symbol("N", 3) + symbol("N", 4)
