"""B4: the computer-assisted lower bound on the I/O of a backward pass that counts the stores of what is loaded again.

The statement, a complete proof and the meaning of every parameter are in ``docs/proofs/b4.md``. The constants
W are proved by :mod:`pebble.lower_bounds.certified.prove_b4`; nothing in this module uses floating point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.b3 import B3, BackwardRow
from pebble.lower_bounds.certified.parameters import SCALE, bound_of_rows, least_cost
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.requirements import require_loads_of_sums
from pebble.lower_bounds.statement import Statement

__all__ = ["B4", "B4Row", "b4"]

B4 = Statement(
    "B4",
    "I/O > min over 0 ≤ x, y ≤ z of (n(x, y) − 1)·(X − 2) + x + y + M − (γ_S [w_S > 0] + γ_P [w_P > 0])·z − Nq·d − "
    "Nk·(d + dv), n(x, y) = ⌈(z·((w_S + K1 + Q1)·d + (w_P + V1)·dv) − x·(V1 − V0)·dv − y·(K1 − K0 + Q1 − Q0)·d)/(W·D³)⌉"
    ", X = τ·D² − M, D = min(d, dv), for every row of its table with M ≤ μ·D²",
    "attention, backward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/proofs/b4.md, constants by pebble.lower_bounds.certified.prove_b4",
    status="computer-assisted",
    after=B3.after,
)


@dataclass(frozen=True)
class B4Row(BackwardRow):
    """One set of parameters of B4; it serves M <= mu·D².

    Parameters
    ----------
    mu, tau, W : Fraction
        As for every row.
    gamma, gamma_dP : Fraction
        Charge for the start of a chain of S, and of dP, above 0 and at most 1.
    S, dP : Fraction
        Weight of one multiply-add of these products, at least 0. One of weight 0 is not traced, and not charged for.
    V0, V1 : Fraction
        Weight of one multiply-add of dV on a pair of which a vertex of S or P is ever stored, and on another.
    K0, K1, Q0, Q1 : Fraction
        The same for dK and dQ, where what counts is whether a vertex of dP or dS is ever stored. The first of each pair
        is at least 0 and at most the second, and not all weights are 0.
    """

    statement = B4
    instead = "B3 or B1"
    plain_below = 3

    gamma_dP: Fraction
    S: Fraction
    dP: Fraction
    V0: Fraction
    V1: Fraction
    K0: Fraction
    K1: Fraction
    Q0: Fraction
    Q1: Fraction

    def _sound(self) -> bool:
        S, dP, *gradients = self.weights
        order = all(0 <= low <= high for low, high in zip(gradients[::2], gradients[1::2], strict=True))
        return 0 < self.gamma_dP <= 1 and order and min(S, dP) >= 0 and sum(self.weights) > 0

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """The eight weights."""
        return self.S, self.dP, self.V0, self.V1, self.K0, self.K1, self.Q0, self.Q1

    @property
    def charges(self) -> tuple[Fraction, Fraction]:
        """One for each."""
        return self.gamma, self.gamma_dP

    def most_memory(self, problem: Counts) -> int:
        """Return mu·D², rounded down."""
        return self.scaled["mu"] * min(problem.d, problem.dv) ** 2 // SCALE

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        d, dv, z, row = problem.d, problem.dv, problem.pairs, self.scaled
        D = min(d, dv)
        step = row["tau"] * D * D - (M + 2) * SCALE  # X - 2, scaled
        if self.most_memory(problem) < M or step <= 0:
            return None
        work = z * ((row["S"] + row["K1"] + row["Q1"]) * d + (row["dP"] + row["V1"]) * dv)
        of_P, of_dS = (row["V1"] - row["V0"]) * dv, (row["K1"] - row["K0"] + row["Q1"] - row["Q0"]) * d
        found = least_cost(work, row["W"] * D**3, step, z, max(of_P, of_dS), min(of_P, of_dS))
        if found is None:
            return None
        cost, segments = found
        chains = problem.queries * d + problem.keys * (d + dv)
        charge = row["gamma"] * (row["S"] > 0) + row["gamma_dP"] * (
            row["dP"] > 0
        )  # for the begun chains of a pair
        return max(0, ((M - chains) * SCALE + cost - charge * z) // SCALE + 1), segments


def b4(problem: Counts, M: int) -> Bound:
    """Lower bound B4 on the loads plus stores of one copy of a backward pass.

    Parameters and result are as for :func:`~pebble.lower_bounds.certified.b3.b3`, with M at most mu·min(d, dv)² for the
    largest mu of its rows; where dv is not d, for the largest one with tau below 3.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = b4(Problem(100_000, 100_000, 128, 128, pass_name="backward"), 128**2)
    >>> bound.status, 7.81 < bound.value / 100_000**2 < 8.3
    ('computer-assisted', True)
    """
    require_loads_of_sums(problem, "B4")
    return bound_of_rows(B4Row, problem, M)
