"""The least that a device receives for its share of the products, if it may choose heads as it likes best."""

from __future__ import annotations

from fractions import Fraction

from pebble.computations.shared_problem import SharedProblem
from pebble.lower_bounds.attention.tile_words import least_words, small_tile_words
from pebble.lower_bounds.rounding import sqrt_above

__all__ = ["received_at_least"]


def received_at_least(problem: SharedProblem, products: Fraction) -> Fraction:
    """Return Φ(w): the least of Σ over heads of keys of max(0, G_g(w_h) − (2g+2)nd), with Σ w_h = w and w_h ≤ g·z·d.

    What a head costs is nothing up to a free amount f, and concave from there on; so at the least all heads but one
    have the free amount or are whole.

    Parameters
    ----------
    problem : SharedProblem
        P divides N.
    products : Fraction
        w: products P·V of the device, over all heads.

    Examples
    --------
    >>> received_at_least(SharedProblem(64, 1, 4, 1, 1), Fraction(64**2, 4))
    Fraction(64, 1)
    """
    whole = Fraction(problem.group * problem.pairs * problem.d)
    own = (2 * problem.group + 2) * (problem.N // problem.P) * problem.d
    free = min(whole, _free(problem, own))
    more = products - problem.kv_heads * free
    if more <= 0:
        return Fraction(0)
    whole_heads = min(int(more / (whole - free)), problem.kv_heads - 1)
    rest = more - whole_heads * (whole - free) + free
    return whole_heads * (_of_head(problem, whole) - own) + max(Fraction(0), _of_head(problem, rest) - own)


def _of_head(problem: SharedProblem, w: Fraction) -> Fraction:
    """Return G_g(w), rounded down: of a head of keys there are only N·d words of V."""
    N, d = problem.N, problem.d
    return least_words(w, d) if w <= N * N * d else min(small_tile_words(w), 2 * N * d + 2 * w / N)


def _free(problem: SharedProblem, own: int) -> Fraction:
    """Return the most w with G_g(w) ≤ own, rounded up."""
    N, d = problem.N, problem.d
    small = sqrt_above(Fraction(own, 3) ** 3)
    large = Fraction(own * own, 16 * d)
    return max(small, large if large <= N * N * d else Fraction((own - 2 * N * d) * N, 2))
