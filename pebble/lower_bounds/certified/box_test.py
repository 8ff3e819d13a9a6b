"""What docs/proofs/BoxTest.v computes at a box, in whole numbers: whether multipliers prove a constant there.

Every function has the name of its definition in Coq. A certificate that passes here is one that Coq accepts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pebble.lower_bounds.certified.parameters import SCALE

__all__ = ["UNIT", "BoxTest", "Multipliers", "WholeBox", "t3_multipliers", "t4_multipliers"]

UNIT = 1000
"""Leaves tell their multipliers in so many parts of :data:`SCALE`."""


class Multipliers(NamedTuple):
    """Price, t, the shares σ and ζ, ξ, e₁ and e₂ of docs/bounds-t4.md, section 3, times :data:`SCALE`."""

    price: int
    held: int
    capped: int
    resident: int
    paid: int
    first: int
    second: int


class WholeBox(NamedTuple):
    """Opposite corners in x, in the part y of x in whole rows, and in u, times :data:`SCALE`."""

    x: tuple[int, int]
    y: tuple[int, int]
    u: tuple[int, int]

    def halves(self, axis: int) -> tuple[WholeBox, WholeBox]:
        """Split at the middle, rounded down."""
        low, high = self[axis]
        middle = (low + high) // 2
        lower, upper = list(self), list(self)
        lower[axis], upper[axis] = (low, middle), (middle, high)
        return WholeBox(*lower), WholeBox(*upper)


def t3_multipliers(l: int, t: int) -> Multipliers:  # noqa: E741 - the letter of the page and of Coq
    """Return what a leaf of T3 tells."""
    return Multipliers(UNIT * l, UNIT * t, 0, SCALE, SCALE, SCALE, 0)


def t4_multipliers(l: int, t: int, sg: int, zt: int, xi: int) -> Multipliers:  # noqa: E741
    """Return what a leaf of T4 tells, ξ being neither 0 nor 1."""
    zt, xi = UNIT * zt, UNIT * xi
    return Multipliers(
        UNIT * l, UNIT * t, UNIT * sg, zt, xi, _up(zt * zt, xi), _up((SCALE - zt) ** 2, SCALE - xi)
    )


def _up(a: int, b: int) -> int:
    return -(-a // b)


class BoxTest:
    """The test of boxes for one row.

    Parameters
    ----------
    scaled : mapping of str to int
        The row's parameters times :data:`SCALE`.
    """

    def __init__(self, scaled: Mapping[str, int]) -> None:
        names = ("mu", "tau", "gamma", "delta", "beta", "W")
        self._mu, self.tau, self._gamma, delta, self._beta, self._W = (scaled[name] for name in names)
        self._never = SCALE + delta
        self._never_2 = _up(self._never**2, SCALE)

    def empty(self, box: WholeBox) -> bool:
        """Tell whether the box holds no segment of weight tau."""
        return self.tau < 2 * box.x[0] + box.u[0]

    def proves(self, m: Multipliers, box: WholeBox, ends: tuple[tuple[int, int], ...]) -> bool:
        """Tell whether the multipliers bound the work on the box by W, given what is in whole rows at its ends."""
        if not self._shares(m) or any(low >= high for low, high in (box.x, box.u)):
            return False
        left = [self._left_at(m, u) for u in box.u]
        return min(left) > 0 and all(
            self._corner(m, x, u, slope)
            for end in ends
            for u, L in zip(box.u, left, strict=True)
            for slope in (self._slope_at(m, L, u, *end),)
            for x in box.x
        )

    @staticmethod
    def _shares(m: Multipliers) -> bool:
        return (
            m.price > 0
            and SCALE <= m.held <= 2 * SCALE
            and all(0 <= share <= SCALE for share in (m.capped, m.resident, m.paid))
            and m.resident**2 <= m.paid * m.first
            and (SCALE - m.resident) ** 2 <= (SCALE - m.paid) * m.second
        )

    def _left_at(self, m: Multipliers, u: int) -> int:
        pairs = _up((m.first + m.second) * u, 4 * m.price)
        begun = _up((SCALE - m.resident) * self._never, SCALE)
        return min(
            m.price - pairs,
            m.held * m.price // SCALE - _up(self._never_2 * pairs, SCALE),
            self._gamma * m.price // SCALE - begun,
        ) - _up(self._beta * m.capped, SCALE)

    def _slope_at(self, m: Multipliers, L: int, u: int, y1: int, y2: int) -> int:
        rest = _up(self._beta * (SCALE - m.capped), SCALE)
        root = _up(rest * (SCALE - y1), SCALE)
        pairs = _up(self._never_2 * _up(m.first * u, 4 * m.price), SCALE)
        return _up(rest * y1, SCALE) + _up(root * root, 4 * L) + _up(pairs * y2 * y2, SCALE**2)

    def _corner(self, m: Multipliers, x: int, u: int, slope: int) -> bool:
        room = self.tau * SCALE + (m.held - SCALE) * self._mu - 2 * x * SCALE - m.held * u
        return m.price * room + slope * x * x <= self._W * SCALE**2
