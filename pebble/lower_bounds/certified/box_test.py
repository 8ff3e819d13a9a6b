"""What docs/proofs/BoxTest.v computes at a box, in integers: whether multipliers prove a constant there.

Every function has the name of its definition in Coq. A certificate that passes here is one that Coq accepts.
"""

from __future__ import annotations

from typing import NamedTuple

from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow

__all__ = ["TOLD_BITS", "BoxTest", "LeafMultipliers", "WholeBox"]

TOLD_BITS = 20
"""A leaf gives its multipliers to this many binary places."""

_SIGNIFICANT_BITS = 24


class LeafMultipliers(NamedTuple):
    """Price, t, the shares σ and ζ, ξ, e₁ and e₂ of docs/proofs/t4.md, section 3, as integers."""

    price: int
    held: int
    capped: int
    resident: int
    paid: int
    first: int
    second: int


class WholeBox(NamedTuple):
    """Opposite corners in x, in the part y of x in whole rows, and in u, as integers."""

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


def _up(a: int, b: int) -> int:
    return -(-a // b)


class BoxTest:
    """The test of boxes for one row; parameters are rounded to the safe side, to integers of 2^-bits.

    Parameters
    ----------
    row : ParameterRow
        A row of T3 or T4.

    Attributes
    ----------
    bits : int
        So many binary places leave W about 24 of its bits.
    one : int
        2^bits.
    root : WholeBox
        It holds all of x and u.
    """

    def __init__(self, row: ParameterRow) -> None:
        scaled = row.scaled
        self.bits = _SIGNIFICANT_BITS + max(0, (SCALE // scaled["W"]).bit_length())
        self.one = 1 << self.bits
        self._mu, self._tau, delta, self._beta = (
            _up(scaled[name] * self.one, SCALE) for name in ("mu", "tau", "delta", "beta")
        )
        self._gamma, self._W = (scaled[name] * self.one // SCALE for name in ("gamma", "W"))
        self._never = self.one + delta
        self._never_2 = self._up_s(self._never**2)
        self.root = WholeBox((0, self._tau // 2 + 1), (0, self.one), (0, self._tau))

    def _up_s(self, a: int) -> int:
        return -(-a >> self.bits)

    def of_t3(self, leaf: tuple[int, ...]) -> LeafMultipliers:
        """Return the multipliers that a leaf of T3 tells: its price and t."""
        l, t = (n << self.bits - TOLD_BITS for n in leaf)
        return LeafMultipliers(l, t, 0, self.one, self.one, self.one, 0)

    def of_t4(self, leaf: tuple[int, ...]) -> LeafMultipliers:
        """Return the multipliers that a leaf of T4 tells: its price, t, σ, ζ, and ξ, which is neither 0 nor 1."""
        l, t, sg, zt, xi = (n << self.bits - TOLD_BITS for n in leaf)
        second = _up((self.one - zt) ** 2, self.one - xi)
        return LeafMultipliers(l, t, sg, zt, xi, _up(zt * zt, xi), second)

    def accepts(self, leaf: tuple[int, ...], box: WholeBox) -> bool:
        """Tell whether a leaf of a tree, of T3 or T4, proves a box."""
        if len(leaf) == 2:
            return self.proves(self.of_t3(leaf), box, ((0, self.one),))
        return self.proves(self.of_t4(leaf), box, tuple((y, y) for y in box.y))

    def empty(self, box: WholeBox) -> bool:
        """Tell whether the box holds no segment of weight tau."""
        return self._tau < 2 * box.x[0] + box.u[0]

    def proves(self, m: LeafMultipliers, box: WholeBox, ends: tuple[tuple[int, int], ...]) -> bool:
        """Tell whether the multipliers bound the work on the box by W.

        Parameters
        ----------
        m : LeafMultipliers
        box : WholeBox
        ends : tuple of pairs of int
            Which parts of x are in whole rows, where work on S and where work on U is counted, at the ends of y.
        """
        if not self._shares(m) or any(low >= high for low, high in box):
            return False
        left = [self._left_at(m, u) for u in box.u]
        return min(left) > 0 and all(
            self._corner(m, x, u, self._slope_at(m, L, u, *end))
            for end in ends
            for u, L in zip(box.u, left, strict=True)
            for x in box.x
        )

    def _shares(self, m: LeafMultipliers) -> bool:
        return (
            m.price > 0
            and self.one <= m.held <= 2 * self.one
            and all(0 <= share <= self.one for share in (m.capped, m.resident, m.paid))
            and m.resident**2 <= m.paid * m.first
            and (self.one - m.resident) ** 2 <= (self.one - m.paid) * m.second
        )

    def _left_at(self, m: LeafMultipliers, u: int) -> int:
        pairs = _up((m.first + m.second) * u, 4 * m.price)
        begun = self._up_s((self.one - m.resident) * self._never)
        never = (m.held * m.price >> self.bits) - self._up_s(self._never_2 * pairs)
        left = min(m.price - pairs, never, (self._gamma * m.price >> self.bits) - begun)
        return left - self._up_s(self._beta * m.capped)

    def _slope_at(self, m: LeafMultipliers, L: int, u: int, y1: int, y2: int) -> int:
        rest = self._up_s(self._beta * (self.one - m.capped))
        root = self._up_s(rest * (self.one - y1))
        pairs = self._up_s(self._never_2 * _up(m.first * u, 4 * m.price))
        return self._up_s(rest * y1) + _up(root * root, 4 * L) + self._up_s(pairs * self._up_s(y2 * y2))

    def _corner(self, m: LeafMultipliers, x: int, u: int, slope: int) -> bool:
        room = self._tau * self.one + (m.held - self.one) * self._mu - 2 * x * self.one - m.held * u
        return m.price * room + slope * x * x <= self._W * self.one**2
