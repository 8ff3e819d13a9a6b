"""T4: T3 with the rows of Q and K kept together, for a forward pass with dv at most d.

The statement and a complete proof are in ``docs/proofs/t4.md``. The constants W are proved by
:mod:`pebble.lower_bounds.certified.prove_t4`; nothing in this module uses floating point.
"""

from __future__ import annotations

from dataclasses import dataclass

from pebble.common.errors import BoundDoesNotApply
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.certified.parameters import bound_of_rows
from pebble.lower_bounds.certified.t3 import T3, T3Row
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.requirements import require_loads_of_sums
from pebble.lower_bounds.statement import Statement

__all__ = ["T4", "T4Row", "t4"]

T4 = Statement(
    "T4",
    T3.says,
    "attention, forward pass with dv ≤ d, any sizes and any mask; M small enough for a row; W proved by branch "
    "and bound",
    "docs/proofs/t4.md, constants by pebble.lower_bounds.certified.prove_t4",
    status="machine-checked",
    after=T3.after,
)


@dataclass(frozen=True)
class T4Row(T3Row):
    """One set of parameters of T4: those of T3, with another function that W bounds."""

    statement = T4
    instead = "T3"

    def serves(self, problem: Counts) -> bool:
        """Tell whether dv is at most d."""
        return problem.dv <= problem.d


def t4(problem: Counts, M: int) -> Bound:
    """Lower bound T4 on the loads plus stores of one copy of a forward pass with dv at most d.

    Parameters and result are as for :func:`~pebble.lower_bounds.certified.t3.t3`.

    Raises
    ------
    BoundDoesNotApply
        If dv is above d, or as :func:`.bound_of_rows` says.

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
    require_loads_of_sums(problem, "T4")
    return bound_of_rows(T4Row, problem, M)
