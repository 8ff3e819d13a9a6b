"""B3: the computer-assisted lower bound on the I/O of a backward pass with M up to about ten times d² words.

The statement, a complete proof and the meaning of every parameter are in ``docs/bounds-b3.md``. The constants
W are proved by :mod:`pebble.lower_bounds.certified.prove_b3`; nothing in this module uses floating point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow, best_of_rows
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.statement import Statement

__all__ = ["B3", "B3Row", "b3", "b3_rows"]

B3 = Statement(
    "B3",
    "I/O > M + (n − 1)·(X − 1) − a·γ·z, n = ⌈z·((w_S + w_K + w_Q)·d + (w_P + w_V)·dv)/(W·D³)⌉, X = τ·D² − "
    "M, D = min(d, dv), a the number of positive weights among w_S and w_P; "
    "I/O ≥ M + 1 + (n − 1)·⌊X⌋ − a·γ·z if a = 0 or γ = 1; for every row of its table",
    "attention, backward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/bounds-b3.md, constants by pebble.lower_bounds.certified.prove_b3",
    status="computer-assisted",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


@dataclass(frozen=True)
class B3Row(ParameterRow):
    """One set of parameters of B3.

    With D the smaller of the two head dimensions, a segment that may touch a weight of tau·D² does at most
    W·D³ weighted multiply-adds: that is what has to be proved. Rows with tau < 4 are proved in a way
    that covers any dv, the others for dv = d only.

    Parameters
    ----------
    mu : Fraction
        The M/D² for which the other parameters were chosen; the row serves every M below tau·D².
    tau : Fraction
        Weight that a segment may touch, in units of D² (red at its start, plus its moves).
    gamma : Fraction
        Charge for the start of a chain of S or dP, above 0 and at most 1.
    W : Fraction
        The number to be proved.
    S, dP, dV, dK, dQ : Fraction
        Weight of one multiply-add of each product. A product of weight 0 is not traced, and not charged for.

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.
    """

    bound: ClassVar[str] = B3.name
    statement: ClassVar[Statement] = B3

    S: Fraction
    dP: Fraction
    dV: Fraction
    dK: Fraction
    dQ: Fraction

    def _needs(self) -> str:
        positive = min(self.tau - self.mu, self.mu, self.gamma, self.W, sum(self.weights)) > 0
        if positive and self.gamma <= 1 and min(self.weights) >= 0:
            return ""
        return "0 < mu < tau, 0 < gamma <= 1, W > 0 and weights >= 0, not all of them 0;"

    @property
    def weights(self) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
        """Weights of S, dP, dV, dK and dQ."""
        return self.S, self.dP, self.dV, self.dK, self.dQ

    @property
    def plain(self) -> bool:
        """Whether W is proved without the bounds that need dv = d, so that the row serves any dv."""
        return self.tau < 4

    @property
    def charged(self) -> int:
        """How many of the two products S and dP are traced, so that their starts are charged."""
        return (self.S > 0) + (self.dP > 0)

    def serves(self, problem: Counts) -> bool:
        """Whether W is proved for the problem's head dimensions."""
        return problem.d == problem.dv or self.plain

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        if not self.serves(problem):
            return None
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


@cache
def b3_rows() -> tuple[B3Row, ...]:
    """Return the rows of B3 that come with the package, by ascending mu.

    Examples
    --------
    >>> [str(row) for row in b3_rows() if row.mu == 1]
    ['mu = 1, T = ...·d², W = ...·d³']
    """
    return B3Row.load()


def b3(problem: Counts, M: int) -> Bound:
    """Lower bound B3 on the loads plus stores of one copy of a backward pass.

    It holds under all rules: the proof uses neither the ban on sliding nor recomputation.

    Parameters
    ----------
    problem : Problem
        One head of one batch element; ``heads`` and ``batch`` are ignored. Any Nq, Nk, d, dv and mask; the bound
        is good where dv = d.
    M : int
        Words of fast memory, less than tau·min(d, dv)² for the largest tau of :func:`b3_rows`; where dv
        is not d, for the largest tau below 4.

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
    M = fast_memory_words(M)
    require_pass(problem, "backward", "B3")
    largest = max(row.scaled["tau"] for row in b3_rows() if row.serves(problem))
    most = largest * min(problem.d, problem.dv) ** 2 // SCALE
    if most <= M:
        raise BoundDoesNotApply(f"B3 holds for M < {most} words here, not for M = {M}: use B1")
    return best_of_rows(b3_rows(), problem, M, instead="B1")
