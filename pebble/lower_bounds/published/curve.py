"""A published curve: an expression under a Θ or Ω, stated for dv = d."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.references import DAO, LI, SAHA_YE, Reference
from pebble.lower_bounds.statement import Statement

__all__ = ["curve", "pairs_and_dimension", "require_between_row_and_matrix", "source_of"]

_SOURCES = {
    DAO.key: "Dao et al. 2022, arXiv:2205.14135",
    LI.key: "Li, Liang, Shi, Song & Zhou 2024, arXiv:2410.09397",
    SAHA_YE.key: "Saha & Ye, ICML 2024, arXiv:2402.07443",
}


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


def curve(name: str, says: str, hypotheses: str, theorem: str, by: Reference) -> Statement:
    """Return the statement of a curve, of a status that keeps it out of every assertion."""
    return Statement(name, says, hypotheses, source_of(by, theorem), "asymptotic", "as published", by)


def source_of(by: Reference, theorem: str) -> str:
    """Return where a theorem of a paper is found."""
    return f"{_SOURCES[by.key]}, {theorem}"
