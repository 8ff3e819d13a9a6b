"""How many words there are at some moment of a pebbling that must be in fast memory then, or move once more.

Of attention in which every query sees every key. The proofs are in docs/proofs/large-cache.md.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

__all__ = ["needed_again", "needed_again_backward", "others_begun"]

_MOST_TAUS = 4096
"""So many values of τ are tried at most; every value gives a bound."""

_MOST_PARAMETERS = 24
"""So many values of each parameter of the backward pass are tried, the greatest among them."""


@lru_cache(maxsize=1024)
def needed_again(queries: int, keys: int, d: int, dv: int) -> tuple[int, int, int]:
    """Return the words that are needed again at a moment of a forward pass, with the best τ and σ.

    Parameters
    ----------
    queries, keys : int
        At least one query and two keys.
    d, dv : int
        Head dimensions.

    Notes
    -----
    For each τ the three terms are linear in σ, so their minimum is greatest at an end or next to where two meet.

    Examples
    --------
    >>> needed_again(4096, 4096, 64, 64)
    (516096, 64, 64)
    """
    most_tau, most_sigma = min(d, queries), min(d, keys - 1)
    taus = range(most_tau, 0, -(-most_tau // _MOST_TAUS) * -1)
    return max(
        (_least_term(queries, keys, dv, tau, sigma), tau, sigma)
        for tau in taus
        for sigma in _sigmas(queries, keys, dv, tau, most_sigma)
    )


def _least_term(queries: int, keys: int, dv: int, tau: int, sigma: int) -> int:
    return min(
        (queries - tau + 1) * (dv + sigma),
        (queries - tau) * sigma + tau * (keys - sigma),
        (tau + dv) * (keys - sigma),
    )


def _sigmas(queries: int, keys: int, dv: int, tau: int, most: int) -> set[int]:
    """Return the values of σ among which the best for a τ is: both ends, and next to where two terms meet."""
    terms = (
        ((queries - tau + 1) * dv, queries - tau + 1),
        (tau * keys, queries - 2 * tau),
        ((tau + dv) * keys, -tau - dv),
    )
    found = {1, most}
    for place, (at_zero, slope) in enumerate(terms):
        for other_at_zero, other_slope in terms[:place]:
            if slope != other_slope:
                meet = (other_at_zero - at_zero) // (slope - other_slope)
                found |= {min(max(one, 1), most) for one in (meet, meet + 1)}
    return found


@lru_cache(maxsize=1024)
def needed_again_backward(queries: int, keys: int, d: int, dv: int) -> tuple[int, int, int]:
    """Return the words that are needed again at a moment of a backward pass, with a good τ and σ.

    Parameters
    ----------
    queries, keys : int
        At least one of each.
    d, dv : int
        Head dimensions.

    Examples
    --------
    >>> needed_again_backward(4096, 4096, 64, 64)
    (766016, 128, 128)
    """
    taus, sigmas = _parameters(min(d + dv, queries)), _parameters(min(d + dv, keys))
    return max(
        (
            min(
                others_begun(queries, keys, d, tau, sigma, taus[0])[0],
                others_begun(keys, queries, d, sigma, tau, sigmas[0])[0],
            ),
            tau,
            sigma,
        )
        for tau, sigma in product(taus, sigmas)
    )


def _parameters(most: int) -> list[int]:
    """Return the values of a parameter to try, the greatest first."""
    return list(range(most, 0, -(-most // _MOST_PARAMETERS) * -1))


def others_begun(lines: int, others: int, d: int, tau: int, sigma: int, most: int) -> tuple[int, int]:
    """Return the greater of two sums over their own parameter, up to ``most``, and that parameter.

    A line is a query, and the others are keys, or the other way round.

    >>> others_begun(4096, 4096, 64, 128, 128, 128)
    (766016, 66)
    """
    begun = (lines - tau + 1) * sigma
    meet = d * (lines + 1) // (d + others - sigma)
    return max(
        (begun + min(d * (lines - own + 1), (others - sigma) * own), own)
        for own in (min(max(one, 1), most) for one in (meet, meet + 1))
    )
