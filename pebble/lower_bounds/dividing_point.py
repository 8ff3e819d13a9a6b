"""Where small and large fast memory divide, ``M = d²``, and on which side of it a problem is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.requirements import has_all_pairs

__all__ = ["Regime", "regime", "sparse_dividing_point"]


@dataclass(frozen=True)
class Regime:
    """Large or small cache, and how far from the dividing point.

    Parameters
    ----------
    mu : Fraction
        ``M / d²``, exact.
    sparse_mu : Fraction, optional
        For a mask ``M / (Z_in² / Z_QK)``, where ``Z_in² / Z_QK`` is the published dividing point for that many pairs.
    """

    mu: Fraction
    sparse_mu: Fraction | None = None

    @property
    def large_cache(self) -> bool:
        """Whether ``M >= d²``."""
        return self.mu >= 1

    def __str__(self) -> str:
        name = "large cache (M ≥ d²)" if self.large_cache else "small cache (M < d²)"
        text = f"{name}, M/d² = {float(self.mu):.3g}"
        if self.sparse_mu is None:
            return text
        side = "≥" if self.sparse_mu >= 1 else "<"
        return f"{text}; for this number of pairs M {side} Z_in²/Z_QK, M·Z_QK/Z_in² = {float(self.sparse_mu):.3g}"


def regime(problem: Problem, M: int) -> Regime:
    """Return the regime of a problem, by the head dimension ``d`` of Q and K, whatever ``dv`` is.

    The dividing point is where keeping whole rows of Q and K, to make scores at no further cost, becomes
    better than moving scores. A row of ``d`` words makes that decision, and the two forms of T1 cross at a
    multiple of ``d²`` that does not depend on ``dv``. For ``dv = d`` this is the published ``M = d²``; for
    other ``dv`` the best known schedules cross at ``((d + dv) / 2)²``, and no theorem says where they must.
    The published dividing point of the backward pass is ``M = d²`` too (Li et al. 2024), up to a constant.

    Under a mask there is another, ``Z_in² / Z_QK`` (Li et al. 2024), where two forms of a worst case over all
    patterns with that number of pairs meet. Masks made of large blocks still divide at ``d²``; the name goes by ``d²``.

    Examples
    --------
    >>> print(regime(Problem.square(1024, 64), 64 * 64))
    large cache (M ≥ d²), M/d² = 1
    >>> print(regime(Problem.square(1024, 64, mask="window:64"), 64 * 64))
    large cache (M ≥ d²), M/d² = 1; for this number of pairs M < Z_in²/Z_QK, M·Z_QK/Z_in² = 0.0606
    >>> print(regime(Problem.square(1024, 64), 1024))
    small cache (M < d²), M/d² = 0.25
    """
    words = Fraction(fast_memory_words(M))
    dense = has_all_pairs(problem) or problem.attention == "linear"
    sparse = None if dense else words / sparse_dividing_point(problem)
    return Regime(words / problem.d**2, sparse)


def sparse_dividing_point(problem: Problem) -> Fraction:
    """Return ``Z_in² / Z_QK``, where the two forms of :func:`li_et_al_sparse` meet: ``d²`` without a mask.

    Examples
    --------
    >>> sparse_dividing_point(Problem.square(1024, 64)), sparse_dividing_point(Problem.square(63, 64, mask="causal"))
    (Fraction(4096, 1), Fraction(8064, 1))
    """
    return Fraction(problem.queries * problem.keys * problem.d**2, problem.pairs)
