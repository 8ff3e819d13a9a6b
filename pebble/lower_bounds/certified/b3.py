"""B3: the computer-assisted lower bound on the I/O of a backward pass with M up to about ten times d² words.

The statement, a complete proof and the meaning of every parameter are in ``docs/bounds-b3.md``. The constants
W are established by :mod:`pebble.lower_bounds.certified.prove_b3`; nothing in this module uses floating point.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.domain import require_backward, require_words

__all__ = ["B3Row", "b3", "load_b3_rows"]

_ANY_RULES = Rules()
_SCALE = 10**9
"""Every parameter is a decimal with at most nine places, so that times this it is a whole number."""


@dataclass(frozen=True)
class B3Row:
    """One set of parameters of B3, with the constant that belongs to it; everything is exact.

    With D the smaller of the two head dimensions, a segment that may touch a weight of tau·D² does at most
    W·D³ weighted multiply-adds: that is what has to be certified. Rows with tau < 4 are certified in a way
    that covers any dv, the others for dv = d only.

    Parameters
    ----------
    mu : Fraction
        The M/D² for which the other parameters were chosen; the row serves every M below tau·D².
    tau : Fraction
        Weight that a segment may touch, in units of D² (red at its start, plus its moves).
    gamma : Fraction
        Charge for the start of a chain of S or dP, above 0 and at most 1.
    S, dP, dV, dK, dQ : Fraction
        Weight of one multiply-add of each product. A product of weight 0 is not traced, and not charged for.
    W : Fraction
        The number to be certified.

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.
    """

    mu: Fraction
    tau: Fraction
    gamma: Fraction
    S: Fraction
    dP: Fraction
    dV: Fraction
    dK: Fraction
    dQ: Fraction
    W: Fraction

    def __post_init__(self) -> None:
        positive = min(self.tau - self.mu, self.mu, self.gamma, self.W, sum(self.weights)) > 0
        if not (positive and self.gamma <= 1 and min(self.weights) >= 0):
            raise InvalidInput(
                "a row of B3 needs 0 < mu < tau, 0 < gamma <= 1, W > 0 and weights >= 0, not all of them 0; not "
                + ", ".join(f"{name} = {float(value):g}" for name, value in vars(self).items())
            )

    @property
    def weights(self) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
        """Weights of S, dP, dV, dK and dQ."""
        return self.S, self.dP, self.dV, self.dK, self.dQ

    @property
    def plain(self) -> bool:
        """Whether W is certified without the bounds that need dv = d, so that the row serves any dv."""
        return self.tau < 4

    @property
    def charged(self) -> int:
        """How many of the two products S and dP are traced, so that their starts are charged."""
        return (self.S > 0) + (self.dP > 0)

    @classmethod
    def from_strings(cls, entries: Mapping[str, str]) -> B3Row:
        """Read a row from decimal strings, exactly.

        Raises
        ------
        InvalidInput
            If a parameter is missing, unknown, no decimal, or has more than nine decimal places.
        """
        names = tuple(cls.__dataclass_fields__)
        if set(entries) != set(names):
            raise InvalidInput(f"a row of B3 has the entries {', '.join(names)}, not {', '.join(entries)}")
        return cls(**{name: _decimal(name, entries[name]) for name in names})

    def __str__(self) -> str:
        return f"mu = {float(self.mu):g}, T = {float(self.tau):g}·d², W = {float(self.W):g}·d³"


def _decimal(name: str, text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(f"{name} of a row of B3 must be a decimal number, not {text!r}") from None
    if (value * _SCALE).denominator != 1:
        raise InvalidInput(f"{name} of a row of B3 may have nine decimal places, {text!r} has more")
    return value


@cache
def load_b3_rows() -> tuple[B3Row, ...]:
    """Return the rows of B3 that come with the package, by ascending mu.

    Examples
    --------
    >>> [str(row) for row in load_b3_rows() if row.mu == 1]
    ['mu = 1, T = ...·d², W = ...·d³']
    """
    text = Path(__file__).with_name("b3-parameters.json").read_text(encoding="utf-8")
    rows = (B3Row.from_strings(entries) for entries in json.loads(text)["rows"])
    return tuple(sorted(rows, key=lambda row: row.mu))


@dataclass(frozen=True)
class _Scaled:
    """A row with every entry multiplied by ``_SCALE``: whole numbers, for speed."""

    row: B3Row
    tau: int
    charge: int  # for the begun chains of S and dP of one pair
    by_d: int  # weight of the products whose chains have length d, or d columns
    by_dv: int
    W: int
    whole: bool  # every move weighs 1

    @classmethod
    def of(cls, row: B3Row) -> _Scaled:
        def scaled(value: Fraction) -> int:
            return int(value * _SCALE)

        return cls(
            row=row,
            tau=scaled(row.tau),
            charge=scaled(row.gamma) * row.charged,
            by_d=scaled(row.S + row.dK + row.dQ),
            by_dv=scaled(row.dP + row.dV),
            W=scaled(row.W),
            whole=row.charged == 0 or row.gamma == 1,
        )


@cache
def _scaled_rows() -> tuple[_Scaled, ...]:
    return tuple(_Scaled.of(row) for row in load_b3_rows())


def _value(scaled: _Scaled, problem: Counts, M: int) -> tuple[int, int] | None:
    """Return the bound of one row and its number of segments, or None if the row gives nothing."""
    if problem.d != problem.dv and not scaled.row.plain:
        return None
    D = min(problem.d, problem.dv)
    work = problem.pairs * (scaled.by_d * problem.d + scaled.by_dv * problem.dv)
    segments = -(-work // (scaled.W * D**3))
    if segments < 2:
        return None
    charge = scaled.charge * problem.pairs
    if scaled.whole:
        X = scaled.tau * D * D // _SCALE - M
        moves = (M + 1 + (segments - 1) * X) * _SCALE
        return (max(0, -(-(moves - charge) // _SCALE)), segments) if X >= 1 else None
    step = scaled.tau * D * D - (M + 1) * _SCALE  # X - 1, scaled
    above = M * _SCALE + (segments - 1) * step - charge
    return (max(0, above // _SCALE + 1), segments) if step > 0 else None


def b3(problem: Counts, M: int, rules: Rules = _ANY_RULES) -> Bound:
    """Lower bound B3 on the loads plus stores of one copy of a backward pass.

    Parameters
    ----------
    problem : Problem
        One head of one batch element; ``heads`` and ``batch`` are ignored. Any Nq, Nk, d, dv and mask; the bound
        is good where dv = d.
    M : int
        Words of fast memory, less than tau·min(d, dv)² for the largest tau of :func:`load_b3_rows`; where dv
        is not d, for the largest tau below 4.
    rules : Rules
        Every variant is accepted: the proof uses neither the ban on sliding nor recomputation.

    Returns
    -------
    Bound
        Status ``"computer-assisted"``; the value is a whole number of words, computed in exact arithmetic.
        It may be less than the compulsory traffic (inputs plus outputs); take the greater of the two.

    Raises
    ------
    BoundDoesNotApply
        If it is no backward pass, if M is larger than the largest row serves, or if the problem is so small
        that one segment could hold all of its work.
    InvalidInput
        If M is no positive whole number.

    Notes
    -----
    Every row is tried, a few integer operations each: well below a millisecond.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = b3(Problem(100_000, 100_000, 128, 128, pass_name="backward"), 128**2)
    >>> bound.status, 6.28 < bound.value / 100_000**2 < 7.3
    ('computer-assisted', True)
    """
    del rules
    require_words(M)
    require_backward(problem, "B3")
    found = [
        (value, scaled.row) for scaled in _scaled_rows() if (value := _value(scaled, problem, M)) is not None
    ]
    if not found:
        raise BoundDoesNotApply(_why_not(problem, M))
    (words, segments), row = max(found, key=lambda pair: pair[0][0])
    return Bound(
        name="B3",
        value=words,
        status="computer-assisted",
        source="docs/bounds-b3.md, constants by pebble.lower_bounds.certified.prove_b3",
        note=f"row {row}; at least {segments} segments",
    )


def _why_not(problem: Counts, M: int) -> str:
    D = min(problem.d, problem.dv)
    rows = (scaled for scaled in _scaled_rows() if problem.d == problem.dv or scaled.row.plain)
    most = max(scaled.tau for scaled in rows) * D * D // _SCALE
    if most <= M:
        return f"B3 holds for M < {most} words here, not for M = {M}: use B1"
    return (
        f"{problem!r} with M = {M} is too small for B3: by its constants one segment could hold all of the "
        "work; use the compulsory traffic or B1"
    )
