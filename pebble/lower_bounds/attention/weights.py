"""The compulsory bound of the gradient of the weights."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.domain import require_words

__all__ = ["compulsory_weights"]


def compulsory_weights(problem: Problem, M: int) -> Bound:
    """Every word of A1, A2, A3, E, X and Y loaded and every word of g stored at least once: 4Nd + 3d².

    Each input has a path to an output and can become red only by a load; each output can become blue only by a
    store. No better bound with a constant is proved here for this computation.

    Raises
    ------
    BoundDoesNotApply
        If the problem is not the gradient of the weights.

    Examples
    --------
    >>> compulsory_weights(Problem.square(10, 3, pass_name="weights"), 50).value
    147
    """
    require_words(M)
    if problem.pass_name != "weights":
        raise BoundDoesNotApply(
            f"4Nd + 3d² is for the gradient of the weights, not the {problem.pass_name} pass"
        )
    N, d = problem.Nq, problem.d
    return Bound("compulsory", 4 * N * d + 3 * d * d, "proved", "docs/backward.md")
