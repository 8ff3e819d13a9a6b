"""Whole-number affine expressions of loop indices, such as ``2*i + k - 1``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Affine:
    """A sum of whole multiples of loop indices, and a constant.

    Parameters
    ----------
    terms : tuple of (str, int)
        Index and factor, each index once, no factor zero, in alphabetical order. :meth:`of` makes them so.
    constant : int

    Examples
    --------
    >>> place = Affine.of({"i": 2, "k": 1}, -1)
    >>> str(place), place.at({"i": 3, "k": 4}), place.factor("j")
    ('2*i + k - 1', 9, 0)
    """

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @classmethod
    def of(cls, factors: Mapping[str, int] | Iterable[tuple[str, int]], constant: int = 0) -> Affine:
        """Return the expression with these factors; those that are zero are left out."""
        terms = sorted((name, factor) for name, factor in dict(factors).items() if factor)
        return cls(tuple(terms), constant)

    @classmethod
    def index(cls, name: str) -> Affine:
        """Return an index by itself."""
        return cls(((name, 1),))

    @property
    def names(self) -> tuple[str, ...]:
        """The indices that occur."""
        return tuple(name for name, _ in self.terms)

    @property
    def is_index(self) -> bool:
        """Whether it is one index by itself."""
        return self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1

    def factor(self, name: str) -> int:
        """Return the factor of an index; 0 where it does not occur."""
        return dict(self.terms).get(name, 0)

    def at(self, values: Mapping[str, int]) -> int:
        """Return the value where the indices have these values."""
        return self.constant + sum(factor * values[name] for name, factor in self.terms)

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        factors = dict(self.terms)
        for name, factor in other.terms:
            factors[name] = factors.get(name, 0) + factor
        return Affine.of(factors, self.constant + other.constant)

    def __mul__(self, factor: int) -> Affine:
        return Affine.of({name: factor * one for name, one in self.terms}, factor * self.constant)

    __rmul__ = __mul__

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + (-other)

    def __str__(self) -> str:
        text = ""
        for name, factor in self.terms:
            size = name if abs(factor) == 1 else f"{abs(factor)}*{name}"
            text += f" {'-' if factor < 0 else '+'} {size}" if text else f"{'-' if factor < 0 else ''}{size}"
        if not text:
            return str(self.constant)
        return text + (f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}" if self.constant else "")
