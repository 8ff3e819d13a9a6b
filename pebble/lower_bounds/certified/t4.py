"""T4: T3 with the rows of Q and K kept together, for a forward pass with dv at most d.

The statement and a complete proof are in ``docs/bounds-t4.md``. The constants W are proved by
:mod:`pebble.lower_bounds.certified.prove_t4`; nothing in this module uses floating point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.t3 import T3, T3Row, forward_bound_of
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.statement import Statement

__all__ = ["T4", "T4Row", "t4", "t4_rows"]

T4 = Statement(
    "T4",
    T3.says,
    "attention, forward pass with dv ≤ d, any sizes and any mask; M small enough for a row; W proved by branch "
    "and bound",
    "docs/bounds-t4.md, constants by pebble.lower_bounds.certified.prove_t4",
    status="machine-checked",
    after=T3.after,
)


@dataclass(frozen=True)
class T4Row(T3Row):
    """One set of parameters of T4: those of T3, with another function that W bounds."""

    bound: ClassVar[str] = T4.name
    statement: ClassVar[Statement] = T4

    def value(self, problem: Counts, M: int) -> tuple[int, int] | None:
        """Return the bound and its number of segments, or None if the row gives nothing."""
        return super().value(problem, M) if problem.dv <= problem.d else None


@cache
def t4_rows() -> tuple[T4Row, ...]:
    """Return the rows of T4 that come with the package, by ascending mu.

    Examples
    --------
    >>> [str(row) for row in t4_rows() if row.mu == 1]
    ['mu = 1, T = ...·d², W = ...·d³']
    """
    return T4Row.load()


def t4(problem: Counts, M: int) -> Bound:
    """Lower bound T4 on the loads plus stores of one copy of a forward pass.

    It holds under all rules: the proof uses neither the ban on sliding nor recomputation.

    Parameters
    ----------
    problem : Problem
        One head of one batch element with dv at most d; ``heads`` and ``batch`` are ignored. Any Nq, Nk and mask.
    M : int
        Words of fast memory, at most mu·d² for the largest mu of :func:`t4_rows`.

    Returns
    -------
    Bound
        As for :func:`~pebble.lower_bounds.certified.t3.t3`.

    Raises
    ------
    BoundDoesNotApply
        If it is no forward pass, if dv is above d, if M is larger than the largest row serves, or if the problem is
        so small that one segment could hold all of its work.
    InvalidInput
        If M is no positive whole number.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = t4(Problem.square(100_000, 128), 128**2)
    >>> bound.status, 3.36 < bound.value / 100_000**2 < 3.40
    ('machine-checked', True)
    """
    if problem.dv > problem.d:
        raise BoundDoesNotApply(
            f"T4 is proved for dv at most d, not for d = {problem.d} and dv = {problem.dv}: use T3"
        )
    return forward_bound_of(t4_rows(), problem, M, instead="T3")
