"""All published curves of attention that apply to one problem."""

from __future__ import annotations

from collections.abc import Callable

from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.computations.problem_form import SOFTMAXES
from pebble.lower_bounds.bound import Bound, applicable
from pebble.lower_bounds.published.all_pairs import (
    fast_multiplication,
    flash_attention,
    li_et_al,
    li_et_al_gradient,
    saha_ye,
    standard_attention,
)
from pebble.lower_bounds.published.masked import block_sparse_flash_attention, li_et_al_sparse

__all__ = ["published_curves"]

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

    They are about attention with softmax and values of their own, whose sums have an order; for another computation
    there are none.

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
    M = fast_memory_words(M)
    if problem.form not in SOFTMAXES or problem.sums == "free":
        return []
    if problem.pass_name == "weights":
        return [li_et_al_gradient(problem.Nq, problem.d, M)]
    return applicable(_CURVES, problem, M)
