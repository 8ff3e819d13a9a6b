"""Whole numbers and floats on the side that is asked for."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from pebble.lower_bounds.rounding import (
    ceil_div,
    ceil_root,
    ceil_sqrt,
    floor_root,
    sqrt_above,
    sqrt_below,
)


@given(st.integers(0, 10**60), st.integers(1, 7))
def test_roots_are_the_nearest_whole_numbers_on_their_side(n: int, k: int) -> None:
    floor, ceil = floor_root(n, k), ceil_root(n, k)
    assert floor**k <= n < (floor + 1) ** k
    assert (ceil - 1) ** k < n <= ceil**k or n == ceil == 0
    assert ceil_sqrt(n) == ceil_root(n, 2)


@given(st.fractions(min_value=0, max_value=10**30))
def test_roots_of_fractions_enclose_narrowly(x: Fraction) -> None:
    below, above = sqrt_below(x), sqrt_above(x)
    assert below**2 <= x <= above**2
    assert above - below <= above / 2**63


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**20))
def test_ceil_div(a: int, b: int) -> None:
    assert (ceil_div(a, b) - 1) * b < a <= ceil_div(a, b) * b
