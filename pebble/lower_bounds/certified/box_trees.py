"""Trees of boxes that prove a constant of T3 or T4 in Coq, by docs/proofs/T3Certificate.v and T4Certificate.v.

The boxes are found by the search of :mod:`.prove_t3` and :mod:`.prove_t4`, for a constant that is smaller by a
hundred-thousandth, because the multipliers are rounded. Nothing of it need be trusted: Coq looks at every leaf again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from pebble.lower_bounds.certified.box_test import TOLD_BITS, BoxTest, WholeBox
from pebble.lower_bounds.certified.branch_and_bound import Boxes, Reals, prove_constant
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers
from pebble.lower_bounds.certified.prove_t3 import T3Search
from pebble.lower_bounds.certified.prove_t4 import T4Search
from pebble.lower_bounds.certified.t3 import T3Row
from pebble.lower_bounds.certified.t4 import T4Row

__all__ = ["box_tree"]

_SPARE = Fraction(99_999, 100_000)
_MOST_BOXES = 50_000
_MORE_HALVINGS = 10
_STEPS = 1 << TOLD_BITS

_Leaf = tuple[int, ...]


class _T3Leaves(T3Search):
    """A search for T3 that remembers what proves each box."""

    axes = (0, 2)
    effort = 2

    def __init__(self, row: T3Row) -> None:
        super().__init__(row, np.random.default_rng(0))
        self.leaves: dict[bytes, _Leaf] = {}

    def finish(self, boxes: BoxesWithMultipliers) -> None:
        """Remember the multipliers."""
        _remember(self.leaves, boxes, np.array(self.price_and_t(boxes.hi[1], boxes.multipliers)))

    @staticmethod
    def proves(test: BoxTest, leaf: _Leaf, box: WholeBox) -> bool:
        """Tell whether a leaf proves a box."""
        return test.proves(test.of_t3(leaf), box, ((0, test.one),))


class _T4Leaves(T4Search):
    """A search for T4 that remembers what proves each box."""

    axes = (0, 1, 2)
    effort = 4

    def __init__(self, row: T4Row) -> None:
        super().__init__(row, np.random.default_rng(0))
        self.leaves: dict[bytes, _Leaf] = {}

    def finish(self, boxes: BoxesWithMultipliers) -> None:
        """Remember the multipliers."""
        told = boxes.multipliers.copy()
        told[1] += 1
        told[4] = np.clip(told[4], 1 / _STEPS, 1 - 1 / _STEPS)
        _remember(self.leaves, boxes, told)

    @staticmethod
    def proves(test: BoxTest, leaf: _Leaf, box: WholeBox) -> bool:
        """Tell whether a leaf proves a box."""
        return test.proves(test.of_t4(leaf), box, tuple((y, y) for y in box.y))


_Search = _T3Leaves | _T4Leaves


def _remember(leaves: dict[bytes, _Leaf], boxes: BoxesWithMultipliers, told: Reals) -> None:
    """Remember what is told, price and t rounded up: L can be nearly 0, and they raise it."""
    told = told * _STEPS
    told[:2] = np.ceil(told[:2])
    for lo, hi, leaf in zip(boxes.lo.T, boxes.hi.T, np.round(told).astype(np.int64).T, strict=True):
        leaves[_key(lo, hi)] = tuple(leaf.tolist())


def _key(lo: Reals, hi: Reals) -> bytes:
    return lo.tobytes() + hi.tobytes()


def box_tree(row: T3Row) -> str:
    """Return a tree of boxes for the row, as Coq reads it.

    Parameters
    ----------
    row : T3Row
        Or T4Row.

    Raises
    ------
    ValueError
        If none is found.
    """
    search: _Search
    if isinstance(row, T4Row):
        search = _T4Leaves(replace(row, W=row.W * _SPARE))
        verdict = prove_constant(search, _MOST_BOXES).verdict
    else:
        search = _T3Leaves(replace(row, W=row.W * _SPARE))
        verdict = prove_constant(search, _MOST_BOXES).verdict
    if verdict != "proved":
        raise ValueError(f"{row}: {verdict} after at most {_MOST_BOXES} boxes")
    test = BoxTest(row)
    return "".join(_written(search, test, search.first_box(), test.root))


def _written(search: _Search, test: BoxTest, place: Boxes, box: WholeBox) -> Iterator[str]:
    """Write a box of the search, ``place``, and the box of whole numbers that stands for it."""
    if test.empty(box):
        yield "E"
        return
    leaf = search.leaves.get(_key(place.lo[:, 0], place.hi[:, 0]))
    if leaf is not None:
        yield from _halved(search, test, leaf, box, _MORE_HALVINGS)
        return
    side = int(np.argmax((place.hi - place.lo) * search.scale, axis=0)[0])
    halves = place.halves(search.scale)
    yield f"({'XYU'[search.axes[side]]} "
    for which, half in enumerate(box.halves(search.axes[side])):
        yield from _written(search, test, halves.take([which]), half)
        yield " " if which == 0 else ")"


def _halved(search: _Search, test: BoxTest, leaf: _Leaf, box: WholeBox, more: int) -> Iterator[str]:
    """Write a leaf, or smaller boxes with the same multipliers where it has lost too much by rounding."""
    if search.proves(test, leaf, box):
        yield f"(L {' '.join(map(str, leaf))})"
        return
    if not more:
        raise ValueError(f"multipliers {leaf} of {box} are lost by rounding")
    widths = [(box[axis][1] - box[axis][0]) * search.scale[at, 0] for at, axis in enumerate(search.axes)]
    axis = search.axes[int(np.argmax(widths))]
    yield f"({'XYU'[axis]} "
    for which, half in enumerate(box.halves(axis)):
        yield from _halved(search, test, leaf, half, more - 1)
        yield " " if which == 0 else ")"
