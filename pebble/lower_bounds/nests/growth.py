"""How many points a number of words allows at most: products of powers of words, evaluated with integers only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pebble.lower_bounds.rounding import floor_root

__all__ = ["Growth", "Power", "Term", "best_terms", "gathered"]

Power = tuple[Fraction, Fraction]
"""A positive base and its exponent."""


@dataclass(frozen=True)
class Term:
    """A constant times powers of the words of several groups, at its greatest if the groups have T words together.

    Parameters
    ----------
    constant : tuple of (Fraction, Fraction)
        Bases and exponents.
    exponents : tuple of Fraction
        Of the groups' words, each positive. T words are best divided in proportion to them.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> Term((), (half, half, half)).at(300)
    1000
    """

    constant: tuple[Power, ...]
    exponents: tuple[Fraction, ...]

    @property
    def degree(self) -> Fraction:
        """The power of T."""
        return sum(self.exponents, Fraction())

    @cached_property
    def _parts(self) -> tuple[int, int, int, int]:
        """A whole number q; degree · q; and numerator and denominator of the q-th power of T^degree's factor."""
        degree = self.degree
        powers = [*self.constant, *((e / degree, e) for e in self.exponents)]
        q = math.lcm(degree.denominator, *(exponent.denominator for _, exponent in powers))
        factor = Fraction(1)
        for base, exponent in powers:
            factor *= base ** int(exponent * q)
        return q, int(degree * q), factor.numerator, factor.denominator

    def at(self, T: int) -> int:
        """Return the greatest value, rounded down."""
        q, power, numerator, denominator = self._parts
        return floor_root(numerator * T**power // denominator, q)

    def near(self, T: float) -> float:
        """Return the logarithm of the value, in floating point."""
        degree = self.degree
        powers = [*self.constant, *((e / degree, e) for e in self.exponents)]
        return float(degree) * math.log(T) + sum(float(e) * math.log(base) for base, e in powers)


@dataclass(frozen=True)
class Growth:
    """The most events of a segment with T words, as a nondecreasing function of T.

    Parameters
    ----------
    ways : tuple of tuple of tuple of Term
        Each way to argue says: it is one of several cases, and in each case the number of events is at most each of
        its terms.
    linear : int
        So many times T is added.
    """

    ways: tuple[tuple[tuple[Term, ...], ...], ...]
    linear: int = 0

    def __call__(self, T: int) -> int:
        """Return at most how many events T words allow, at least 1."""
        values = (max(min(term.at(T) for term in case) for case in cases) for cases in self.ways)
        return max(1, min(values) + self.linear * T)


def best_terms(terms: Iterable[Term], sizes: Sequence[int]) -> tuple[Term, ...]:
    """Return the terms that are least at some of the sizes."""
    ordered = list(dict.fromkeys(terms))
    return tuple(dict.fromkeys(min(ordered, key=lambda term: term.near(T)) for T in sizes))


def gathered(powers: Iterable[Mapping[str, Fraction]]) -> dict[str, Fraction]:
    """Return the sum of exponents of each group, those that are zero left out."""
    total: dict[str, Fraction] = {}
    for one in powers:
        for group, exponent in one.items():
            total[group] = total.get(group, Fraction()) + exponent
    return {group: exponent for group, exponent in total.items() if exponent}
