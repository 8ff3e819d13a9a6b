"""Which side of the dividing point ``M = d²`` a problem is on."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pebble.lower_bounds.domain import require_words
from pebble.problem import Problem

__all__ = ["Regime", "regime"]


@dataclass(frozen=True)
class Regime:
    """Large or small cache, and how far from the dividing point.

    Parameters
    ----------
    mu : Fraction
        ``M / d²``, exact.
    """

    mu: Fraction

    @property
    def large_cache(self) -> bool:
        """Whether ``M >= d²``."""
        return self.mu >= 1

    def __str__(self) -> str:
        name = "large cache (M ≥ d²)" if self.large_cache else "small cache (M < d²)"
        return f"{name}, M/d² = {float(self.mu):.3g}"


def regime(problem: Problem, M: int) -> Regime:
    """Return the regime of a problem, by the head dimension ``d`` of Q and K, whatever ``dv`` is.

    The dividing point is where keeping whole rows of Q and K, to make scores at no further cost, becomes
    better than moving scores. A row of ``d`` words makes that decision, and the two forms of T1 cross at a
    multiple of ``d²`` that does not depend on ``dv``. For ``dv = d`` this is the published ``M = d²``; for
    other ``dv`` the best known schedules cross at ``((d + dv) / 2)²``, and no theorem says where they must.
    The published dividing point of the backward pass is ``M = d²`` too (Li et al. 2024), up to a constant.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.

    Examples
    --------
    >>> print(regime(Problem.square(1024, 64), 64 * 64))
    large cache (M ≥ d²), M/d² = 1
    >>> print(regime(Problem.square(1024, 64), 1024))
    small cache (M < d²), M/d² = 0.25
    """
    return Regime(Fraction(require_words(M), problem.d**2))
