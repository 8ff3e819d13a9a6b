"""B4: the computer-assisted lower bound on the I/O of a backward pass that counts the stores of what is loaded again.

The statement, a complete proof and the meaning of every parameter are in ``docs/bounds-b4.md``. The constants
W are proved by :mod:`pebble.lower_bounds.certified.prove_b4`; nothing in this module uses floating point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import ClassVar

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.b3 import B3
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow, best_of_rows
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.statement import Statement

__all__ = ["B4", "B4Row", "b4", "b4_rows"]

B4 = Statement(
    "B4",
    "I/O > min over 0 ≤ x, y ≤ z of (n(x, y) − 1)·(X − 2) + x + y + M − (γ_S [w_S > 0] + γ_P [w_P > 0])·z − Nq·d − "
    "Nk·(d + dv), n(x, y) = ⌈(z·((w_S + K1 + Q1)·d + (w_P + V1)·dv) − x·(V1 − V0)·dv − y·(K1 − K0 + Q1 − Q0)·d)/(W·D³)⌉"
    ", X = τ·D² − M, D = min(d, dv), for every row of its table with M ≤ μ·D²",
    "attention, backward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/bounds-b4.md, constants by pebble.lower_bounds.certified.prove_b4",
    status="computer-assisted",
    after=B3.after,
)


@dataclass(frozen=True)
class B4Row(ParameterRow):
    """One set of parameters of B4.

    With D the smaller of the two head dimensions, a segment that may touch a weight of tau·D² does at most
    W·D³ weighted multiply-adds: that is what has to be proved. Rows with tau < 3 are proved in a way
    that covers any dv, the others for dv = d only.

    Parameters
    ----------
    mu : Fraction
        The row serves M <= mu·D².
    tau : Fraction
        Weight that a segment may touch, in units of D² (red at its start, plus its moves).
    gamma, gamma_dP : Fraction
        Charge for the start of a chain of S, and of dP, above 0 and at most 1.
    W : Fraction
        The number to be proved.
    S, dP : Fraction
        Weight of one multiply-add of these products. One of weight 0 is not traced, and not charged for.
    V0, V1 : Fraction
        Weight of one multiply-add of dV on a pair of which a vertex of S or P is ever stored, and on another one.
    K0, K1, Q0, Q1 : Fraction
        The same for dK and dQ, where what counts is whether a vertex of dP or dS is ever stored.

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.
    """

    bound: ClassVar[str] = B4.name
    statement: ClassVar[Statement] = B4

    gamma_dP: Fraction
    S: Fraction
    dP: Fraction
    V0: Fraction
    V1: Fraction
    K0: Fraction
    K1: Fraction
    Q0: Fraction
    Q1: Fraction

    def _needs(self) -> str:
        charges = 0 < self.gamma <= 1 and 0 < self.gamma_dP <= 1
        order = 0 <= self.V0 <= self.V1 and 0 <= self.K0 <= self.K1 and 0 <= self.Q0 <= self.Q1
        some = min(self.S, self.dP) >= 0 and self.S + self.dP + self.V1 + self.K1 + self.Q1 > 0
        if 0 < self.mu < self.tau and self.W > 0 and charges and order and some:
            return ""
        return (
            "0 < mu < tau, 0 < gamma <= 1, 0 < gamma_dP <= 1, W > 0, S >= 0, dP >= 0, 0 <= V0 <= V1, 0 <= K0 <= K1 "
            "and 0 <= Q0 <= Q1, not all weights 0;"
        )

    @property
    def plain(self) -> bool:
        """Whether W is proved without the bounds that need dv = d, so that the row serves any dv."""
        return self.tau < 3

    @property
    def charge(self) -> int:
        """What the begun chains of a pair are charged, times :data:`~.parameters.SCALE`."""
        row = self.scaled
        return row["gamma"] * (row["S"] > 0) + row["gamma_dP"] * (row["dP"] > 0)

    def serves(self, problem: Counts) -> bool:
        """Whether W is proved for the problem's head dimensions."""
        return problem.d == problem.dv or self.plain

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        d, dv, z, row = problem.d, problem.dv, problem.pairs, self.scaled
        D = min(d, dv)
        step = row["tau"] * D * D - (M + 2) * SCALE  # X - 2, scaled
        if not self.serves(problem) or row["mu"] * D * D < M * SCALE or step <= 0:
            return None
        work = z * ((row["S"] + row["K1"] + row["Q1"]) * d + (row["dP"] + row["V1"]) * dv)
        of_P, of_dS = (row["V1"] - row["V0"]) * dv, (row["K1"] - row["K0"] + row["Q1"] - row["Q0"]) * d
        more, less = max(of_P, of_dS), min(of_P, of_dS)  # what storing one pair takes off the work
        W = row["W"] * D**3
        fewest = -(-(work - z * (more + less)) // W)
        if fewest < 2:
            return None
        # The least number of stores that allows n segments takes the greater relief first: convex in n, with these
        # two breaks, so that the least cost is at the fewest segments or beside a break.
        breaks = (work // W, (work - z * more) // W)
        tried = {fewest} | {n for at in breaks for n in (at, at + 1) if n >= fewest}
        costs = {n: (n - 1) * step + _stores(work - n * W, z, more, less) * SCALE for n in tried}
        segments = min(costs, key=lambda n: (costs[n], n))
        chains = problem.queries * d + problem.keys * (d + dv)
        total = (M - chains) * SCALE + costs[segments] - self.charge * z
        return max(0, total // SCALE + 1), segments


def _stores(excess: int, z: int, more: int, less: int) -> int:
    """Return the least number of stores that take so much off the work, rounded down; z at most of each kind."""
    if excess <= 0:
        return 0
    if excess <= z * more:
        return excess // more
    return z + (excess - z * more) // less


@cache
def b4_rows() -> tuple[B4Row, ...]:
    """Return the rows of B4 that come with the package, by ascending mu.

    Examples
    --------
    >>> [str(row) for row in b4_rows() if row.mu == 1]
    ['mu = 1, T = ...·d², W = ...·d³']
    """
    return B4Row.load()


def b4(problem: Counts, M: int) -> Bound:
    """Lower bound B4 on the loads plus stores of one copy of a backward pass.

    It holds under all rules: the proof uses neither the ban on sliding nor recomputation.

    Parameters
    ----------
    problem : Problem
        One head of one batch element; ``heads`` and ``batch`` are ignored. Any Nq, Nk, d, dv and mask; the bound
        is good where dv = d.
    M : int
        Words of fast memory, at most mu·min(d, dv)² for the largest mu of :func:`b4_rows`; where dv
        is not d, for the largest one with tau below 3.

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
    >>> bound = b4(Problem(100_000, 100_000, 128, 128, pass_name="backward"), 128**2)
    >>> bound.status, 7.81 < bound.value / 100_000**2 < 8.3
    ('computer-assisted', True)
    """
    M = fast_memory_words(M)
    require_pass(problem, "backward", "B4")
    largest = max(row.scaled["mu"] for row in b4_rows() if row.serves(problem))
    most = largest * min(problem.d, problem.dv) ** 2 // SCALE
    if most < M:
        raise BoundDoesNotApply(f"B4 holds for M <= {most} words here, not for M = {M}: use B3 or B1")
    return best_of_rows(b4_rows(), problem, M, instead="B1")
