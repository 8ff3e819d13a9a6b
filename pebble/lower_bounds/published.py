"""What the literature states of attention: asymptotic curves, and one exact count.

All of it is published for ``dv = d``. ``N²`` is read as ``Nq Nk``, and the ``N`` of a domain as the smaller of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.computations.problem_form import SOFTMAXES
from pebble.lower_bounds.bound import DAO, LI, SAHA_YE, Bound, Reference, Statement, applicable
from pebble.lower_bounds.requirements import (
    require_all_pairs,
    require_fixed_order,
    require_mask,
    require_pass,
    require_sizes,
)

_PAPERS = {
    DAO.key: "Dao et al. 2022, arXiv:2205.14135",
    LI.key: "Li, Liang, Shi, Song & Zhou 2024, arXiv:2410.09397",
    SAHA_YE.key: "Saha & Ye, ICML 2024, arXiv:2402.07443",
}
_ALL_PAIRS = "without a mask, dv = d; N² is read as Nq·Nk"


def _curve(name: str, says: str, hypotheses: str, by: Reference, theorem: str) -> Statement:
    """Return the statement of a curve, of a status that keeps it out of every assertion."""
    source = f"{_PAPERS[by.key]}, {theorem}"
    return Statement(name, says, hypotheses, source, "asymptotic", "as published", by)


@dataclass(frozen=True)
class Curve:
    """A published curve: an expression under a Θ or Ω. Called with a problem and M, it gives the value.

    Parameters
    ----------
    statement : Statement
    called : str
        How an error names it.
    passes : tuple of str
        The passes that it is published for.
    value : callable
        Of a problem and M.
    note : str
    masked : bool
        Whether it is about masks, and not about all pairs.
    row_to_matrix : bool
        Whether it is stated for M from d to N·d.
    least_M : callable, optional
        With how many words at least it is stated, given a problem.
    of_pass : tuple of str
        Theorems of a paper that has one for each pass.
    """

    statement: Statement
    called: str
    passes: tuple[str, ...]
    value: Callable[[Problem, int], float]
    note: str
    masked: bool = False
    row_to_matrix: bool = False
    least_M: Callable[[Problem], int] | None = None
    of_pass: tuple[str, ...] = ()

    def __call__(self, problem: Problem, M: int) -> Bound:
        """Return the curve's value, which has no constant: compare its shape."""
        M = fast_memory_words(M)
        theorem = dict(zip(self.passes, self.of_pass, strict=False)).get(problem.pass_name, "")
        called = self.called.format(theorem)
        if len(self.passes) == 1:
            require_pass(problem, self.passes[0], called)
        require_fixed_order(problem, called)
        (require_mask if self.masked else require_all_pairs)(problem, called)
        _require_square_heads(problem, called)
        d, most = problem.d, min(problem.Nq, problem.Nk) * problem.d
        if self.row_to_matrix and not d <= M <= most:
            raise BoundDoesNotApply(
                f"{called} is stated for d <= M <= N d, here {d} <= M <= {most}; M is {M}"
            )
        if self.least_M is not None and self.least_M(problem) > M:
            raise BoundDoesNotApply(
                f"{called} needs M of order d² = {self.least_M(problem)} or more; M is {M}"
            )
        source = f"{_PAPERS[DAO.key]}, {theorem}" if theorem else None
        return self.statement.bound(self.value(problem, M), self.note, source=source)


def _require_square_heads(problem: Problem, called: str) -> None:
    if problem.dv != problem.d:
        raise BoundDoesNotApply(
            f"{called} is published for dv = d, not for d = {problem.d}, dv = {problem.dv}"
        )


def _li_et_al_of_non_zeros(problem: Problem, M: int) -> float:
    """Return min(Z_in²/M, Z_in·√Z_QK/√M), Z_in the geometric mean of Q's and K's words, full inputs."""
    inputs = math.sqrt(problem.queries * problem.keys) * problem.d
    return min(inputs * inputs / M, inputs * math.sqrt(problem.pairs / M))


def _two_branches(problem: Problem, M: int) -> float:
    return min(problem.pairs * problem.d / math.sqrt(M), problem.pairs * problem.d * problem.d / M)


saha_ye = Curve(
    _curve(
        "Saha-Ye",
        "I/O = Θ(min(N²d/√M, N²d²/M))",
        f"attention, forward pass, multiplied in the standard way, {_ALL_PAIRS}",
        SAHA_YE,
        "Theorem 3.1",
    ),
    "Saha and Ye's theorem",
    ("forward",),
    _two_branches,
    "Θ: compare the shape, there is no constant",
)
fast_multiplication = Curve(
    _curve(
        "fast multiplication",
        "I/O = Ω(min(N²d²/M, N²))",
        f"attention, forward pass, multiplied in any way over large fields with all scores explicit, {_ALL_PAIRS}",
        SAHA_YE,
        "Theorem 4.8",
    ),
    "Saha and Ye's theorem for fast multiplication",
    ("forward",),
    lambda problem, M: min(problem.pairs * problem.d * problem.d / M, float(problem.pairs)),
    "Ω over large fields; it is outside this game, whose DAGs multiply in the standard way",
)
"""Over the binary field it loses a factor ``log² N`` (Theorem 4.14)."""
li_et_al = Curve(
    _curve(
        "Li et al.",
        "I/O = Θ(min(N²d/√M, N²d²/M)), the theorem's terms for dQ, dK and dV",
        f"attention, backward pass, {_ALL_PAIRS}",
        LI,
        "Theorem 1.1",
    ),
    "Li et al.'s theorem",
    ("backward",),
    _two_branches,
    "Θ: compare the shape, there is no constant; the terms of the projections are left out",
)
"""The paper's gradient also goes through the projections, which :func:`li_et_al_gradient` includes."""
LI_ET_AL_GRADIENT = _curve(
    "Li et al., gradient",
    "I/O = Θ(min((N²d² + N·d³)/M, (N²d + N·d²)/√M))",
    "gradient of the weights between queries and keys, without a mask, dv = d",
    LI,
    "Theorem 1.1",
)
li_et_al_sparse = Curve(
    _curve(
        "Li et al., worst pattern",
        "I/O = Ω(min(Z_in²/M, Z_in·√Z_QK/√M)) for the worst pattern with that many non-zeros",
        "attention, forward and backward pass, Z_in non-zeros of the inputs and Z_QK of the scores; "
        "no bound for a given mask",
        LI,
        "Theorem 4.5",
    ),
    "Li et al.'s sparse theorem",
    ("forward", "backward"),
    _li_et_al_of_non_zeros,
    "Ω, the worst pattern with that many non-zeros; this mask may need less",
    masked=True,
)
"""A worst case over patterns, whatever constant is put before it; without a mask ``min(N² d² / M, N² d / sqrt(M))``."""
flash_attention = Curve(
    _curve(
        "FlashAttention",
        "I/O = Θ(N²d²/M), the cost of an algorithm: no lower bound",
        f"attention, forward and backward pass, d ≤ M ≤ N·d, {_ALL_PAIRS}",
        DAO,
        "Theorems 2 and 5",
    ),
    "FlashAttention's {}",
    ("forward", "backward"),
    lambda problem, M: problem.pairs * problem.d * problem.d / M,
    "Θ, cost of an algorithm",
    row_to_matrix=True,
    of_pass=("Theorem 2", "Theorem 5"),
)
standard_attention = Curve(
    _curve(
        "standard attention",
        "I/O = Θ(N·d + N²), the cost of an algorithm: no lower bound",
        f"attention, forward and backward pass, M of the order of d² at least, {_ALL_PAIRS}",
        DAO,
        "Theorems 2 and 5",
    ),
    "the Θ(Nd + N²) of standard attention",
    ("forward", "backward"),
    lambda problem, M: (problem.Nq + problem.Nk) * problem.d / 2 + problem.pairs,
    "Θ, cost of an algorithm; the paper does not say that it assumes M ≥ d² up to a constant",
    least_M=lambda problem: problem.d * problem.d,
    of_pass=("Theorem 2", "Theorem 5"),
)
"""With less than d² words a strict game needs ``N² d / sqrt(M)``."""
block_sparse_flash_attention = Curve(
    _curve(
        "block-sparse FlashAttention",
        "I/O = Θ(N·d + N²d²s/M), the cost of an algorithm: no lower bound",
        "attention, forward pass, a mask with the fraction s of its blocks, d ≤ M ≤ N·d, dv = d",
        DAO,
        "Proposition 4",
    ),
    "block-sparse FlashAttention's Proposition 4",
    ("forward",),
    lambda problem, M: (problem.Nq + problem.Nk) * problem.d / 2 + problem.pairs * problem.d * problem.d / M,
    "Θ, cost of an algorithm; s, a fraction of blocks, is read as the fraction of pairs",
    masked=True,
    row_to_matrix=True,
)
_CURVES = (
    saha_ye,
    fast_multiplication,
    li_et_al,
    flash_attention,
    standard_attention,
    li_et_al_sparse,
    block_sparse_flash_attention,
)


def published_curves(problem: Problem, M: int) -> list[Bound]:
    """Return the published asymptotic curves whose domain contains ``M``, none of them to be asserted.

    They are about attention with softmax and values of their own, whose sums have an order; for another computation
    there are none. For a mask these are curves that were published for masks; those for all pairs say nothing about it.

    Examples
    --------
    >>> [curve.name for curve in published_curves(Problem.square(1024, 64), 1000)]
    ['Saha-Ye', 'fast multiplication', 'FlashAttention']
    >>> [curve.name for curve in published_curves(Problem(9, 9, 4, 4, pass_name="backward"), 16)]
    ['Li et al.', 'FlashAttention', 'standard attention']
    >>> [curve.name for curve in published_curves(Problem.square(1024, 64, mask="causal"), 1000)]
    ['Li et al., worst pattern', 'block-sparse FlashAttention']
    """
    M = fast_memory_words(M)
    if problem.form not in SOFTMAXES:
        return []
    if problem.pass_name == "weights":
        return [li_et_al_gradient(problem.Nq, problem.d, M)]
    return applicable(_CURVES, problem, M)


def li_et_al_gradient(N: int, d: int, M: int) -> Bound:
    """Curve of Li et al.'s Theorem 1.1 for the gradient of the d × d matrix between queries and keys.

    Its inputs are the N × d inputs of the layer: the second terms are the projections and the last product.

    Examples
    --------
    >>> li_et_al_gradient(1024, 64, 64 * 64).value == 1024**2 + 1024 * 64
    True
    """
    M = fast_memory_words(M)
    require_sizes(N=N, d=d)
    work = N * N * d + N * d * d
    return LI_ET_AL_GRADIENT.bound(min(work * d / M, work / math.sqrt(M)), "Θ: there is no constant")


def attenio_count(problem: Problem, M: int) -> Fraction:
    """I/O that AttenIO publishes for its order, ``2 N d + 4 N² d (d + 2) / (M - d)``: an upper bound.

    The order holds ``a = (M - d) // (2 d + 4)`` rows at a time; the count is exact where that division and
    ``N / a`` leave no remainder.

    Parameters
    ----------
    problem : Problem
        Forward pass with ``Nq = Nk`` and ``dv = d``.
    M : int
        Words of fast memory, at least ``3 d + 4``, so that one row fits.

    References
    ----------
    AttenIO, ASPLOS 2026, doi 10.1145/3779212.3790174.

    Examples
    --------
    >>> attenio_count(Problem.square(1000, 8), 8 + 20 * 10)
    Fraction(1616000, 1)
    """
    M, called = fast_memory_words(M), "AttenIO's count"
    require_pass(problem, "forward", called)
    require_fixed_order(problem, called)
    require_all_pairs(problem, called)
    _require_square_heads(problem, called)
    d = problem.d
    if problem.Nq != problem.Nk:
        raise BoundDoesNotApply(
            f"AttenIO's count is published for as many keys as queries, not {problem.Nk} and {problem.Nq}"
        )
    if 3 * d + 4 > M:
        raise BoundDoesNotApply(f"AttenIO's order needs one row to fit, M >= 3d + 4 = {3 * d + 4}; M is {M}")
    return 2 * problem.Nq * d + Fraction(4 * problem.pairs * d * (d + 2), M - d)
