"""A published curve: an expression under a Θ or Ω, stated for dv = d."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound

__all__ = ["DAO", "LI", "curve", "pairs_and_dimension", "require_between_row_and_matrix"]

DAO = "Dao et al. 2022, arXiv:2205.14135"
LI = "Li, Liang, Shi, Song & Zhou 2024, arXiv:2410.09397"


def pairs_and_dimension(problem: Problem, M: int, statement: str) -> tuple[int, int]:
    """Return the number of pairs and the head dimension, once M and ``dv = d`` are checked.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If ``dv`` differs from ``d``.
    """
    M = fast_memory_words(M)
    if problem.dv != problem.d:
        raise BoundDoesNotApply(
            f"{statement} is published for dv = d, not for d = {problem.d}, dv = {problem.dv}"
        )
    return problem.pairs, problem.d


def require_between_row_and_matrix(problem: Problem, M: int, statement: str) -> None:
    """Check that M is from d to N d, for which FlashAttention's theorems are stated.

    Raises
    ------
    BoundDoesNotApply
        If it is not.
    """
    d = problem.d
    most = min(problem.Nq, problem.Nk) * d
    if not d <= M <= most:
        raise BoundDoesNotApply(f"{statement} is stated for d <= M <= N d, here {d} <= M <= {most}; M is {M}")


def curve(name: str, value: float, source: str, note: str) -> Bound:
    """Return a curve's value, of a status that keeps it out of every assertion."""
    return Bound(name, value, "asymptotic", source, rules="as published", note=note)
