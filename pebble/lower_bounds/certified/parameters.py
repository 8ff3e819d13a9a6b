"""Rows of parameters of the bounds whose constants a computer proves, and the best bound that they give."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound, Statement, in_any_order
from pebble.lower_bounds.requirements import Counts, require_pass

SCALE = 10**9
"""Every parameter is a decimal with at most nine places, so that times this it is an integer."""


@dataclass(frozen=True)
class ParameterRow(ABC):
    """One set of parameters of a bound, with the constant W that belongs to it; everything is exact.

    A segment that may touch a weight of tau·d² does at most W·d³ weighted multiply-adds: that is what has to be
    proved. A bound adds its own parameters, says what they must fulfil and what its theorem gives for a row.

    Parameters
    ----------
    mu : Fraction
        The M/d² for which the other parameters were chosen.
    tau : Fraction
        Weight that a segment may touch, T = tau·d² (red at its start, plus its moves).
    gamma : Fraction
        Charge for the start of a traced chain, above 0 and at most 1.
    W : Fraction
        The number to be proved.
    """

    statement: ClassVar[Statement]
    """What the bound states; ``docs/proofs/<name>.md`` and the module ``prove_<name>`` belong to it."""

    pass_name: ClassVar[str]

    instead: ClassVar[str]
    """Which bounds to use where the rows end."""

    mu: Fraction
    tau: Fraction
    gamma: Fraction
    W: Fraction

    def __post_init__(self) -> None:
        if not (0 < self.mu < self.tau and 0 < self.gamma <= 1 and self.W > 0 and self._sound()):
            values = ", ".join(f"{name} = {float(value):g}" for name, value in vars(self).items())
            raise InvalidInput(f"no sound row of {self.statement.name}: {values}")

    @abstractmethod
    def _sound(self) -> bool:
        """Tell whether the parameters fulfil what the bound needs."""

    @abstractmethod
    def most_memory(self, problem: Counts) -> int:
        """Return the most words of fast memory that the row serves."""

    @abstractmethod
    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound in words and its number of segments, or None if the row gives nothing."""

    def serves(self, problem: Counts) -> bool:
        """Tell whether W is proved for the problem's head dimensions."""
        return True

    @cached_property
    def scaled(self) -> dict[str, int]:
        """Every parameter times :data:`SCALE`: integers, for speed."""
        return {field.name: int(getattr(self, field.name) * SCALE) for field in fields(self)}

    @classmethod
    def from_strings(cls, entries: Mapping[str, str]) -> Self:
        """Read a row from decimal strings, exactly."""
        values = {name: Fraction(text) for name, text in entries.items()}
        if any((value * SCALE).denominator != 1 for value in values.values()):
            raise InvalidInput(f"more than nine decimal places in {entries}")
        return cls(**values)

    @classmethod
    @cache
    def load(cls) -> tuple[Self, ...]:
        """Return the rows that come with the package, by ascending mu."""
        table = Path(__file__).with_name(f"{cls.statement.name.lower()}.csv")
        rows = map(cls.from_strings, csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
        return tuple(sorted(rows, key=lambda row: row.mu))

    def __str__(self) -> str:
        return f"mu = {float(self.mu):g}, T = {float(self.tau):g}·d², W = {float(self.W):g}·d³"


AnyRow = TypeVar("AnyRow", bound=ParameterRow)


def least_cost(work: int, W: int, step: int, z: int, more: int, less: int = 0) -> tuple[int, int] | None:
    """Return the least (n - 1)·step, plus stores, and its number n of segments; None if one segment is enough.

    Up to z stores of one kind take ``more`` off the work each, and as many of another kind take ``less``; what is left
    must be at most n·W. The cost is scaled by :data:`SCALE`, and the number of stores is rounded down.
    """

    def stores(excess: int) -> int:
        if excess <= 0:
            return 0
        return excess // more if excess <= z * more else z + (excess - z * more) // less

    fewest = -(-(work - z * (more + less)) // W)
    if fewest < 2:
        return None
    # The least number of stores that allows n segments takes the greater relief first: convex in n, with these two
    # breaks, so that the least cost is at the fewest segments or beside a break.
    breaks = (work // W, (work - z * more) // W)
    tried = {fewest} | {n for at in breaks for n in (at, at + 1) if n >= fewest}
    return min(((n - 1) * step + stores(work - n * W) * SCALE, n) for n in tried)


def best_row(kind: type[AnyRow], problem: Counts, M: int) -> tuple[int, int, AnyRow] | None:
    """Return the greatest number of words that a row gives, its number of segments, and the row; None if none does."""
    found = [
        (*value, row)
        for row in kind.load()
        if row.serves(problem) and (value := row.value(problem, M)) is not None
    ]
    return max(found, key=lambda words_and_row: words_and_row[0], default=None)


def bound_of_rows(kind: type[ParameterRow], problem: Counts, M: int) -> Bound:
    """Return the greatest bound that a row of this kind gives."""
    M, name = fast_memory_words(M), kind.statement.name
    require_pass(problem, kind.pass_name, name)
    most = max((row.most_memory(problem) for row in kind.load() if row.serves(problem)), default=0)
    if most < M:
        raise BoundDoesNotApply(
            f"{name} holds for M <= {most} words here, not for M = {M}: use {kind.instead}"
        )
    found = best_row(kind, problem, M)
    if found is None:
        raise BoundDoesNotApply(
            f"{problem!r} with M = {M} is too small for {name}: by its constants one segment could hold all of "
            f"the work; use the compulsory traffic or {kind.instead}"
        )
    words, segments, row = found
    return in_any_order(
        kind.statement.bound(words, f"row {row}; at least {segments} segments"),
        problem.sums,
        problem.sum_width,
    )
