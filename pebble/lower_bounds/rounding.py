"""Exact and outward rounding: integers and fractions on the safe side of a real number.

A lower bound is worth nothing if floating point lifts it by one word. Everything here is decided by exact
comparisons of integers or fractions, so the word *above* (or *below*) is a guarantee, not a hope.
"""

from __future__ import annotations

import math
from fractions import Fraction

from pebble.common.errors import InvalidInput


def ceil_div(a: int, b: int) -> int:
    """Return the least whole number >= ``a / b``, for ``b > 0``.

    >>> ceil_div(7, 2), ceil_div(6, 2), ceil_div(-7, 2)
    (4, 3, -3)
    """
    _require(b > 0, "the divisor", b)
    return -(-a // b)


def ceil_sqrt(n: int) -> int:
    """Return the least whole number whose square is >= ``n``, for ``n >= 0``.

    >>> ceil_sqrt(16), ceil_sqrt(17), ceil_sqrt(0)
    (4, 5, 0)
    """
    _require(n >= 0, "the radicand", n)
    root = math.isqrt(n)
    return root + (root * root < n)


def floor_root(n: int, k: int) -> int:
    """Return the greatest whole number whose ``k``-th power is <= ``n``, for ``n >= 0`` and ``k >= 1``.

    Newton's iteration on integers from a power of two above the root; a few steps for any size.

    >>> floor_root(26, 3), floor_root(27, 3), floor_root(10**60, 3)
    (2, 3, 100000000000000000000)
    """
    _require(n >= 0, "the radicand", n)
    _require(k >= 1, "the root's degree", k)
    if n < 2 or k == 1:
        return n
    root = 1 << (n.bit_length() // k + 1)
    while True:
        power: int = root ** (k - 1)
        better = ((k - 1) * root + n // power) // k
        if better >= root:
            return root
        root = better


def ceil_root(n: int, k: int) -> int:
    """Return the least whole number whose ``k``-th power is >= ``n``, for ``n >= 0`` and ``k >= 1``.

    >>> ceil_root(27, 3), ceil_root(28, 3), ceil_root(0, 3)
    (3, 4, 0)
    """
    root = floor_root(n, k)
    power: int = root**k
    return root + (power < n)


def sqrt_above(x: Fraction | int, bits: int = 64) -> Fraction:
    """Return a fraction >= the square root of ``x >= 0``, less than ``2**-bits`` relative above it.

    >>> sqrt_above(Fraction(9, 4)) == Fraction(3, 2)
    True
    >>> sqrt_above(2) ** 2 > 2
    True
    """
    p, q, scale = _scaled(x, bits)
    return Fraction(ceil_sqrt(p * q * scale * scale), q * scale)


def sqrt_below(x: Fraction | int, bits: int = 64) -> Fraction:
    """Return a fraction <= the square root of ``x >= 0``, less than ``2**-bits`` relative below it.

    >>> sqrt_below(Fraction(9, 4)) == Fraction(3, 2)
    True
    >>> sqrt_below(2) ** 2 < 2
    True
    """
    p, q, scale = _scaled(x, bits)
    return Fraction(math.isqrt(p * q * scale * scale), q * scale)


def _scaled(x: Fraction | int, bits: int) -> tuple[int, int, int]:
    """Numerator, denominator and a power of two with ``sqrt(numerator * denominator) * power >= 2**bits``."""
    _require(x >= 0, "the radicand", x)
    fraction = Fraction(x)
    size = (fraction.numerator * fraction.denominator).bit_length()
    return fraction.numerator, fraction.denominator, 1 << max(0, bits + 1 - size // 2)


def _require(condition: bool, what: str, value: object) -> None:
    if not condition:
        raise InvalidInput(f"{what} is {value}, outside the range where the rounding is defined")
