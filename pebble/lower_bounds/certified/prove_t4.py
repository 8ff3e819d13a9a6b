"""Proofs of the constants of T4: branch and bound with every rounding error accounted for.

A constant W of :class:`.t4.T4Row` claims that the weighted work of a segment, a function f of seven amounts
(:class:`T4Segment`), is at most W wherever the segment's weight is at most tau. :func:`certify_t4` proves
the claim, or finds a segment that refutes it. ``python -m pebble.lower_bounds.certified.prove_t4`` proves every row.

Once x, h and u are fixed, f is at most a concave function of the rest, so that
:mod:`~pebble.lower_bounds.certified.multipliers` bounds a box of these three. The method, with the argument that
rounding cannot hurt, is in ``docs/bounds-t4.md``, section 3.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import (
    SAFETY,
    SLACK,
    ConstantProof,
    Reals,
    prove_all,
    prove_constant,
)
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers, MultiplierSearch, climb, last
from pebble.lower_bounds.certified.prove_t3 import T3Segment, fitting
from pebble.lower_bounds.certified.t4 import T4Row, t4_rows

__all__ = ["T4Search", "T4Segment", "certify_t4", "main", "much_work_t4", "t4_segment_work"]


@dataclass(frozen=True)
class T4Segment(T3Segment):
    """What a segment touches, in units of d².

    Parameters
    ----------
    whole : float or ndarray
        Between 0 and 1: the part of x that lies in whole rows of Q and K (h = whole·x).
    """

    whole: Any


def t4_segment_work(row: T4Row, segment: T4Segment) -> Any:
    """Upper bound f on the weighted work of a segment, in units of d³ (floats, no directed rounding)."""
    s, never_stored = segment, 1 + float(row.delta)
    h = s.whole * s.x
    chains = s.cs + s.cn + s.fresh
    on_S = np.minimum(chains, np.sqrt(chains) * (s.x - h) + s.x * h)
    charged = s.cs + never_stored**2 * s.cn
    resident = np.sqrt((charged + never_stored**2 * h * h) * s.u * s.v)
    begun = np.sqrt(charged * s.u * s.v) + never_stored * s.fresh
    return float(row.beta) * on_S + np.minimum(resident, begun)


_SCARCE, _CAPPED, _RESIDENT, _PAID = range(1, 5)  # t − 1, σ, ζ and ξ, after the price
_NOTHING = T4Segment(*[0.0] * 7)


class T4Search(MultiplierSearch[T4Row, T4Segment]):
    """Boxes of (x, h/x, u); any shares give a bound."""

    start = (1.0, 0.5, 0.2, 0.5, 0.5)
    exclusive = ()

    def __init__(
        self, row: T4Row, rng: np.random.Generator, attained: float = 0.0, witness: T4Segment = _NOTHING
    ) -> None:
        super().__init__(row, attained, witness, rng)
        self.scale = np.array([[2.0], [0.1 * float(row.tau)], [1.0]])  # the weight has 2x
        self._tau, self._mu, self._beta, self._never_stored = (
            math.nextafter(float(value), math.inf) for value in (row.tau, row.mu, row.beta, 1 + row.delta)
        )
        self._gamma = math.nextafter(float(row.gamma), 0.0)

    @property
    def shares(self) -> tuple[int, ...]:
        """All four."""
        return _SCARCE, _CAPPED, _RESIDENT, _PAID

    @property
    def upper_corner(self) -> Reals:
        """X weighs twice its number, u its number."""
        return np.array([[self._tau / 2], [1.0], [self._tau]])

    def empty(self, boxes: BoxesWithMultipliers) -> NDArray[np.bool_]:
        """Tell which boxes have 2x + u above tau everywhere."""
        empty: NDArray[np.bool_] = 2 * boxes.lo[0] + boxes.lo[2] > self._tau * SAFETY
        return empty

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/bounds-t4.md, section 3, at the corners, and whether its conditions hold at the last."""
        x, whole, u = corners
        price, scarce, capped, resident, paid = multipliers
        D, full = self._never_stored, price * (1 - SLACK)
        held, paid = full * (1 + scarce), np.clip(paid, 1e-6, 1 - 1e-6)
        with_rows, without = resident**2 / paid, (1 - resident) ** 2 / (1 - paid)
        pairs = (with_rows + without) * u * (0.25 / full)
        left = np.minimum(full - pairs, held - D * D * pairs)
        left = np.minimum(left, self._gamma * full - (1 - resident) * D) - capped * self._beta
        rest = (1 - capped) * self._beta
        bound = price * (self._tau + scarce * self._mu - 2 * x - (1 + scarce) * u)
        bound = bound + price * (2 * self._tau + self._mu) * SLACK
        bound = bound + rest * (x * x) * whole + (rest * x * (1 - whole)) ** 2 * 0.25 / left
        bound = bound + with_rows * (D * whole * x) ** 2 * u * (0.25 / full)
        return bound, last(left) > 0


def much_work_t4(row: T4Row, rng: np.random.Generator, rounds: int = 1500) -> tuple[float, T4Segment]:
    """Look for a segment that does much work: random segments, and random steps that help."""
    start = rng.dirichlet(np.full(7, 0.5), 300).T
    start[-1] = rng.random(300)

    def fitted(parts: Reals) -> tuple[Reals, Reals]:
        parts = np.concatenate([fitting(row, parts[:-1]), np.clip(parts[-1:], 0.0, 1.0)])
        return parts, t4_segment_work(row, T4Segment(*parts))

    work, parts = climb(fitted, start, float(row.tau), rng, rounds)
    return work, T4Segment(*(float(value) for value in parts))


def certify_t4(
    row: T4Row, max_boxes: int = 200_000, rng: np.random.Generator | None = None
) -> ConstantProof[T4Row, T4Segment]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    row : T4Row
        The parameters and the constant W.
    max_boxes : int
        Give up after so many boxes.
    rng : numpy.random.Generator, optional
        Where the search begins and goes; a fixed one by default, so that runs are alike. A proof is a proof
        whatever it is.

    Returns
    -------
    ConstantProof
        Only the verdict ``"proved"`` makes the constant usable.

    Examples
    --------
    >>> from dataclasses import replace
    >>> row = t4_rows()[-1]
    >>> certify_t4(replace(row, W=row.W * 2)).verdict, certify_t4(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    rng = np.random.default_rng(0) if rng is None else rng
    return prove_constant(T4Search(row, rng, *much_work_t4(row, rng)), max_boxes)


def main() -> int:
    """Prove the constant of every row of the package; return 0 if all are proved, else 1."""
    return prove_all(t4_rows(), certify_t4)


if __name__ == "__main__":
    sys.exit(main())
