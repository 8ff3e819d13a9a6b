"""Sums of products of named quantities: a number together with the formula that gives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pebble.common.errors import InvalidInput

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Formula:
    """A polynomial in named quantities, each with its value.

    Examples
    --------
    >>> N, d, blocks = symbol("N", 1000), symbol("d", 64), symbol("⌈N/92⌉", 11)
    >>> total = N * d + N * d * blocks * constant(2) - constant(3)
    >>> str(total), int(total)
    ('2·N·d·⌈N/92⌉ + N·d − 3', 1471997)
    """

    terms: tuple[tuple[tuple[str, ...], int], ...]
    values: tuple[tuple[str, int], ...]

    def __int__(self) -> int:
        values = dict(self.values)
        total = 0
        for factors, coefficient in self.terms:
            for name in factors:
                coefficient *= values[name]
            total += coefficient
        return total

    def to_dict(self) -> dict[str, str | int]:
        """Return plain data: the text and the value."""
        return {"formula": str(self), "value": int(self)}

    def __add__(self, other: Formula) -> Formula:
        return total((self, other))

    def __sub__(self, other: Formula) -> Formula:
        return self + constant(-1) * other

    def __mul__(self, other: Formula) -> Formula:
        terms: Counter[tuple[str, ...]] = Counter()
        for left, a in self.terms:
            for right, b in other.terms:
                terms[tuple(sorted(left + right, key=_factor_order))] += a * b
        return _make(terms, _merged((self, other)))

    def __str__(self) -> str:
        values = dict(self.values)

        def magnitude(term: tuple[tuple[str, ...], int]) -> int:
            product = abs(term[1])
            for name in term[0]:
                product *= values[name]
            return product

        text = ""
        for factors, coefficient in sorted(self.terms, key=magnitude, reverse=True):
            sign = "−" if coefficient < 0 else "+"
            text += (
                f" {sign} {_product(factors, abs(coefficient))}"
                if text
                else (("−" if coefficient < 0 else "") + _product(factors, abs(coefficient)))
            )
        return text or "0"


def symbol(name: str, value: int) -> Formula:
    """Return a named quantity."""
    return Formula((((name,), 1),), ((name, value),))


def constant(value: int) -> Formula:
    """Return a plain number."""
    return Formula((((), value),) if value else (), ())


def total(formulas: Iterable[Formula]) -> Formula:
    """Return the sum of some formulas, at a cost in proportion to their terms.

    >>> str(total([symbol("N", 5), constant(2), symbol("N", 5)]))
    '2·N + 2'
    """
    terms: Counter[tuple[str, ...]] = Counter()
    formulas = tuple(formulas)
    for formula in formulas:
        for factors, coefficient in formula.terms:
            terms[factors] += coefficient
    return _make(terms, _merged(formulas))


def _merged(formulas: Iterable[Formula]) -> dict[str, int]:
    """Values of the quantities of all; one name cannot have two."""
    values: dict[str, int] = {}
    for formula in formulas:
        for name, value in formula.values:
            if values.setdefault(name, value) != value:
                raise InvalidInput(
                    f"the quantity {name} cannot be both {values[name]} and {value} in one formula"
                )
    return values


def _factor_order(name: str) -> tuple[bool, bool, str]:
    """Plain symbols first (capitals before small letters), rounded quotients after."""
    return not name.isalpha(), not name[0].isupper(), name


def _make(terms: Counter[tuple[str, ...]], values: dict[str, int]) -> Formula:
    kept = {factors: coefficient for factors, coefficient in terms.items() if coefficient}
    used = {name for factors in kept for name in factors}
    return Formula(tuple(kept.items()), tuple((n, v) for n, v in values.items() if n in used))


def _product(factors: tuple[str, ...], coefficient: int) -> str:
    powers = Counter(factors)
    parts = [
        name if power == 1 else f"{name}{str(power).translate(_SUPERSCRIPT)}"
        for name, power in powers.items()
    ]
    if coefficient != 1 or not parts:
        parts.insert(0, str(coefficient))
    return "·".join(parts)
