"""T3: the computer-assisted lower bound on the I/O of a forward pass with M up to a few times d² words.

The statement, a complete proof and the meaning of every parameter are in ``docs/bounds-t3.md``. The constants
W are established by :mod:`pebble.lower_bounds.certified.prove_t3`; nothing in this module uses floating point.
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
from pebble.lower_bounds.domain import require_forward, require_words

__all__ = ["Row", "load_rows", "t3"]

_ANY_RULES = Rules()
_SCALE = 10**9
"""Every parameter is a decimal with at most nine places, so that times this it is a whole number."""


@dataclass(frozen=True)
class Row:
    """One set of parameters of T3, with the constant that belongs to it; everything is exact.

    Parameters
    ----------
    mu : Fraction
        The row serves M <= mu·d².
    tau : Fraction
        Weight that a segment may touch, T = tau·d² (red at its start, plus its moves).
    delta : Fraction
        A multiply-add of U on a pair that is never stored has weight 1 + delta, others have weight 1.
    beta : Fraction
        Weight of a multiply-add of S.
    gamma : Fraction
        Charge for the start of a chain of S, between 0 and 1.
    W : Fraction
        No segment does more than W·d³ weighted multiply-adds: the number to be certified.

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.
    """

    mu: Fraction
    tau: Fraction
    delta: Fraction
    beta: Fraction
    gamma: Fraction
    W: Fraction

    def __post_init__(self) -> None:
        sound = 0 < self.mu < self.tau and 0 < self.gamma < 1 and self.delta >= 0 and self.beta >= 0
        if not (sound and self.W > 0):
            raise InvalidInput(
                "a row of T3 needs 0 < mu < tau, 0 < gamma < 1, delta >= 0, beta >= 0 and W > 0, not "
                + ", ".join(f"{name} = {float(value):g}" for name, value in vars(self).items())
            )

    @classmethod
    def from_strings(cls, entries: Mapping[str, str]) -> Row:
        """Read a row from decimal strings, exactly.

        Raises
        ------
        InvalidInput
            If a parameter is missing, unknown, no decimal, or has more than nine decimal places.
        """
        names = tuple(cls.__dataclass_fields__)
        if set(entries) != set(names):
            raise InvalidInput(f"a row of T3 has the entries {', '.join(names)}, not {', '.join(entries)}")
        return cls(**{name: _decimal(name, entries[name]) for name in names})

    def __str__(self) -> str:
        return f"mu = {float(self.mu):g}, T = {float(self.tau):g}·d², W = {float(self.W):g}·d³"


def _decimal(name: str, text: str) -> Fraction:
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(f"{name} of a row of T3 must be a decimal number, not {text!r}") from None
    if (value * _SCALE).denominator != 1:
        raise InvalidInput(f"{name} of a row of T3 may have nine decimal places, {text!r} has more")
    return value


@cache
def load_rows() -> tuple[Row, ...]:
    """Return the rows of T3 that come with the package, by ascending mu.

    Examples
    --------
    >>> [str(row) for row in load_rows() if row.mu == 1]
    ['mu = 1, T = ...·d², W = ...·d³']
    """
    text = Path(__file__).with_name("t3-parameters.json").read_text(encoding="utf-8")
    rows = (Row.from_strings(entries) for entries in json.loads(text)["rows"])
    return tuple(sorted(rows, key=lambda row: row.mu))


@dataclass(frozen=True)
class _Scaled:
    """A row with every entry multiplied by ``_SCALE``: whole numbers, for speed."""

    row: Row
    mu: int
    tau: int
    delta: int
    beta: int
    gamma: int
    W: int


@cache
def _scaled_rows() -> tuple[_Scaled, ...]:
    return tuple(
        _Scaled(row, **{name: int(value * _SCALE) for name, value in vars(row).items()})
        for row in load_rows()
    )


def _value(scaled: _Scaled, problem: Counts, M: int) -> tuple[int, int] | None:
    """Return the bound of one row and its number of segments, or None if the row gives nothing."""
    d, dv, z = problem.d, problem.dv, problem.pairs
    step = scaled.tau * d * d - (M + 2) * _SCALE  # X - 2, scaled
    if step <= 0:
        return None
    W = scaled.W * d**3
    relief = scaled.delta * dv  # what storing one pair takes off the work
    work = z * (scaled.beta * d + _SCALE * dv) + z * relief
    fewest = -(-(work - z * relief) // W)
    most = -(-work // W)
    if fewest < 2:
        return None
    segments, best = most, (most - 1) * step
    for n in {fewest, most - 1} if fewest < most else ():
        cost = (n - 1) * step + (work - n * W) // relief * _SCALE
        if cost < best:
            segments, best = n, cost
    fixed = M - problem.queries * (dv - (1 if problem.stats else 0))
    total = fixed * _SCALE + best - scaled.gamma * z
    return max(0, total // _SCALE + 1), segments


def t3(problem: Counts, M: int, rules: Rules = _ANY_RULES) -> Bound:
    """Lower bound T3 on the loads plus stores of one copy of a forward pass.

    Parameters
    ----------
    problem : Problem
        One head of one batch element; ``heads`` and ``batch`` are ignored. Any Nq, Nk, d, dv and mask.
    M : int
        Words of fast memory, at most mu·d² for the largest mu of :func:`load_rows`.
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
        If it is no forward pass, if M is larger than the largest row serves, or if the problem is so small
        that one segment could hold all of its work.
    InvalidInput
        If M is no positive whole number.

    Notes
    -----
    About 45 rows are tried, a few integer operations each: well below a millisecond.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = t3(Problem.square(100_000, 128), 128**2)
    >>> bound.status, 3.30 < bound.value / 100_000**2 < 3.35
    ('computer-assisted', True)
    """
    del rules
    require_words(M)
    require_forward(problem, "T3")
    found = [
        (value, scaled.row)
        for scaled in _scaled_rows()
        if scaled.mu * problem.d**2 >= M * _SCALE and (value := _value(scaled, problem, M)) is not None
    ]
    if not found:
        raise BoundDoesNotApply(_why_not(problem, M))
    (words, segments), row = max(found, key=lambda pair: pair[0][0])
    return Bound(
        name="T3",
        value=words,
        status="computer-assisted",
        source="docs/bounds-t3.md, constants by pebble.lower_bounds.certified.prove_t3",
        note=f"row {row}; at least {segments} segments",
    )


def _why_not(problem: Counts, M: int) -> str:
    largest = _scaled_rows()[-1]
    most = largest.mu * problem.d**2 // _SCALE
    if most < M:
        return f"T3 holds for M <= {float(largest.row.mu):g}·d² = {most} words, not for M = {M}: use T1"
    return (
        f"{problem!r} with M = {M} is too small for T3: by its constants one segment could hold all of the "
        "work; use the compulsory traffic or T1"
    )
