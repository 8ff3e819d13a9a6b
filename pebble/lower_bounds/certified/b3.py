"""B3: the computer-assisted lower bound on the I/O of a backward pass with M up to about ten times d² words.

The statement, a complete proof and the meaning of every parameter are in ``docs/proofs/b3.md``. The constants
W are proved by :mod:`pebble.lower_bounds.certified.prove_b3`; nothing in this module uses floating point.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow, bound_of_rows
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.statement import Statement

__all__ = ["B3", "B3Row", "BackwardRow", "b3"]

B3 = Statement(
    "B3",
    "I/O > M + (n − 1)·(X − 1) − a·γ·z, n = ⌈z·((w_S + w_K + w_Q)·d + (w_P + w_V)·dv)/(W·D³)⌉, X = τ·D² − "
    "M, D = min(d, dv), a the number of positive weights among w_S and w_P; "
    "I/O ≥ M + 1 + (n − 1)·⌊X⌋ − a·γ·z if a = 0 or γ = 1; for every row of its table",
    "attention, backward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/proofs/b3.md, constants by pebble.lower_bounds.certified.prove_b3",
    status="computer-assisted",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


@dataclass(frozen=True)
class BackwardRow(ParameterRow):
    """One set of parameters of B3 or B4, in units of D², D being the smaller of the two head dimensions.

    Rows with a small tau are proved in a way that covers any dv, the others for dv = d only.
    """

    pass_name = "backward"

    plain_below: ClassVar[int]
    """Rows with a tau below this serve any dv."""

    @property
    @abstractmethod
    def weights(self) -> tuple[Fraction, ...]:
        """Weights of S and dP, and of dV, dK and dQ on pairs that are stored and on others."""

    @property
    @abstractmethod
    def charges(self) -> tuple[Fraction, Fraction]:
        """What the start of a chain of S and of dP is charged."""

    @property
    def plain(self) -> bool:
        """Whether W is proved without the bounds that need dv = d, so that the row serves any dv."""
        return self.tau < self.plain_below

    def serves(self, problem: Counts) -> bool:
        """Tell whether dv = d, or W is proved for any dv."""
        return problem.d == problem.dv or self.plain


@dataclass(frozen=True)
class B3Row(BackwardRow):
    """One set of parameters of B3; it serves every M below tau·D².

    Parameters
    ----------
    mu, tau, gamma, W : Fraction
        As for every row; the traced chains are those of S and dP.
    S, dP, dV, dK, dQ : Fraction
        Weight of one multiply-add of each product, at least 0 and not all 0. A product of weight 0 is not traced, and
        not charged for.
    """

    statement = B3
    instead = "B1"
    plain_below = 4

    S: Fraction
    dP: Fraction
    dV: Fraction
    dK: Fraction
    dQ: Fraction

    def _sound(self) -> bool:
        return min(self.weights) >= 0 and sum(self.weights) > 0

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """The five weights; whether a pair is stored makes no difference."""
        return self.S, self.dP, self.dV, self.dV, self.dK, self.dK, self.dQ, self.dQ

    @property
    def charges(self) -> tuple[Fraction, Fraction]:
        """The same for both."""
        return self.gamma, self.gamma

    def most_memory(self, problem: Counts) -> int:
        """Return the greatest M below tau·D², rounded down."""
        return self.scaled["tau"] * min(problem.d, problem.dv) ** 2 // SCALE - 1

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        d, dv, z, row = problem.d, problem.dv, problem.pairs, self.scaled
        D = min(d, dv)
        work = z * ((row["S"] + row["dK"] + row["dQ"]) * d + (row["dP"] + row["dV"]) * dv)
        segments = -(-work // (row["W"] * D**3))
        if segments < 2:
            return None
        charge = row["gamma"] * ((row["S"] > 0) + (row["dP"] > 0)) * z  # for the begun chains of S and dP
        if charge == 0 or row["gamma"] == SCALE:  # every move weighs 1
            X = row["tau"] * D * D // SCALE - M
            moves = (M + 1 + (segments - 1) * X) * SCALE
            return (max(0, -(-(moves - charge) // SCALE)), segments) if X >= 1 else None
        step = row["tau"] * D * D - (M + 1) * SCALE  # X - 1, scaled
        above = M * SCALE + (segments - 1) * step - charge
        return (max(0, above // SCALE + 1), segments) if step > 0 else None


def b3(problem: Counts, M: int) -> Bound:
    """Lower bound B3 on the loads plus stores of one copy of a backward pass.

    Result and rules are as for :func:`~pebble.lower_bounds.certified.t3.t3`, but the status is ``"computer-assisted"``.

    Parameters
    ----------
    problem : Problem
        One head of one batch element; ``heads`` and ``batch`` are ignored. Any Nq, Nk, d, dv and mask; the bound
        is good where dv = d.
    M : int
        Words of fast memory, less than tau·min(d, dv)² for the largest tau of its rows; where dv is not d, for the
        largest tau below 4.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = b3(Problem(100_000, 100_000, 128, 128, pass_name="backward"), 128**2)
    >>> bound.status, 6.28 < bound.value / 100_000**2 < 7.3
    ('computer-assisted', True)
    """
    return bound_of_rows(B3Row, problem, M)
