"""B3 and B4: the lower bounds with certified constants on the I/O of a backward pass."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Bound, Statement
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow, bound_of_rows, least_cost
from pebble.lower_bounds.requirements import Counts, require_loads_of_sums

B3 = Statement(
    "B3",
    "I/O > M + (n − 1)·(X − 1) − a·γ·z, n = ⌈z·((w_S + w_K + w_Q)·d + (w_P + w_V)·dv)/(W·D³)⌉, X = τ·D² − "
    "M, D = min(d, dv), a the number of positive weights among w_S and w_P; "
    "I/O ≥ M + 1 + (n − 1)·⌊X⌋ − a·γ·z if a = 0 or γ = 1; for every row of its table",
    "attention, backward pass, any sizes and any mask; M small enough for a row; W proved by branch and bound",
    "docs/proofs/b3.md, constants by pebble.lower_bounds.certified.prove_b3",
    status="machine-checked",
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

    Result and rules are as for :func:`.t3`.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = b3(Problem(100_000, 100_000, 128, 128, pass_name="backward"), 128**2)
    >>> bound.status, 6.28 < bound.value / 100_000**2 < 7.3
    ('machine-checked', True)
    """
    return bound_of_rows(B3Row, problem, M)


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

    Parameters and result are as for :func:`b3`, but the status is ``"computer-assisted"``, and M is at most
    mu·min(d, dv)² for the largest mu of its rows; where dv is not d, for the largest one with tau below 3.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = b4(Problem(100_000, 100_000, 128, 128, pass_name="backward"), 128**2)
    >>> bound.status, 7.81 < bound.value / 100_000**2 < 8.3
    ('computer-assisted', True)
    """
    require_loads_of_sums(problem, "B4")
    return bound_of_rows(B4Row, problem, M)
