"""The tests of boxes that Coq makes, in the same integers: BoxTest.v for T3 and T4, B3Certificate.v for B3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product
from typing import Generic, NamedTuple

from pebble.lower_bounds.certified.backward_rows import B3Row
from pebble.lower_bounds.certified.forward_rows import T3Row
from pebble.lower_bounds.certified.parameters import SCALE, AnyRow

TOLD_BITS = 20
"""A leaf of T3 and T4 gives its multipliers to this many binary places."""

SHARE = 1024
"""A leaf of B3 gives its shares in this many parts."""

_SIGNIFICANT_BITS = 24

Leaf = tuple[int, ...]


def _up(a: int, b: int) -> int:
    return -(-a // b)


class WholeBox(tuple[tuple[int, int], ...]):
    """The two ends of each variable of a box, as integers."""

    __slots__ = ()

    def halves(self, axis: int) -> tuple[WholeBox, WholeBox]:
        """Split at the middle, rounded down."""
        low, high = self[axis]
        middle = (low + high) // 2
        lower, upper = list(self), list(self)
        lower[axis], upper[axis] = (low, middle), (middle, high)
        return WholeBox(lower), WholeBox(upper)


class BoxTest(ABC, Generic[AnyRow]):
    """The test of boxes for one row; parameters are rounded to the safe side, to integers of 2^-bits.

    Attributes
    ----------
    bits : int
        So many binary places leave W about 24 of its bits.
    one : int
        2^bits.
    root : WholeBox
        It holds every segment of weight tau.
    """

    root: WholeBox

    def __init__(self, row: AnyRow) -> None:
        self.scaled = row.scaled
        self.bits = _SIGNIFICANT_BITS + max(0, (SCALE // self.scaled["W"]).bit_length())
        self.one = 1 << self.bits
        self._tau, self._gamma, self._W = (
            self._rounded_up("tau"),
            self._rounded_down("gamma"),
            self._rounded_down("W"),
        )

    def _rounded_up(self, name: str) -> int:
        return _up(self.scaled[name] * self.one, SCALE)

    def _rounded_down(self, name: str) -> int:
        return self.scaled[name] * self.one // SCALE

    def _up_s(self, a: int) -> int:
        return -(-a >> self.bits)

    @abstractmethod
    def parameters(self) -> list[str]:
        """Return the row as Coq reads it, but for the unit of its numbers."""

    @abstractmethod
    def accepts(self, leaf: Leaf, box: WholeBox) -> bool:
        """Tell whether a leaf of a tree proves a box."""

    @abstractmethod
    def empty(self, box: WholeBox) -> bool:
        """Tell whether the box holds no segment of weight tau."""


class LeafMultipliers(NamedTuple):
    """Price, t, the shares σ and ζ, ξ, e₁ and e₂ of docs/proofs/t4.md, section 3, as integers."""

    price: int
    held: int
    capped: int
    resident: int
    paid: int
    first: int
    second: int


class ForwardBoxTest(BoxTest[T3Row]):
    """The test for a row of T3 or T4: boxes of x, of the part y of x in whole rows, and of u."""

    def __init__(self, row: T3Row) -> None:
        super().__init__(row)
        self._mu, delta, self._beta = map(self._rounded_up, ("mu", "delta", "beta"))
        self._never = self.one + delta
        self._never_2 = self._up_s(self._never**2)
        self.root = WholeBox(((0, self._tau // 2 + 1), (0, self.one), (0, self._tau)))

    def parameters(self) -> list[str]:
        """Return the row as Coq reads it."""
        return [str(self.scaled[name]) for name in ("mu", "tau", "gamma", "delta", "beta", "W")]

    def of_t3(self, leaf: Leaf) -> LeafMultipliers:
        """Return the multipliers that a leaf of T3 tells: its price and t."""
        l, t = (n << self.bits - TOLD_BITS for n in leaf)
        return LeafMultipliers(l, t, 0, self.one, self.one, self.one, 0)

    def of_t4(self, leaf: Leaf) -> LeafMultipliers:
        """Return the multipliers that a leaf of T4 tells: its price, t, σ, ζ, and ξ, which is neither 0 nor 1."""
        l, t, sg, zt, xi = (n << self.bits - TOLD_BITS for n in leaf)
        second = _up((self.one - zt) ** 2, self.one - xi)
        return LeafMultipliers(l, t, sg, zt, xi, _up(zt * zt, xi), second)

    def accepts(self, leaf: Leaf, box: WholeBox) -> bool:
        """Tell whether a leaf of a tree, of T3 or T4, proves a box."""
        if len(leaf) == 2:
            return self.proves(self.of_t3(leaf), box, ((0, self.one),))
        return self.proves(self.of_t4(leaf), box, tuple((y, y) for y in box[1]))

    def empty(self, box: WholeBox) -> bool:
        """Tell whether the box holds no segment of weight tau."""
        (x, _), _, (u, _) = box
        return self._tau < 2 * x + u

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
        xs, _, us = box
        left = [self._left_at(m, u) for u in us]
        return min(left) > 0 and all(
            self._corner(m, x, u, self._slope_at(m, L, u, *end))
            for end in ends
            for u, L in zip(us, left, strict=True)
            for x in xs
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


class B3Prices(NamedTuple):
    """What holds for all of a box of B3, as integers.

    The price, a₁·w_V, a₂·w_V, φ_K·w_K and φ_Q·w_Q; the shares of E, which are π', 1 − π − π', and those of the two
    parts of the third member, π(1 − η') and π·η'; α; γ times the price.
    """

    price: int
    by_q: int
    by_k: int
    K: int
    Q: int
    first: int
    second: int
    third: int
    fourth: int
    mixed: int
    begun: int


class B3BoxTest(BoxTest[B3Row]):
    """The test for a row of B3: boxes of q, k and o."""

    def __init__(self, row: B3Row) -> None:
        super().__init__(row)
        self._S, self._dP, self._dV, self._dK, self._dQ = map(self._rounded_up, ("S", "dP", "dV", "dK", "dQ"))
        self.root = WholeBox(((0, self._tau),) * 3)
        self._plain = str(row.plain).lower()

    def parameters(self) -> list[str]:
        """Return the row as Coq reads it; the last word says whether W bounds the greater function f₀."""
        names = ("tau", "gamma", "S", "dP", "dV", "dK", "dQ", "W")
        return [*(str(self.scaled[name]) for name in names), self._plain]

    def empty(self, box: WholeBox) -> bool:
        """Tell whether the box holds no segment of weight tau."""
        return self._tau < sum(low for low, _ in box)

    def of_leaf(self, leaf: Leaf) -> B3Prices:
        """Return what a leaf tells: its price and the shares, those of E alone for a plain row."""
        l, *shares = leaf
        direct, pairs, mixed = (
            ([0] * 4, shares, SHARE // 2) if len(leaf) == 4 else (shares[:4], shares[4:7], shares[7])
        )
        begun = self._gamma * l >> self.bits
        direct = [share * (self.one // SHARE) for share in direct]
        return B3Prices._make((l, *direct, *pairs, SHARE - sum(pairs), mixed, begun))

    def accepts(self, leaf: Leaf, box: WholeBox) -> bool:
        """Tell whether a leaf of a tree proves a box."""
        m = self.of_leaf(leaf)
        if any(low >= high for low, high in box) or min(m.fourth, SHARE - m.mixed) < 0 or m.price <= 0:
            return False
        qs, ks, os = box
        try:
            of_V = {(q, o): self._of_V(m, q, o) for q in qs for o in os}
            of_K = {(q, o): self._of_K(m, q, o) for q in qs for o in os}
            of_Q = {k: self._of_Q(m, k) for k in ks}
            return self._rest(m, of_K[qs[1], os[1]] + of_Q[ks[1]], qs[1], os[1]) and all(
                self._corner(m, q, k, o, of_V[q, o], of_K[q, o] + of_Q[k]) for q, k, o in product(*box)
            )
        except ZeroDivisionError:
            return False

    def _near(self, m: B3Prices, q: int, o: int) -> int:
        return m.mixed * q + (SHARE - m.mixed) * o

    def _of_V(self, m: B3Prices, q: int, o: int) -> int:
        return _covering((self._dV - m.by_q - m.by_k) ** 2 * o, m.price * self.one - m.by_q * q)

    def _of_K(self, m: B3Prices, q: int, o: int) -> int:
        left = SHARE * m.price * self.one - m.K * self._near(m, q, o)
        return _covering((self._dK - m.K) ** 2 * q * SHARE, left)

    def _of_Q(self, m: B3Prices, k: int) -> int:
        return _covering((self._dQ - m.Q) ** 2 * k, m.price * self.one - m.Q * k)

    def _rest(self, m: B3Prices, most: int, q: int, o: int) -> bool:
        left = min(m.begun, m.price - m.K - m.Q - _up((SHARE - m.first) * most, SHARE))
        words = m.second * o * SHARE + m.fourth * self._near(m, q, o)
        of_V = m.price - _up(most * words, SHARE**2 * self.one)
        return (
            left >= 0
            and of_V >= 0
            and most + m.K + m.Q <= m.price
            and self._dP**2 * o <= 4 * left * of_V * self.one
        )

    def _corner(self, m: B3Prices, q: int, k: int, o: int, A: int, B: int) -> bool:
        paid = A + m.by_q + m.by_k + m.K + m.Q + _up((SHARE - m.second) * B, SHARE)
        left = min(m.begun, m.price - paid)
        root = _covering(self._S**2, left)
        pairs = (SHARE * (root + A) + m.first * B) * q + SHARE * m.by_k * o
        work = SHARE**2 * self.one * m.price * (self._tau - q - k - o)
        work += k * (SHARE * pairs + m.third * B * self._near(m, q, o))
        return left >= 0 and work <= SHARE**2 * self.one**2 * self._W


def _covering(square: int, left: int) -> int:
    """Return the least n with 4·n·left at least the square.

    Raises
    ------
    ZeroDivisionError
        If there is none.
    """
    if not square:
        return 0
    if left <= 0:
        raise ZeroDivisionError
    return _up(square, 4 * left)
