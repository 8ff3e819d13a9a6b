"""What the literature states of attention under a mask, as asymptotic curves."""

from __future__ import annotations

import math

from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.published.curve import (
    curve,
    pairs_and_dimension,
    require_between_row_and_matrix,
)
from pebble.lower_bounds.references import DAO, LI
from pebble.lower_bounds.requirements import require_mask, require_pass

__all__ = ["BLOCK_SPARSE", "LI_ET_AL_SPARSE", "block_sparse_flash_attention", "li_et_al_sparse"]

BLOCK_SPARSE = curve(
    "block-sparse FlashAttention",
    "I/O = Θ(N·d + N²d²s/M), the cost of an algorithm: no lower bound",
    "attention, forward pass, a mask with the fraction s of its blocks, d ≤ M ≤ N·d, dv = d",
    "Proposition 4",
    DAO,
)
LI_ET_AL_SPARSE = curve(
    "Li et al., worst pattern",
    "I/O = Ω(min(Z_in²/M, Z_in·√Z_QK/√M)) for the worst pattern with so many non-zeros",
    "attention, forward and backward pass, Z_in non-zeros of the inputs and Z_QK of the scores; "
    "no bound for a given mask",
    "Theorem 4.5",
    LI,
)


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
    require_pass(problem, "forward", statement)
    require_mask(problem, statement)
    z, d = pairs_and_dimension(problem, M, statement)
    require_between_row_and_matrix(problem, M, statement)
    value = (problem.Nq + problem.Nk) * d / 2 + z * d * d / M
    note = "Θ, cost of an algorithm; s, a fraction of blocks, is read as the fraction of pairs"
    return BLOCK_SPARSE.bound(value, note)


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
    z, d = pairs_and_dimension(problem, M, "Li et al.'s sparse theorem")
    inputs = math.sqrt(problem.queries * problem.keys) * d
    note = "Ω, the worst pattern with so many non-zeros; this mask may need less"
    value = min(inputs * inputs / M, inputs * math.sqrt(z / M))
    return LI_ET_AL_SPARSE.bound(value, note)
