"""The compulsory bound: every input is loaded and every output stored at least once."""

from __future__ import annotations

from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.domain import require_forward, require_words

__all__ = ["compulsory", "compulsory_words", "outputs"]


def outputs(problem: Counts) -> int:
    """Words of output of one forward copy: O, and the row sums if they are kept.

    >>> from pebble.computations.problem import Problem
    >>> outputs(Problem.square(4, 2)), outputs(Problem.square(4, 2, stats=True))
    (8, 12)
    """
    return problem.queries * (problem.dv + (1 if problem.stats else 0))


def compulsory_words(problem: Counts) -> int:
    """Words of input and output of one forward copy.

    >>> from pebble.computations.problem import Problem
    >>> compulsory_words(Problem.square(4, 2))
    32
    """
    inputs = problem.queries * problem.d + problem.keys * (problem.d + problem.dv)
    return inputs + outputs(problem)


def compulsory(problem: Counts, M: int) -> Bound:
    """Every input loaded and every output stored at least once.

    Each entry of Q, K and V has a path to an output and can become red only by a load; each entry of O (and
    with ``stats`` each row sum) can become blue only by a store. This is the greatest of several bounds, not
    a term to add to another one. Under a mask Nq and Nk are the queries and the keys that have a pair.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, any shape.
    M : int
        Words of fast memory; the bound does not depend on it.

    Returns
    -------
    Bound
        ``Nq d + Nk d + Nk dv + Nq dv`` words, and ``Nq`` more with ``stats``.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> compulsory(Problem.square(1024, 64), 1000).value == 4 * 1024 * 64
    True
    """
    require_words(M)
    require_forward(problem, "the compulsory bound")
    return Bound("compulsory", compulsory_words(problem), "proved", "docs/bounds.md, compulsory")
