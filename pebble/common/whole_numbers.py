"""Whole numbers as people write them."""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["PREFIXES", "whole_number"]

PREFIXES = {
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "ki": 2**10,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
}
_PREFIXED = re.compile(r"(.*\d)\s*([kKMG]i?)", re.DOTALL)
_HUGE = 10**30


def whole_number(text: str) -> Decimal | None:
    """Read a whole number exactly: ``4096``, ``1_000``, ``10**9``, ``1e9``, ``4Ki`` or ``98k``.

    Returns
    -------
    Decimal or None
        None if the text is no whole number. For something huge, some number above 10³⁰.

    Examples
    --------
    >>> [whole_number(text) for text in ("4Ki", "1e3", "2**10", "1.5k")]
    [Decimal('4096'), Decimal('1E+3'), Decimal('1024'), Decimal('1500.0')]
    >>> whole_number("many") is None
    True
    """
    prefixed = _PREFIXED.fullmatch(text)
    digits, prefix = prefixed.groups() if prefixed else (text, "")
    base, power, exponent = digits.replace("_", "").replace(",", "").partition("**")
    try:
        number = Decimal(base)
        if power:
            if not (exponent.isascii() and exponent.isdigit()):
                return None
            number = number ** min(int(exponent[:6]), 1000)
        number *= PREFIXES.get(prefix, 1)
    except ArithmeticError:
        return None
    if not number.is_finite():
        return None
    return number if abs(number) > _HUGE or number == number.to_integral_value() else None
