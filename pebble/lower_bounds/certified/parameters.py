"""Rows of parameters of the bounds whose constants a computer proves, and the best bound that they give."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.statement import Statement

__all__ = ["SCALE", "ParameterRow", "best_of_rows", "best_row"]

SCALE = 10**9
"""Every parameter is a decimal with at most nine places, so that times this it is a whole number."""


@dataclass(frozen=True)
class ParameterRow(ABC):
    """One set of parameters of a bound, with the constant W that belongs to it; everything is exact.

    A segment that may touch a weight of tau·d² does at most W·d³ weighted multiply-adds: that is what has to be
    proved. A bound adds its own parameters, says what they must fulfil (:meth:`_needs`) and what its
    theorem gives for a row (:meth:`value`).

    Parameters
    ----------
    mu : Fraction
        The M/d² for which the other parameters were chosen.
    tau : Fraction
        Weight that a segment may touch, T = tau·d² (red at its start, plus its moves).
    gamma : Fraction
        Charge for the start of a traced chain.
    W : Fraction
        The number to be proved.

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.
    """

    bound: ClassVar[str]
    """Name of the bound; ``docs/bounds-<name>.md`` and the module ``prove_<name>`` belong to it."""

    statement: ClassVar[Statement]
    """What it states."""

    mu: Fraction
    tau: Fraction
    gamma: Fraction
    W: Fraction

    def __post_init__(self) -> None:
        needs = self._needs()
        if needs:
            values = ", ".join(f"{name} = {float(value):g}" for name, value in self._parameters().items())
            raise InvalidInput(f"a row of {self.bound} needs {needs} not {values}")

    @abstractmethod
    def _needs(self) -> str:
        """Return what sound parameters fulfil if these do not, else nothing."""

    @abstractmethod
    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound in words and its number of segments, or None if the row gives nothing."""

    def _parameters(self) -> dict[str, Fraction]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def scaled(self) -> dict[str, int]:
        """Every parameter times :data:`SCALE`: whole numbers, for speed."""
        return {name: int(value * SCALE) for name, value in self._parameters().items()}

    @classmethod
    def from_strings(cls, entries: Mapping[str, str]) -> Self:
        """Read a row from decimal strings, exactly.

        Raises
        ------
        InvalidInput
            If a parameter is missing, unknown, no decimal, or has more than nine decimal places.
        """
        names = [field.name for field in fields(cls)]
        if set(entries) != set(names):
            raise InvalidInput(
                f"a row of {cls.bound} has the entries {', '.join(names)}, not {', '.join(entries)}"
            )
        return cls(**{name: cls._decimal(name, entries[name]) for name in names})

    @classmethod
    def _decimal(cls, name: str, text: str) -> Fraction:
        try:
            value = Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise InvalidInput(
                f"{name} of a row of {cls.bound} must be a decimal number, not {text!r}"
            ) from None
        if (value * SCALE).denominator != 1:
            raise InvalidInput(
                f"{name} of a row of {cls.bound} may have nine decimal places, {text!r} has more"
            )
        return value

    @classmethod
    def load(cls) -> tuple[Self, ...]:
        """Return the rows that come with the package, by ascending mu."""
        path = Path(__file__).with_name(f"{cls.bound.lower()}-parameters.json")
        rows = map(cls.from_strings, json.loads(path.read_text(encoding="utf-8"))["rows"])
        return tuple(sorted(rows, key=lambda row: row.mu))

    def __str__(self) -> str:
        return f"mu = {float(self.mu):g}, T = {float(self.tau):g}·d², W = {float(self.W):g}·d³"


AnyRow = TypeVar("AnyRow", bound=ParameterRow)


def best_row(rows: Sequence[AnyRow], problem: Counts, M: int) -> tuple[int, int, AnyRow] | None:
    """Return the greatest number of words that a row gives, its number of segments, and the row; None if none does."""
    found = [(value, row) for row in rows if (value := row.value(problem, M)) is not None]
    if not found:
        return None
    (words, segments), row = max(found, key=lambda pair: pair[0][0])
    return words, segments, row


def best_of_rows(rows: Sequence[ParameterRow], problem: Counts, M: int, instead: str) -> Bound:
    """Return the greatest bound that a row gives.

    Parameters
    ----------
    rows : sequence of ParameterRow
        All of one bound.
    problem : Problem
    M : int
        Words of fast memory.
    instead : str
        Which bound to use for a problem that is too small for this one.

    Raises
    ------
    BoundDoesNotApply
        If no row gives one: the problem is so small that one segment could hold all of its work.
    """
    name = rows[0].bound
    found = best_row(rows, problem, M)
    if found is None:
        raise BoundDoesNotApply(
            f"{problem!r} with M = {M} is too small for {name}: by its constants one segment could hold all of "
            f"the work; use the compulsory traffic or {instead}"
        )
    words, segments, row = found
    return rows[0].statement.bound(words, f"row {row}; at least {segments} segments")
