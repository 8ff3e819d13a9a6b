"""The compulsory bounds: every input is loaded and every output stored at least once.

Each input has a path to an output, and only a load makes it red; an output becomes blue only by a store. These are the
greatest of several bounds, not terms to add to another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound, Statement, in_any_order
from pebble.lower_bounds.requirements import Counts

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

COMPULSORY = Statement(
    "compulsory",
    "I/O ≥ (inputs that some computed output depends on) + (outputs that are not inputs)",
    "any DAG; 4Nd for a square forward pass, 8Nd + N for a backward pass, 4Nd + 3d² for the gradient of the weights",
    "docs/proofs/forward.md, compulsory",
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


def compulsory_attention(problem: Counts, M: int) -> Bound:
    """Every word of input loaded and every word of output stored at least once.

    ``(Nq + Nk) (d + dv)`` words of a forward pass, and ``Nq`` more with ``stats``; ``2 (Nq + Nk) (d + dv) + Nq`` of a
    backward pass; ``4 N d + 3 d²`` of the gradient of the weights. Under a mask Nq and Nk are the queries and the keys
    that have a pair.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> problems = Problem.square(1024, 64), Problem(4, 4, 2, 2, pass_name="backward")
    >>> [compulsory_attention(problem, 1000).value for problem in problems]
    [262144, 68]
    """
    fast_memory_words(M)
    words = compulsory_words(problem)
    if problem.pass_name == "weights":
        return COMPULSORY.bound(words, source="docs/computation.md", status="proved")
    backward = problem.pass_name == "backward"
    bound = COMPULSORY.bound(words, source="docs/proofs/backward.md, compulsory" if backward else None)
    return in_any_order(bound, problem.sums, problem.sum_width)


def compulsory_family(problem: Problem, M: int) -> Bound:
    """Every input loaded and every output stored at least once, of any computation in which each input is needed.

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
