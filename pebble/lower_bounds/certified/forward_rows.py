"""T3 and T4: the lower bounds on the I/O of a forward pass with M up to a few times d² words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Bound, Statement
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow, bound_of_rows, least_cost
from pebble.lower_bounds.requirements import Counts, require_loads_of_sums

T3 = Statement(
    "T3",
    "I/O > min over s in 0..z of (n(s) − 1)·(X − 2) + s + M − γ·z − Nq·dv, n(s) = ⌈(z·(β·d + (1 + Δ)·dv) "
    "− Δ·dv·s)/(W·d³)⌉, X = τ·d² − M, for every row (μ, τ, γ, Δ, β, W) of its table with M ≤ μ·d²; Nq "
    "more if the row sums are outputs",
    "attention, forward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/proofs/t3.md, constants by pebble.lower_bounds.certified.prove_t3",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


@dataclass(frozen=True)
class T3Row(ParameterRow):
    """One set of parameters of T3; it serves M <= mu·d².

    Parameters
    ----------
    mu, tau, gamma, W : Fraction
        As for every row; the traced chains are those of S.
    delta : Fraction
        A multiply-add of U on a pair that is never stored has weight 1 + delta, others have weight 1; delta >= 0.
    beta : Fraction
        Weight of a multiply-add of S, at least 0.
    """

    statement = T3
    pass_name = "forward"
    instead = "T1"

    delta: Fraction
    beta: Fraction

    def _sound(self) -> bool:
        return self.delta >= 0 and self.beta >= 0

    def most_memory(self, problem: Counts) -> int:
        """Return mu·d², rounded down."""
        return self.scaled["mu"] * problem.d**2 // SCALE

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        d, dv, z, row = problem.d, problem.dv, problem.pairs, self.scaled
        step = row["tau"] * d * d - (M + 2) * SCALE  # X - 2, scaled
        if self.most_memory(problem) < M or step <= 0:
            return None
        relief = row["delta"] * dv  # what storing one pair takes off the work
        work = z * (row["beta"] * d + SCALE * dv) + z * relief
        found = least_cost(work, row["W"] * d**3, step, z, relief)
        if found is None:
            return None
        cost, segments = found
        fixed = M - problem.queries * (dv - (1 if problem.stats else 0))
        return max(0, (fixed * SCALE + cost - row["gamma"] * z) // SCALE + 1), segments


def t3(problem: Counts, M: int) -> Bound:
    """Lower bound T3 on the loads plus stores of one copy of a forward pass.

    It holds under all rules, for M up to mu·d² for the largest mu of its rows: the proof uses neither the ban on
    sliding nor recomputation. It may be less than the compulsory words.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = t3(Problem.square(100_000, 128), 128**2)
    >>> bound.status, 3.30 < bound.value / 100_000**2 < 3.35
    ('machine-checked', True)
    """
    require_loads_of_sums(problem, "T3")
    return bound_of_rows(T3Row, problem, M)


T4 = Statement(
    "T4",
    T3.says,
    "attention, forward pass with dv ≤ d, any sizes and any mask; M small enough for a row; W proved by branch "
    "and bound",
    "docs/proofs/t4.md, constants by pebble.lower_bounds.certified.prove_t4",
    status="machine-checked",
    after=T3.after,
)


@dataclass(frozen=True)
class T4Row(T3Row):
    """One set of parameters of T4: those of T3, with another function that W bounds."""

    statement = T4
    instead = "T3"

    def serves(self, problem: Counts) -> bool:
        """Tell whether dv is at most d."""
        return problem.dv <= problem.d


def t4(problem: Counts, M: int) -> Bound:
    """Lower bound T4 on the loads plus stores of one copy of a forward pass with dv at most d.

    Parameters and result are as for :func:`t3`.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = t4(Problem.square(100_000, 128), 128**2)
    >>> bound.status, 3.36 < bound.value / 100_000**2 < 3.40
    ('machine-checked', True)
    """
    if problem.dv > problem.d:
        raise BoundDoesNotApply(
            f"T4 is proved for dv at most d, not for d = {problem.d} and dv = {problem.dv}: use T3"
        )
    require_loads_of_sums(problem, "T4")
    return bound_of_rows(T4Row, problem, M)
