"""Polynomials with whole coefficients, in tile sizes and numbers of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Polynomial", "added", "constant_of", "dominant", "evaluated", "product", "split_at", "variable"]

Polynomial = dict[tuple[str, ...], int]
"""The coefficient of every product of variables, each in alphabetical order; ``()`` is the constant term."""


def constant_of(value: int) -> Polynomial:
    """Return a number as a polynomial."""
    return {(): value}


def variable(name: str) -> Polynomial:
    """Return a variable by itself."""
    return {(name,): 1}


def added(one: Polynomial, other: Polynomial, times: int = 1) -> Polynomial:
    """Return ``one + times·other``."""
    total = dict(one)
    for names, factor in other.items():
        total[names] = total.get(names, 0) + times * factor
    return total


def product(factors: Iterable[Polynomial]) -> Polynomial:
    """Return the product of polynomials.

    >>> product([{("t",): 2, (): 1}, variable("u")])
    {('t', 'u'): 2, ('u',): 1}
    """
    total: Polynomial = {(): 1}
    for factor in factors:
        if len(factor) == 1 and () in factor:
            total = {names: value * factor[()] for names, value in total.items()}
            continue
        found: Polynomial = {}
        for left, a in total.items():
            for right, b in factor.items():
                names = tuple(sorted(left + right)) if left and right else left or right
                found[names] = found.get(names, 0) + a * b
        total = found
    return total


def evaluated(polynomial: Polynomial, values: Mapping[str, Any]) -> NDArray[Any] | int:
    """Return the value where the variables have these values: numbers, or arrays that broadcast."""
    total: NDArray[Any] | int = 0
    for names, factor in polynomial.items():
        term: NDArray[Any] | int = factor
        for name in names:
            term = term * values[name]
        total = total + term
    return total


def split_at(polynomial: Polynomial, name: str) -> tuple[Polynomial, Polynomial]:
    """Return a and b with ``polynomial = a + b·name``, for a variable that occurs at most once in each product."""
    without: Polynomial = {}
    factor: Polynomial = {}
    for names, value in polynomial.items():
        if name in names:
            rest = list(names)
            rest.remove(name)
            factor[tuple(rest)] = factor.get(tuple(rest), 0) + value
        else:
            without[names] = value
    return without, factor


def dominant(polynomials: Iterable[Polynomial]) -> list[Polynomial]:
    """Leave out the polynomials that another one is at least as great as, coefficient by coefficient."""
    kept: list[Polynomial] = []
    for one in polynomials:
        if any(_covers(other, one) for other in kept):
            continue
        kept = [other for other in kept if not _covers(one, other)]
        kept.append(one)
    return kept


def _covers(one: Polynomial, other: Polynomial) -> bool:
    names = one.keys() | other.keys()
    return all(one.get(name, 0) >= other.get(name, 0) for name in names)
