"""The search that proves the constants of T3; ``python -m pebble.lower_bounds.certified.prove_t3`` proves every row.

Once x and u are fixed, f is a concave function of a segment's other amounts. The method, with the argument that
rounding cannot hurt, is in ``docs/proofs/t3.md``, section 4.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import SLACK, Reals, last, prove_all
from pebble.lower_bounds.certified.forward_rows import T3Row
from pebble.lower_bounds.certified.multipliers import MultiplierSearch


@dataclass(frozen=True)
class T3Segment:
    """What a segment touches, in units of d²: the six amounts that its work is bounded by.

    Parameters
    ----------
    cs, cn : float or ndarray
        Pairs with a vertex of S or P red at the start or loaded: those ever stored, those never stored.
    fresh : float or ndarray
        Chains of S started, each by its share.
    x : float or ndarray
        Half the number of words of Q and K.
    u, v : float or ndarray
        Chains of U at work, and words of V.
    """

    cs: Any
    cn: Any
    fresh: Any
    x: Any
    u: Any
    v: Any

    def weight(self, row: T3Row) -> Any:
        """Least weight of a segment that touches so much."""
        reloaded = np.maximum(0.0, self.u + self.cn - float(row.mu))
        begun = float(row.gamma) * self.fresh
        return self.cs + self.cn + begun + 2 * self.x + self.u + self.v + reloaded

    def work(self, row: T3Row) -> Any:
        """Upper bound f on the weighted work of a segment, in units of d³."""
        scores = self.x * np.sqrt(self.cs + self.cn + self.fresh)
        pairs = self.cs + (1 + float(row.delta)) ** 2 * (self.cn + self.x * self.x)
        return float(row.beta) * scores + np.sqrt(pairs * self.u * self.v)


class ForwardSearch(MultiplierSearch[T3Row]):
    """What the searches for T3 and T4 have in common: the parameters, and x and u, of which x weighs twice."""

    spread = 0.5

    def __init__(self, row: T3Row, rng: np.random.Generator) -> None:
        super().__init__(row, rng)
        self._mu, self._beta, self._never_stored = (
            math.nextafter(float(value), math.inf) for value in (row.mu, row.beta, 1 + row.delta)
        )
        self._gamma = math.nextafter(float(row.gamma), 0.0)

    def fit(self, parts: Reals) -> Reals:
        """Scale the amounts of :class:`T3Segment` to segments of weight at most tau."""
        tau, mu = float(self.row.tau) * (1 - 1e-12), float(self.row.mu) * (1 - 1e-12)
        cn, u = parts[1], parts[4]
        loose = T3Segment(*parts).weight(self.row) - np.maximum(0.0, u + cn - float(self.row.mu))
        parts = parts * np.minimum(tau / loose, (tau + mu) / (loose + u + cn))
        parts[1] = np.minimum(parts[1], mu)
        return parts


class T3Search(ForwardSearch):
    """Boxes of (x, u); any shares give a bound."""

    segment = T3Segment
    weighs = (2.0, 1.0)
    start = (1.0, 1.0, 0.0)
    most_boxes = 500_000
    decimals = 3

    def price_and_t(self, u: Reals, multipliers: Reals) -> tuple[Reals, Reals]:
        """Return what the multipliers say of a box whose greatest u is given.

        The best price and t often make L nearly 0, so that the multipliers are how far they are from that: what the
        price is above the least one, √u/2, and which part of the room for t is taken; then which part of the rest.
        """
        above, taken, more = multipliers
        price = np.sqrt(u) / 2 + above
        full = price * (1 - SLACK)
        pairs = u * (0.25 / full)
        t = (taken * np.minimum(full - pairs, self._gamma * full) + self._never_stored**2 * pairs) / full
        t = np.clip(t, 1.0, 2.0)
        return price, np.minimum(t + more * (2.0 - t), 2.0)

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/proofs/t3.md, section 4, at the corners, and whether its conditions hold at the last."""
        x, u = corners
        price, t = self.price_and_t(last(u), multipliers)
        D2, full = self._never_stored**2, price * (1 - SLACK)
        pairs = u * (0.25 / full)
        left = np.minimum(np.minimum(full - pairs, self._gamma * full), t * full - D2 * pairs)
        bound = price * (self.tau + (t - 1) * self._mu - 2 * x - t * u)
        bound = bound + price * (2 * self.tau + self._mu) * SLACK
        bound = bound + (self._beta * x) ** 2 * 0.25 / left + D2 * (x * x) * pairs
        return bound, last(left) > 0


if __name__ == "__main__":
    sys.exit(prove_all(T3Search, T3Row.load()))
