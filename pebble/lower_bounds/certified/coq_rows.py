"""Rows of T3 and T4 in a Coq file: the row that gives a bound, with the tree of boxes that proves its constant."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pebble.lower_bounds.certified.branch_and_bound import Boxes, Reals, search_boxes
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers
from pebble.lower_bounds.certified.parameters import SCALE, ParameterRow, best_row
from pebble.lower_bounds.certified.prove_t3 import ForwardSearch, T3Search
from pebble.lower_bounds.certified.prove_t4 import T4Search
from pebble.lower_bounds.requirements import Counts

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


_SPARE = Fraction(99_999, 100_000)
_MOST_BOXES = 50_000
_MORE_HALVINGS = 10
_STEPS = 1 << TOLD_BITS

_Leaf = tuple[int, ...]


def box_tree(row: T3Row) -> str:
    """Return a tree of boxes for the row, as Coq reads it.

    Raises
    ------
    ValueError
        If none is found.
    """
    return "".join(_Tree(row).written())


class _Tree:
    """Boxes of the search for a row, and what proves each of them."""

    def __init__(self, row: T3Row) -> None:
        search_of, effort = (T4Search, 4) if isinstance(row, T4Row) else (T3Search, 2)
        smaller = replace(row, W=row.W * _SPARE)
        self.search: ForwardSearch = search_of(smaller, np.random.default_rng(0))
        self.search.effort, self.search.finish = effort, self._remember
        self.axes = (0, 1, 2) if isinstance(row, T4Row) else (0, 2)
        self.leaves: dict[bytes, _Leaf] = {}
        if not search_boxes(self.search, _MOST_BOXES)[0]:
            raise ValueError(f"{smaller}: undecided after at most {_MOST_BOXES} boxes")
        self.test = BoxTest(row)

    def _remember(self, boxes: BoxesWithMultipliers) -> None:
        """Remember the multipliers, price and t rounded up: L can be nearly 0, and they raise it."""
        if isinstance(self.search, T3Search):
            told = np.array(self.search.price_and_t(boxes.hi[1], boxes.multipliers))
        else:
            told = boxes.multipliers.copy()
            told[1] += 1
            told[4] = np.clip(told[4], 1 / _STEPS, 1 - 1 / _STEPS)
        told *= _STEPS
        told[:2] = np.ceil(told[:2])
        for lo, hi, leaf in zip(boxes.lo.T, boxes.hi.T, np.round(told).astype(np.int64).T, strict=True):
            self.leaves[_key(lo, hi)] = tuple(leaf.tolist())

    def written(self) -> Iterator[str]:
        """Write the tree."""
        return self._written(self.search.first_box(), self.test.root)

    def _written(self, place: Boxes, box: WholeBox) -> Iterator[str]:
        """Write a box of the search, ``place``, and the box of integers that stands for it."""
        leaf = self.leaves.get(_key(place.lo[:, 0], place.hi[:, 0]))
        if self.test.empty(box):
            yield "E"
        elif leaf is not None:
            yield from self._halved(leaf, box, _MORE_HALVINGS)
        else:
            axis = self.axes[int(np.argmax((place.hi - place.lo) * self.search.scale, axis=0)[0])]
            (lower, upper), halves = box.halves(axis), place.halves(self.search.scale)
            yield from _split(
                axis, self._written(halves.take([0]), lower), self._written(halves.take([1]), upper)
            )

    def _halved(self, leaf: _Leaf, box: WholeBox, more: int) -> Iterator[str]:
        """Write a leaf, or smaller boxes with the same multipliers where it has lost too much by rounding."""
        if self.test.accepts(leaf, box):
            yield f"(L {' '.join(map(str, leaf))})"
        elif not more:
            raise ValueError(f"multipliers {leaf} of {box} are lost by rounding")
        else:
            widths = [
                (box[axis][1] - box[axis][0]) * self.search.scale[at, 0] for at, axis in enumerate(self.axes)
            ]
            axis = self.axes[int(np.argmax(widths))]
            yield from _split(axis, *(self._halved(leaf, half, more - 1) for half in box.halves(axis)))


def _split(axis: int, lower: Iterator[str], upper: Iterator[str]) -> Iterator[str]:
    yield f"({'XYU'[axis]} "
    yield from lower
    yield " "
    yield from upper
    yield ")"


def _key(lo: Reals, hi: Reals) -> bytes:
    return lo.tobytes() + hi.tobytes()


BOUNDS_OF_ROWS: dict[str, type[T3Row]] = {"T3": T3Row, "T4": T4Row}

_ROW = """
Module {name}_tree.
Import Coq.ZArith.BinInt Pebble.{name}Certificate.
Local Open Scope Z_scope.
Local Notation L := Leaf.
Local Notation E := Empty.
{axes}Definition boxes : tree :=
{tree}.
End {name}_tree.

Lemma {name}_row : {lemma}_holds (Row {parameters}).
Proof. apply (@{lemma}_proved {bits} {name}_tree.boxes). vm_cast_no_check (eq_refl true). Qed.
"""
_AXES = {"T3": "XU", "T4": "XYU"}


def coq_row_of(name: str, problem: Counts, M: int) -> str:
    """Return the row that gives a bound, T3 or T4, of one copy of a forward pass, and what proves its constant."""
    found = best_row(BOUNDS_OF_ROWS[name], problem, M)
    assert found is not None
    return coq_row(found[-1])


def coq_row(row: T3Row) -> str:
    """Return a lemma that W bounds the function of a row of T3 or T4, with its tree of boxes.

    Notes
    -----
    The boxes are searched for: a second or two. Coq looks at them in one to four seconds.
    """
    name, scaled = row.statement.name, row.scaled
    numbers = [scaled[parameter] for parameter in ("mu", "tau", "gamma", "delta", "beta", "W")]
    return _ROW.format(
        name=name,
        lemma=name.lower(),
        axes="".join(f"Local Notation {axis} := Split{axis}.\n" for axis in _AXES[name]),
        tree=textwrap.fill(box_tree(row), 120, break_long_words=False, break_on_hyphens=False),
        parameters=" ".join(map(str, [SCALE, *numbers])),
        bits=BoxTest(row).bits,
    )


def coq_rows(mus: Sequence[Fraction] = ()) -> Iterator[str]:
    """Return the parts of a Coq file with all rows of T3 and T4, or with those of some mu."""
    yield "From Coq Require Import NArith.\nFrom Pebble Require Import RowMinimum.\nLocal Open Scope N_scope.\n"
    for name, kind in BOUNDS_OF_ROWS.items():
        for number, row in enumerate(kind.load()):
            if not mus or row.mu in mus:
                module = f"{name}_{number}"
                yield f"\nModule {module}.{coq_row(row)}End {module}.\n"


def main(arguments: Sequence[str]) -> int:
    """Print the rows whose mu is among the arguments, or all."""
    for part in coq_rows([Fraction(argument) for argument in arguments]):
        print(part, end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
