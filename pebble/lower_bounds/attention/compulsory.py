"""The compulsory bounds: every input is loaded and every output stored at least once.

Each input has a path to an output, and only a load makes it red; an output becomes blue only by a store. These are the
greatest of several bounds, not terms to add to another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.statement import Statement

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = [
    "COMPULSORY",
    "compulsory_backward",
    "compulsory_family",
    "compulsory_forward",
    "compulsory_weights",
    "compulsory_words",
]

COMPULSORY = Statement(
    "compulsory",
    "I/O ≥ (inputs that some computed output depends on) + (outputs that are no inputs)",
    "any DAG; 4Nd for a square forward pass, 8Nd + N for a backward pass, 4Nd + 3d² for the gradient of the weights",
    "docs/bounds.md, compulsory",
    status="machine-checked",
)


def compulsory_words(problem: Counts) -> int:
    """Words of input and output of one copy of a forward pass, a backward pass, or the gradient of the weights.

    >>> from pebble.computations.problem import Problem
    >>> compulsory_words(Problem.square(4, 2)), compulsory_words(Problem.square(4, 2, stats=True))
    (32, 36)
    """
    lines, d, dv = problem.queries + problem.keys, problem.d, problem.dv
    if problem.pass_name == "weights":
        return 2 * lines * d + 3 * d * d
    if problem.pass_name == "backward":
        return 2 * lines * (d + dv) + problem.queries
    return lines * (d + dv) + problem.queries * problem.stats


def compulsory_forward(problem: Counts, M: int) -> Bound:
    """Every word of Q, K and V loaded, and every word of O, with ``stats`` every row sum, stored at least once.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, any shape and mask.
    M : int
        Words of fast memory; the bound does not depend on it.

    Returns
    -------
    Bound
        ``Nq d + Nk d + Nk dv + Nq dv`` words, and ``Nq`` more with ``stats``. Under a mask Nq and Nk are the
        queries and the keys that have a pair.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> compulsory_forward(Problem.square(1024, 64), 1000).value == 4 * 1024 * 64
    True
    """
    fast_memory_words(M)
    require_pass(problem, "forward", "the compulsory bound")
    return COMPULSORY.bound(compulsory_words(problem))


def compulsory_backward(problem: Counts, M: int) -> Bound:
    """Every word of Q, K, V, dO, O and l loaded, and every word of dQ, dK and dV stored at least once.

    Parameters
    ----------
    problem : Problem
        Backward pass of one copy, any shape and mask.
    M : int
        Words of fast memory; the bound does not depend on it.

    Returns
    -------
    Bound
        ``2 (Nq + Nk) (d + dv) + Nq`` words: ``8 N d + N`` for ``Nq = Nk = N`` and ``dv = d``. Under a mask
        Nq and Nk are the queries and the keys that have a pair.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a backward pass.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> compulsory_backward(Problem(4, 4, 2, 2, pass_name="backward"), 10).value
    68
    """
    fast_memory_words(M)
    require_pass(problem, "backward", "the compulsory bound of the backward pass")
    return COMPULSORY.bound(compulsory_words(problem), source="docs/bounds-backward.md, compulsory")


def compulsory_weights(problem: Counts, M: int) -> Bound:
    """Every word of A1, A2, A3, E, X and Y loaded and every word of g stored at least once: 4Nd + 3d².

    No better bound with a constant is proved here for this computation.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not the gradient of the weights.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> compulsory_weights(Problem.square(10, 3, pass_name="weights"), 50).value
    147
    """
    fast_memory_words(M)
    require_pass(problem, "weights", "4Nd + 3d²")
    return COMPULSORY.bound(compulsory_words(problem), source="docs/backward.md", status="proved")


def compulsory_family(problem: Problem, M: int) -> Bound:
    """Every input loaded and every output stored at least once, of any computation in which each input is needed.

    Parameters
    ----------
    problem : Problem
        One copy, of any form: linear attention, values that are part of the keys, …
    M : int
        Words of fast memory; the bound does not depend on it.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number, or the computation is not known.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> compulsory_family(Problem.square(4, 2), 10).value
    32
    """
    from pebble.computations.registry import family_of

    fast_memory_words(M)
    family = family_of(problem)
    words = sum(family.words_needed(array.name) for array in (*family.inputs, *family.outputs))
    return COMPULSORY.bound(
        words, status="machine-checked" if problem.form in ("latent", "shared-rope") else "proved"
    )
