"""What the literature states of attention without a mask: asymptotic curves, and one exact count."""

from __future__ import annotations

import math
from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.published.curve import (
    curve,
    pairs_and_dimension,
    require_between_row_and_matrix,
    source_of,
)
from pebble.lower_bounds.references import DAO, LI, SAHA_YE
from pebble.lower_bounds.requirements import require_all_pairs, require_pass, require_sizes

__all__ = [
    "FAST_MULTIPLICATION",
    "FLASH_ATTENTION",
    "LI_ET_AL",
    "LI_ET_AL_GRADIENT",
    "SAHA_YE_CURVE",
    "STANDARD_ATTENTION",
    "attenio_count",
    "fast_multiplication",
    "flash_attention",
    "li_et_al",
    "li_et_al_gradient",
    "saha_ye",
    "standard_attention",
]

_ALL_PAIRS = "without a mask, dv = d; N² is read as Nq·Nk"

SAHA_YE_CURVE = curve(
    "Saha-Ye",
    "I/O = Θ(min(N²d/√M, N²d²/M))",
    f"attention, forward pass, multiplied in the standard way, {_ALL_PAIRS}",
    "Theorem 3.1",
    SAHA_YE,
)
FAST_MULTIPLICATION = curve(
    "fast multiplication",
    "I/O = Ω(min(N²d²/M, N²))",
    f"attention, forward pass, multiplied in any way over large fields with all scores explicit, {_ALL_PAIRS}",
    "Theorem 4.8",
    SAHA_YE,
)
FLASH_ATTENTION = curve(
    "FlashAttention",
    "I/O = Θ(N²d²/M), the cost of an algorithm: no lower bound",
    f"attention, forward and backward pass, d ≤ M ≤ N·d, {_ALL_PAIRS}",
    "Theorems 2 and 5",
    DAO,
)
STANDARD_ATTENTION = curve(
    "standard attention",
    "I/O = Θ(N·d + N²), the cost of an algorithm: no lower bound",
    f"attention, forward and backward pass, M of the order of d² at least, {_ALL_PAIRS}",
    "Theorems 2 and 5",
    DAO,
)
LI_ET_AL = curve(
    "Li et al.",
    "I/O = Θ(min(N²d/√M, N²d²/M)), the theorem's terms for dQ, dK and dV",
    f"attention, backward pass, {_ALL_PAIRS}",
    "Theorem 1.1",
    LI,
)
LI_ET_AL_GRADIENT = curve(
    "Li et al., gradient",
    "I/O = Θ(min((N²d² + N·d³)/M, (N²d + N·d²)/√M))",
    "gradient of the weights between queries and keys, without a mask, dv = d",
    "Theorem 1.1",
    LI,
)


def saha_ye(problem: Problem, M: int) -> Bound:
    """Curve ``min(N² d / sqrt(M), N² d² / M)`` of Saha and Ye's Theorem 3.1, tight up to a constant.

    The paper has ``Nq = Nk = N`` and ``dv = d``; here ``N²`` is read as ``Nq Nk``.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass, has a mask, or ``dv`` differs from ``d``.

    Examples
    --------
    >>> saha_ye(Problem.square(1024, 64), 64 * 64).value == 1024**2
    True
    """
    require_pass(problem, "forward", "Saha and Ye's theorem")
    require_all_pairs(problem, "Saha and Ye's theorem")
    z, d = pairs_and_dimension(problem, M, "Saha and Ye's theorem")
    value = min(z * d / math.sqrt(M), z * d * d / M)
    return SAHA_YE_CURVE.bound(value, "Θ: compare the shape, there is no constant")


def fast_multiplication(problem: Problem, M: int) -> Bound:
    """Curve ``min(N² d² / M, N²)``: any way to multiply matrices, if all scores are computed explicitly.

    Ω over large fields (Theorem 4.8); over the binary field it loses a factor ``log² N`` (Theorem 4.14).

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass, has a mask, or ``dv`` differs from ``d``.

    Examples
    --------
    >>> fast_multiplication(Problem.square(1024, 64), 1).value == 1024**2
    True
    """
    require_pass(problem, "forward", "Saha and Ye's theorem for fast multiplication")
    require_all_pairs(problem, "Saha and Ye's theorem for fast multiplication")
    z, d = pairs_and_dimension(problem, M, "Saha and Ye's theorem for fast multiplication")
    note = "Ω over large fields; it is outside this game, whose DAGs multiply in the standard way"
    return FAST_MULTIPLICATION.bound(min(z * d * d / M, float(z)), note)


def flash_attention(problem: Problem, M: int) -> Bound:
    """Curve ``N² d² / M``, the cost of FlashAttention for ``d <= M <= N d``: not a lower bound.

    Theorem 2 of the paper for the forward pass, Theorem 5 for the backward pass. With ``Nq != Nk``, ``N²`` is
    read as ``Nq Nk`` and the ``N`` of the domain as the smaller of them.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If there is a mask, ``dv`` differs from ``d``, or ``M`` is outside ``d .. N d``.

    Examples
    --------
    >>> flash_attention(Problem.square(1024, 64), 64 * 64).value == 1024**2
    True
    """
    theorem = _dao_theorem(problem)
    require_all_pairs(problem, f"FlashAttention's {theorem}")
    z, d = pairs_and_dimension(problem, M, f"FlashAttention's {theorem}")
    require_between_row_and_matrix(problem, M, f"FlashAttention's {theorem}")
    return FLASH_ATTENTION.bound(z * d * d / M, "Θ, cost of an algorithm", source=source_of(DAO, theorem))


def standard_attention(problem: Problem, M: int) -> Bound:
    """Curve ``N d + N²``, the cost of attention with the scores written out: not a lower bound.

    Theorem 2 of FlashAttention's paper for the forward pass, Theorem 5 for the backward pass. The paper states
    it for every ``M``, but it assumes ``M`` of the order of ``d²`` at least; with less, a strict game needs
    ``N² d / sqrt(M)``. With ``Nq != Nk``, ``N`` is read as their mean, ``N²`` as ``Nq Nk``.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If there is a mask, ``dv`` differs from ``d``, or ``M < d²``.

    Examples
    --------
    >>> standard_attention(Problem.square(1024, 64), 64 * 64).value == 1024 * 64 + 1024**2
    True
    """
    require_all_pairs(problem, "the Θ(Nd + N²) of standard attention")
    z, d = pairs_and_dimension(problem, M, "the Θ(Nd + N²) of standard attention")
    if d * d > M:
        raise BoundDoesNotApply(
            f"the Θ(Nd + N²) of standard attention needs M of the order of d² = {d * d} at least; M is {M}"
        )
    note = "Θ, cost of an algorithm; the paper does not say that it assumes M ≥ d² up to a constant"
    value = (problem.Nq + problem.Nk) * d / 2 + z
    return STANDARD_ATTENTION.bound(value, note, source=source_of(DAO, _dao_theorem(problem)))


def li_et_al(problem: Problem, M: int) -> Bound:
    """Curve ``min(N² d / sqrt(M), N² d² / M)``: what Li et al.'s Theorem 1.1 says of the backward pass alone.

    The paper's gradient also goes through the projections, which :func:`li_et_al_gradient` includes; here are
    its terms for dQ, dK and dV as functions of Q, K, V and dO. ``N²`` is read as ``Nq Nk``.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a backward pass, has a mask, or ``dv`` differs from ``d``.

    Examples
    --------
    >>> li_et_al(Problem(1024, 1024, 64, 64, pass_name="backward"), 64 * 64).value == 1024**2
    True
    """
    require_pass(problem, "backward", "Li et al.'s theorem")
    require_all_pairs(problem, "Li et al.'s theorem")
    z, d = pairs_and_dimension(problem, M, "Li et al.'s theorem")
    note = "Θ: compare the shape, there is no constant; the terms of the projections are left out"
    return LI_ET_AL.bound(min(z * d / math.sqrt(M), z * d * d / M), note)


def li_et_al_gradient(N: int, d: int, M: int) -> Bound:
    """Curve ``min((N² d² + N d³) / M, (N² d + N d²) / sqrt(M))`` of Li et al.'s Theorem 1.1.

    It is for the gradient with respect to the d × d matrix between queries and keys, from the N × d inputs of
    the layer: the second terms are the projections and the last product. For the backward pass without
    projections see :func:`li_et_al`.

    Raises
    ------
    InvalidInput
        If a size or ``M`` is not a positive whole number.

    Examples
    --------
    >>> li_et_al_gradient(1024, 64, 64 * 64).value == 1024**2 + 1024 * 64
    True
    """
    M = fast_memory_words(M)
    require_sizes(N=N, d=d)
    work = N * N * d + N * d * d
    value = min(work * d / M, work / math.sqrt(M))
    return LI_ET_AL_GRADIENT.bound(value, "Θ: there is no constant")


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

    Returns
    -------
    Fraction
        Words.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem has another shape or a mask, or ``M`` is too small.

    References
    ----------
    AttenIO, ASPLOS 2026, doi 10.1145/3779212.3790174.

    Examples
    --------
    >>> attenio_count(Problem.square(1000, 8), 8 + 20 * 10)
    Fraction(1616000, 1)
    """
    require_pass(problem, "forward", "AttenIO's count")
    require_all_pairs(problem, "AttenIO's count")
    z, d = pairs_and_dimension(problem, M, "AttenIO's count")
    if problem.Nq != problem.Nk:
        raise BoundDoesNotApply(
            f"AttenIO's count is published for as many keys as queries, not {problem.Nk} and {problem.Nq}"
        )
    if 3 * d + 4 > M:
        raise BoundDoesNotApply(f"AttenIO's order needs one row to fit, M >= 3d + 4 = {3 * d + 4}; M is {M}")
    return 2 * problem.Nq * d + Fraction(4 * z * d * (d + 2), M - d)


def _dao_theorem(problem: Problem) -> str:
    return "Theorem 2" if problem.pass_name == "forward" else "Theorem 5"
