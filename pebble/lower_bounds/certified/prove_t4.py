"""The search that proves the constants of T4; ``python -m pebble.lower_bounds.certified.prove_t4`` proves every row.

Once x, h and u are fixed, f is at most a concave function of a segment's other amounts. The method, with the argument
that rounding cannot hurt, is in ``docs/proofs/t4.md``, section 3.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import SLACK, Reals, last, prove_all
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row
from pebble.lower_bounds.certified.prove_t3 import ForwardSearch, T3Segment


@dataclass(frozen=True)
class T4Segment(T3Segment):
    """What a segment touches, in units of d².

    Parameters
    ----------
    whole : float or ndarray
        Between 0 and 1: the part of x that lies in whole rows of Q and K (h = whole·x).
    """

    whole: Any

    def work(self, row: T3Row) -> Any:
        """Upper bound f on the weighted work of a segment, in units of d³."""
        s, never_stored = self, 1 + float(row.delta)
        h = s.whole * s.x
        chains = s.cs + s.cn + s.fresh
        on_S = np.minimum(chains, np.sqrt(chains) * (s.x - h) + s.x * h)
        charged = s.cs + never_stored**2 * s.cn
        resident = np.sqrt((charged + never_stored**2 * h * h) * s.u * s.v)
        begun = np.sqrt(charged * s.u * s.v) + never_stored * s.fresh
        return float(row.beta) * on_S + np.minimum(resident, begun)


class T4Search(ForwardSearch):
    """Boxes of (x, h/x, u); the multipliers are the price, t − 1, σ, ζ and ξ, and any shares give a bound."""

    segment = T4Segment
    weighs = (2.0, 0.0, 1.0)
    part = 0.1
    start = (1.0, 0.5, 0.2, 0.5, 0.5)
    most_boxes = 200_000

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/proofs/t4.md, section 3, at the corners, and whether its conditions hold at the last."""
        x, whole, u = corners
        price, scarce, capped, resident, paid = multipliers
        D, full = self._never_stored, price * (1 - SLACK)
        held, paid = full * (1 + scarce), np.clip(paid, 1e-6, 1 - 1e-6)
        with_rows, without = resident**2 / paid, (1 - resident) ** 2 / (1 - paid)
        pairs = (with_rows + without) * u * (0.25 / full)
        left = np.minimum(full - pairs, held - D * D * pairs)
        left = np.minimum(left, self._gamma * full - (1 - resident) * D) - capped * self._beta
        rest = (1 - capped) * self._beta
        bound = price * (self.tau + scarce * self._mu - 2 * x - (1 + scarce) * u)
        bound = bound + price * (2 * self.tau + self._mu) * SLACK
        bound = bound + rest * (x * x) * whole + (rest * x * (1 - whole)) ** 2 * 0.25 / left
        bound = bound + with_rows * (D * whole * x) ** 2 * u * (0.25 / full)
        return bound, last(left) > 0


if __name__ == "__main__":
    sys.exit(prove_all(T4Search, T4Row.load()))
