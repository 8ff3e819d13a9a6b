"""T3: the lower bound on the I/O of a forward pass with M up to a few times d² words.

The statement, a complete proof and the meaning of every parameter are in ``docs/bounds-t3.md``. The constants
W are proved by :mod:`pebble.lower_bounds.certified.prove_t3`; nothing in this module uses floating point.
"""

from __future__ import annotations

from collections.abc import Sequence
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

__all__ = ["T3", "T3Row", "forward_bound_of", "t3", "t3_rows"]

T3 = Statement(
    "T3",
    "I/O > min over s in 0..z of (n(s) − 1)·(X − 2) + s + M − γ·z − Nq·dv, n(s) = ⌈(z·(β·d + (1 + Δ)·dv) "
    "− Δ·dv·s)/(W·d³)⌉, X = τ·d² − M, for every row (μ, τ, γ, Δ, β, W) of its table with M ≤ μ·d²; Nq "
    "more if the row sums are outputs",
    "attention, forward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/bounds-t3.md, constants by pebble.lower_bounds.certified.prove_t3",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


@dataclass(frozen=True)
class T3Row(ParameterRow):
    """One set of parameters of T3.

    Parameters
    ----------
    mu : Fraction
        The row serves M <= mu·d².
    tau : Fraction
        Weight that a segment may touch, T = tau·d² (red at its start, plus its moves).
    gamma : Fraction
        Charge for the start of a chain of S, above 0 and at most 1.
    W : Fraction
        No segment does more than W·d³ weighted multiply-adds: the number to be proved.
    delta : Fraction
        A multiply-add of U on a pair that is never stored has weight 1 + delta, others have weight 1.
    beta : Fraction
        Weight of a multiply-add of S.

    Raises
    ------
    InvalidInput
        If a parameter is out of its range.
    """

    bound: ClassVar[str] = T3.name
    statement: ClassVar[Statement] = T3

    delta: Fraction
    beta: Fraction

    def _needs(self) -> str:
        sound = 0 < self.mu < self.tau and 0 < self.gamma <= 1 and self.delta >= 0 and self.beta >= 0
        if sound and self.W > 0:
            return ""
        return "0 < mu < tau, 0 < gamma <= 1, delta >= 0, beta >= 0 and W > 0,"

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        d, dv, z, row = problem.d, problem.dv, problem.pairs, self.scaled
        step = row["tau"] * d * d - (M + 2) * SCALE  # X - 2, scaled
        if row["mu"] * d * d < M * SCALE or step <= 0:
            return None
        W = row["W"] * d**3
        relief = row["delta"] * dv  # what storing one pair takes off the work
        work = z * (row["beta"] * d + SCALE * dv) + z * relief
        fewest = -(-(work - z * relief) // W)
        most = -(-work // W)
        if fewest < 2:
            return None
        segments, best = most, (most - 1) * step
        for n in {fewest, most - 1} if fewest < most else ():
            cost = (n - 1) * step + (work - n * W) // relief * SCALE
            if cost < best:
                segments, best = n, cost
        fixed = M - problem.queries * (dv - (1 if problem.stats else 0))
        total = fixed * SCALE + best - row["gamma"] * z
        return max(0, total // SCALE + 1), segments


@cache
def t3_rows() -> tuple[T3Row, ...]:
    """Return the rows of T3 that come with the package, by ascending mu.

    Examples
    --------
    >>> [str(row) for row in t3_rows() if row.mu == 1]
    ['mu = 1, T = ...·d², W = ...·d³']
    """
    return T3Row.load()


def t3(problem: Counts, M: int) -> Bound:
    """Lower bound T3 on the loads plus stores of one copy of a forward pass.

    It holds under all rules: the proof uses neither the ban on sliding nor recomputation.

    Parameters
    ----------
    problem : Problem
        One head of one batch element; ``heads`` and ``batch`` are ignored. Any Nq, Nk, d, dv and mask.
    M : int
        Words of fast memory, at most mu·d² for the largest mu of :func:`t3_rows`.

    Returns
    -------
    Bound
        Status ``"machine-checked"``: :func:`.coq_certificate` writes what Coq needs for it, the constant W included.
        The value is a whole number of words, computed in exact arithmetic.
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
    ('machine-checked', True)
    """
    return forward_bound_of(t3_rows(), problem, M, instead="T1")


def forward_bound_of(rows: Sequence[T3Row], problem: Counts, M: int, instead: str) -> Bound:
    """Return the greatest bound that rows of T3, or of a bound of its form, give for a forward pass.

    Parameters
    ----------
    rows : sequence of T3Row
        By ascending mu.
    problem : Problem
    M : int
        Words of fast memory.
    instead : str
        Which bound to use where these rows end.
    """
    M = fast_memory_words(M)
    name = rows[0].bound
    require_pass(problem, "forward", name)
    largest = rows[-1].mu
    most = largest * problem.d**2 // 1
    if most < M:
        raise BoundDoesNotApply(
            f"{name} holds for M <= {float(largest):g}·d² = {most} words, not for M = {M}: use {instead}"
        )
    return best_of_rows(rows, problem, M, instead)
