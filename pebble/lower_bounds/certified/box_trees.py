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
from pebble.lower_bounds.certified.branch_and_bound import Boxes, Reals, search_boxes
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers
from pebble.lower_bounds.certified.prove_t3 import ForwardSearch, T3Search
from pebble.lower_bounds.certified.prove_t4 import T4Search
from pebble.lower_bounds.certified.t3 import T3Row
from pebble.lower_bounds.certified.t4 import T4Row

__all__ = ["box_tree"]

_SPARE = Fraction(99_999, 100_000)
_MOST_BOXES = 50_000
_MORE_HALVINGS = 10
_STEPS = 1 << TOLD_BITS

_Leaf = tuple[int, ...]


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
