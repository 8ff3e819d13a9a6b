"""What the literature states: bounds with constants, asymptotic curves, and one published exact count.

An asymptotic curve has no constant: its value is the expression under the Θ or Ω, to compare shapes with, and
its status ``"asymptotic"`` keeps it out of every assertion. The curves of FlashAttention's paper are costs of
algorithms, not lower bounds; they are here to be drawn beside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.domain import (
    require_all_pairs,
    require_backward,
    require_forward,
    require_mask,
    require_no_recomputation,
    require_sizes,
    require_words,
)
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt, log2_above

__all__ = [
    "attenio_count",
    "block_sparse_flash_attention",
    "fast_multiplication",
    "fft_machine_checked",
    "flash_attention",
    "li_et_al",
    "li_et_al_gradient",
    "li_et_al_sparse",
    "matmul_machine_checked",
    "matmul_no_recomputation",
    "published_curves",
    "saha_ye",
    "sparse_dividing_point",
    "standard_attention",
]

_LEAN = "machine-checked (Lean), github.com/geoconuk/lean-misc-math"
_SAHA_YE = "Saha & Ye, ICML 2024, arXiv:2402.07443"
_DAO = "Dao et al. 2022, arXiv:2205.14135"
_LI = "Li, Liang, Shi, Song & Zhou 2024, arXiv:2410.09397"


def matmul_machine_checked(m: int, n: int, k: int, M: int) -> Bound:
    """Return ``max(m k n / sqrt(2 M) - M, m k + k n + m n)``, recomputation allowed.

    Raises
    ------
    InvalidInput
        If a size or ``M`` is not a positive whole number.

    Examples
    --------
    >>> matmul_machine_checked(1000, 1000, 1000, 1024).value
    22096063
    """
    require_words(M)
    require_sizes(m=m, n=n, k=k)
    cut = ceil_sqrt(ceil_div((m * n * k) ** 2, 2 * M)) - M
    value = max(cut, m * k + k * n + m * n)
    return Bound("matmul, machine-checked", value, "proved", _LEAN, rules="recomputation allowed")


def matmul_no_recomputation(m: int, n: int, k: int, M: int, rules: Rules) -> Bound:
    """Return ``2 m n k / sqrt(M) - 2 M``, for pebblings that compute nothing twice.

    Raises
    ------
    InvalidInput
        If a size or ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the rules allow recomputation, for which it was not proved.

    Examples
    --------
    >>> matmul_no_recomputation(1000, 1000, 1000, 1024, Rules(recomputation=False)).value
    62497952
    """
    require_words(M)
    require_sizes(m=m, n=n, k=k)
    require_no_recomputation(rules, "2mnk/√M − 2M")
    value = max(0, ceil_sqrt(ceil_div(4 * (m * n * k) ** 2, M)) - 2 * M)
    source = "Smith et al. 2019, arXiv:1702.02017"
    return Bound("matmul, no recomputation", value, "proved", source, rules="recomputation forbidden")


def fft_machine_checked(n: int, M: int) -> Bound:
    """Return ``max(n (log2 n + 1) / (2 log2(4 M)) - M, 2 n)``, recomputation allowed.

    Parameters
    ----------
    n : int
        Points, a power of two, at least 2.
    M : int
        Words of fast memory.

    Raises
    ------
    InvalidInput
        If ``n`` is no power of two, or ``M`` no positive whole number.

    Examples
    --------
    >>> fft_machine_checked(2**40, 16).value == 2**40 * 41 // 12 - 16 + 1
    True
    >>> fft_machine_checked(2**10, 1024).value
    2048
    """
    require_words(M)
    require_sizes(n=n)
    if n < 2 or n & (n - 1):
        raise InvalidInput(f"the FFT needs a power of two of at least 2 points, not n = {n}")
    cut = math.ceil(Fraction(n * n.bit_length()) / (2 * log2_above(4 * M))) - M
    return Bound("FFT, machine-checked", max(cut, 2 * n), "proved", _LEAN, rules="recomputation allowed")


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
    require_forward(problem, "Saha and Ye's theorem")
    require_all_pairs(problem, "Saha and Ye's theorem")
    z, d = _equal_dimensions(problem, M, "Saha and Ye's theorem")
    value = min(z * d / math.sqrt(M), z * d * d / M)
    return _curve("Saha-Ye", value, f"{_SAHA_YE}, Theorem 3.1", "Θ: compare the shape, there is no constant")


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
    require_forward(problem, "Saha and Ye's theorem for fast multiplication")
    require_all_pairs(problem, "Saha and Ye's theorem for fast multiplication")
    z, d = _equal_dimensions(problem, M, "Saha and Ye's theorem for fast multiplication")
    note = "Ω over large fields; it is outside this game, whose DAGs multiply in the standard way"
    return _curve("fast multiplication", min(z * d * d / M, float(z)), f"{_SAHA_YE}, Theorem 4.8", note)


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
    z, d = _equal_dimensions(problem, M, f"FlashAttention's {theorem}")
    most = min(problem.Nq, problem.Nk) * d
    if not d <= M <= most:
        raise BoundDoesNotApply(
            f"FlashAttention's {theorem} is stated for d <= M <= N d, here {d} <= M <= {most}; M is {M}"
        )
    return _curve("FlashAttention", z * d * d / M, f"{_DAO}, {theorem}", "Θ, cost of an algorithm")


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
    z, d = _equal_dimensions(problem, M, "the Θ(Nd + N²) of standard attention")
    if d * d > M:
        raise BoundDoesNotApply(
            f"the Θ(Nd + N²) of standard attention needs M of the order of d² = {d * d} at least; M is {M}"
        )
    note = "Θ, cost of an algorithm; the paper does not say that it assumes M ≥ d² up to a constant"
    value = (problem.Nq + problem.Nk) * d / 2 + z
    return _curve("standard attention", value, f"{_DAO}, {_dao_theorem(problem)}", note)


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
    require_backward(problem, "Li et al.'s theorem")
    require_all_pairs(problem, "Li et al.'s theorem")
    z, d = _equal_dimensions(problem, M, "Li et al.'s theorem")
    note = "Θ: compare the shape, there is no constant; the terms of the projections are left out"
    return _curve("Li et al.", min(z * d / math.sqrt(M), z * d * d / M), f"{_LI}, Theorem 1.1", note)


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
    require_words(M)
    require_sizes(N=N, d=d)
    work = N * N * d + N * d * d
    value = min(work * d / M, work / math.sqrt(M))
    return _curve("Li et al., gradient", value, f"{_LI}, Theorem 1.1", "Θ: there is no constant")


def block_sparse_flash_attention(problem: Problem, M: int) -> Bound:
    """Curve ``N d + N² d² s / M``, the cost of block-sparse FlashAttention: not a lower bound.

    Proposition 4 of the paper, for ``d <= M <= N d``; ``s`` is the fraction of blocks with a pair, here read as the
    fraction of pairs, so that ``N² s`` is their number: the same where blocks are allowed whole. With ``Nq != Nk``
    the first ``N`` is read as their mean, the ``N`` of the domain as the smaller of them.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass with a mask, ``dv`` differs from ``d``, or ``M`` is outside
        ``d .. N d``.

    Examples
    --------
    >>> block_sparse_flash_attention(Problem.square(1024, 64, mask="causal"), 64 * 64).value
    590336.0
    """
    statement = "block-sparse FlashAttention's Proposition 4"
    require_forward(problem, statement)
    require_mask(problem, statement)
    z, d = _equal_dimensions(problem, M, statement)
    most = min(problem.Nq, problem.Nk) * d
    if not d <= M <= most:
        raise BoundDoesNotApply(f"{statement} is stated for d <= M <= N d, here {d} <= M <= {most}; M is {M}")
    value = (problem.Nq + problem.Nk) * d / 2 + z * d * d / M
    note = "Θ, cost of an algorithm; s, a fraction of blocks, is read as the fraction of pairs"
    return _curve("block-sparse FlashAttention", value, f"{_DAO}, Proposition 4", note)


def sparse_dividing_point(problem: Problem) -> Fraction:
    """Return ``Z_in² / Z_QK``, where the two forms of :func:`li_et_al_sparse` meet: ``d²`` without a mask.

    Examples
    --------
    >>> sparse_dividing_point(Problem.square(1024, 64)), sparse_dividing_point(Problem.square(63, 64, mask="causal"))
    (Fraction(4096, 1), Fraction(8064, 1))
    """
    return Fraction(problem.queries * problem.keys * problem.d**2, problem.pairs)


def li_et_al_sparse(problem: Problem, M: int) -> Bound:
    """Curve ``min(Z_in² / M, Z_in sqrt(Z_QK) / sqrt(M))``: what some pattern with so many non-zeros needs.

    Li et al.'s Theorem 4.5, for the forward and the backward pass: ``Z_in`` non-zeros of the inputs, here those of Q
    and of K in the queries and keys that have a pair (their geometric mean), and ``Z_QK`` non-zeros of the scores,
    here the pairs of the mask.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If there is no mask, or ``dv`` differs from ``d``.

    Notes
    -----
    It is a worst case over patterns, and no bound for the mask at hand, which may need less, whatever constant is
    put before the curve. Without a mask it would be ``min(N² d² / M, N² d / sqrt(M))``.

    Examples
    --------
    >>> li_et_al_sparse(Problem.square(63, 64, mask="causal"), 8064).value == 63 * 64 // 2
    True
    """
    require_mask(problem, "Li et al.'s sparse theorem")
    z, d = _equal_dimensions(problem, M, "Li et al.'s sparse theorem")
    inputs = math.sqrt(problem.queries * problem.keys) * d
    note = "Ω, the worst pattern with so many non-zeros; this mask may need less"
    value = min(inputs * inputs / M, inputs * math.sqrt(z / M))
    return _curve("Li et al., worst pattern", value, f"{_LI}, Theorem 4.5", note)


_CURVES: tuple[Callable[[Problem, int], Bound], ...] = (
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

    For a mask these are curves that were published for masks; those for all pairs say nothing about it.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.

    Examples
    --------
    >>> [curve.name for curve in published_curves(Problem.square(1024, 64), 1000)]
    ['Saha-Ye', 'fast multiplication', 'FlashAttention']
    >>> [curve.name for curve in published_curves(Problem(9, 9, 4, 4, pass_name="backward"), 16)]
    ['Li et al.', 'FlashAttention', 'standard attention']
    >>> [curve.name for curve in published_curves(Problem.square(1024, 64, mask="causal"), 1000)]
    ['Li et al., worst pattern', 'block-sparse FlashAttention']
    """
    require_words(M)
    if problem.pass_name == "weights":
        return [li_et_al_gradient(problem.Nq, problem.d, M)]
    curves = []
    for curve in _CURVES:
        try:
            curves.append(curve(problem, M))
        except BoundDoesNotApply:
            continue
    return curves


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
    require_forward(problem, "AttenIO's count")
    require_all_pairs(problem, "AttenIO's count")
    z, d = _equal_dimensions(problem, M, "AttenIO's count")
    if problem.Nq != problem.Nk:
        raise BoundDoesNotApply(
            f"AttenIO's count is published for as many keys as queries, not {problem.Nk} and {problem.Nq}"
        )
    if 3 * d + 4 > M:
        raise BoundDoesNotApply(f"AttenIO's order needs one row to fit, M >= 3d + 4 = {3 * d + 4}; M is {M}")
    return 2 * problem.Nq * d + Fraction(4 * z * d * (d + 2), M - d)


def _equal_dimensions(problem: Problem, M: int, statement: str) -> tuple[int, int]:
    """Return the number of pairs and the head dimension, after the checks."""
    require_words(M)
    if problem.dv != problem.d:
        raise BoundDoesNotApply(
            f"{statement} is published for dv = d, not for d = {problem.d}, dv = {problem.dv}"
        )
    return problem.pairs, problem.d


def _dao_theorem(problem: Problem) -> str:
    return "Theorem 2" if problem.pass_name == "forward" else "Theorem 5"


def _curve(name: str, value: float, source: str, note: str) -> Bound:
    return Bound(name, value, "asymptotic", source, rules="as published", note=note)
