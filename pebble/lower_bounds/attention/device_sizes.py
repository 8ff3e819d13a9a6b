"""Attention on several devices, as its lower bounds see it: sizes, heads, and how many pairs there are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.lower_bounds.requirements import require_sizes
from pebble.lower_bounds.rounding import floor_root, sqrt_above, sqrt_below

__all__ = ["DeviceSizes", "least_words", "most_products", "small_tile_words"]


@dataclass(frozen=True)
class DeviceSizes:
    """Self-attention of N tokens whose inputs and outputs are shared out evenly over P devices.

    Parameters
    ----------
    N, d, P : int
        Tokens, head dimension (of V too), devices.
    heads, kv_heads : int
        Query heads, and heads of keys and values that they share evenly.
    pairs : int
        Pairs of a query and a key, of one query head.
    pass_name : {"forward", "backward"}
    dv : int, optional
        Head dimension of V, if it is not d.

    Raises
    ------
    InvalidInput
        If a size is not a positive whole number, or the heads are not shared evenly.
    """

    N: int
    d: int
    P: int
    heads: int
    kv_heads: int
    pairs: int
    pass_name: str = "forward"
    dv: int | None = None

    def __post_init__(self) -> None:
        require_sizes(
            N=self.N, d=self.d, P=self.P, heads=self.heads, kv_heads=self.kv_heads, pairs=self.pairs
        )
        if self.heads % self.kv_heads:
            raise InvalidInput(f"{self.heads} query heads cannot share {self.kv_heads} heads of keys evenly")

    @property
    def group(self) -> int:
        """How many query heads share a head of keys."""
        return self.heads // self.kv_heads

    @property
    def products(self) -> int:
        """Products P[i,j]·V[j,e] of all heads, or in the backward pass those of dV, dK and dQ."""
        return self.heads * self.pairs * self.d * (1 if self.pass_name == "forward" else 3)

    @property
    def row_words(self) -> int:
        """Words of a token's inputs and outputs, of all heads; row sums are left out."""
        of_queries, of_keys = (2, 2) if self.pass_name == "forward" else (3, 4)
        return (of_queries * self.heads + of_keys * self.kv_heads) * self.d

    def require(self, pass_name: str, bound: str) -> None:
        """Check that a bound is asked for its pass, with dv = d.

        Raises
        ------
        BoundDoesNotApply
            If it is not.
        """
        if self.pass_name != pass_name:
            raise BoundDoesNotApply(f"{bound} is proved for the {pass_name} pass")
        if self.dv not in (None, self.d):
            raise BoundDoesNotApply(f"{bound} is proved for dv = d; here dv = {self.dv} and d = {self.d}")

    def require_equal_shares(self, bound: str) -> None:
        """Check that every device owns equally many tokens.

        Raises
        ------
        BoundDoesNotApply
            If P does not divide N.
        """
        if self.N % self.P:
            raise BoundDoesNotApply(
                f"{bound} needs equally many tokens on every device: P = {self.P} does not divide N = {self.N}"
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
