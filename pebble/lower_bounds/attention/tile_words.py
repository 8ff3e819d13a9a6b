"""What lower bounds for several devices are made of: products, and the words that take part in some."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.shared_problem import SharedProblem
from pebble.lower_bounds.rounding import floor_root, sqrt_above, sqrt_below

if TYPE_CHECKING:
    from pebble.computations.shared_problem import SharedProblem


def products_of(problem: SharedProblem) -> int:
    """Return the products P[i,j]·V[j,e] of all heads, or in the backward pass those of dV, dK and dQ."""
    return problem.heads * problem.pairs * pair_products(problem)


def pair_products(problem: SharedProblem) -> int:
    """Return how many products a pair of a query and a key has: dv, or three times the lesser of d and dv."""
    return problem.width if problem.pass_name == "forward" else 3 * min(problem.d, problem.width)


def row_words(problem: SharedProblem, queries: int = 1, keys: int = 1) -> int:
    """Return the words of some queries' and keys' inputs and outputs, of all heads; row sums are left out."""
    if problem.pass_name == "forward":
        return (problem.heads * queries + problem.kv_heads * keys) * (problem.d + problem.width)
    return (3 * problem.heads * queries + 4 * problem.kv_heads * keys) * min(problem.d, problem.width)


def require(problem: SharedProblem, pass_name: str, bound: str) -> None:
    """Check that a bound is asked for its pass."""
    if problem.pass_name != pass_name:
        raise BoundDoesNotApply(f"{bound} is proved for the {pass_name} pass")


def require_equal_shares(problem: SharedProblem, bound: str) -> None:
    """Check that every device owns equally many tokens."""
    if problem.queries_decoded is not None:
        raise BoundDoesNotApply(f"{bound} needs the same number of queries on every device")
    for name, tokens in (("N", problem.N), ("Nq", problem.query_count)):
        if tokens % problem.P:
            raise BoundDoesNotApply(
                f"{bound} needs the same number of tokens on every device, but P = {problem.P} does not "
                f"divide {name} = {tokens}"
            )


def least_words(w: Fraction | int, d: int) -> Fraction:
    """Return G(w) = min(3·w^(2/3), 4·√(dw)), rounded down in the twentieth digit.

    So many words of inputs, received pairs and outputs take part in w products.

    >>> least_words(8, 100), least_words(10**6, 1)
    (Fraction(12, 1), Fraction(4000, 1))
    """
    return min(small_tile_words(Fraction(w)), sqrt_below(16 * d * Fraction(w)))


def most_products(T: Fraction | int, d: int) -> Fraction:
    """Return F(T) = max((T/3)^(3/2), T²/16d), the inverse of G, rounded up.

    >>> most_products(12, 100), most_products(4000, 1)
    (Fraction(8, 1), Fraction(1000000, 1))
    """
    T = Fraction(T)
    return max(sqrt_above((T / 3) ** 3), T * T / (16 * d))


def small_tile_words(w: Fraction) -> Fraction:
    """Return 3·w^(2/3), the branch of G for small tiles, rounded down in the twentieth digit."""
    scale = 1 << 64
    cube = 27 * w * w
    return Fraction(floor_root(cube.numerator * scale**3 // cube.denominator, 3), scale)


def received_at_least(problem: SharedProblem, products: Fraction) -> Fraction:
    """Return Φ(w): the least of Σ over heads of keys of max(0, G_g(w_h) − own), with Σ w_h = w and w_h ≤ g·z·dv.

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
    queries, keys = problem.tokens_each
    whole = Fraction(problem.group * problem.pairs * problem.width)
    own = (problem.group * queries + keys) * (problem.d + problem.width)
    free = min(whole, _free(problem, own))
    more = products - problem.kv_heads * free
    if more <= 0:
        return Fraction(0)
    whole_heads = min(int(more / (whole - free)), problem.kv_heads - 1)
    rest = more - whole_heads * (whole - free) + free
    return whole_heads * (_of_head(problem, whole) - own) + max(Fraction(0), _of_head(problem, rest) - own)


def _of_head(problem: SharedProblem, w: Fraction) -> Fraction:
    """Return G_g(w), rounded down: of a head of keys there are only N·dv words of V."""
    N, d, dv = problem.N, problem.d, problem.width
    if w <= N * N * dv:
        return least_words(w, d)
    whole_values = 2 * N * sqrt_below(d * dv) + 2 * w / N * sqrt_below(Fraction(d, dv))
    return min(small_tile_words(w), whole_values)


def _free(problem: SharedProblem, own: int) -> Fraction:
    """Return the most w with G_g(w) ≤ own, rounded up."""
    N, d, dv = problem.N, problem.d, problem.width
    small = sqrt_above(Fraction(own, 3) ** 3)
    large = Fraction(own * own, 16 * d)
    if large > N * N * dv:
        large = (own - 2 * N * sqrt_below(d * dv)) * N * sqrt_above(Fraction(dv, d)) / 2
    return max(small, large)
