"""Rows of T3, T4 and B3 in a Coq file: the row that gives a bound, with the tree of boxes that proves its constant."""

from __future__ import annotations

import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Generic, NamedTuple

import numpy as np

from pebble.lower_bounds.certified.b3_tree_search import b3_tree_search
from pebble.lower_bounds.certified.backward_rows import B3Row
from pebble.lower_bounds.certified.branch_and_bound import Boxes, Reals, search_boxes
from pebble.lower_bounds.certified.coq_boxes import (
    SHARE,
    TOLD_BITS,
    B3BoxTest,
    BoxTest,
    ForwardBoxTest,
    Leaf,
    WholeBox,
)
from pebble.lower_bounds.certified.forward_rows import T3Row, T4Row
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers, MultiplierSearch
from pebble.lower_bounds.certified.parameters import SCALE, AnyRow, best_row
from pebble.lower_bounds.certified.prove_t3 import T3Search
from pebble.lower_bounds.certified.prove_t4 import T4Search
from pebble.lower_bounds.requirements import Counts

_SPARE = Fraction(99_999, 100_000)
_MOST_BOXES = 100_000
_MORE_HALVINGS = 10
_ROUNDED = 8  # the price is raised by so many units of the test, which lose less than that


def box_tree(row: T3Row | B3Row) -> str:
    """Return a tree of boxes for the row, as Coq reads it.

    Raises
    ------
    ValueError
        If none is found.
    """
    return "".join((B3Tree(row) if isinstance(row, B3Row) else ForwardTree(row)).written())


class BoxTree(ABC, Generic[AnyRow]):
    """Boxes of the search for a row, and what proves each of them.

    Attributes
    ----------
    axes : sequence of int
        Where the variables of the search are among those of the test.
    letters : str
        How a box is said to be split across each variable of the test.
    """

    axes: Sequence[int]
    letters: str

    def __init__(self, search: MultiplierSearch[AnyRow], effort: int, test: BoxTest[AnyRow]) -> None:
        self.search, self.test = search, test
        search.effort, search.finish = effort, self._remember
        self.leaves: dict[bytes, Leaf] = {}
        if not search_boxes(search, _MOST_BOXES)[0]:
            raise ValueError(f"{search.row}: undecided after at most {_MOST_BOXES} boxes")

    @abstractmethod
    def told(self, boxes: BoxesWithMultipliers) -> Reals:
        """Return what the leaves of boxes tell, one column each; it is rounded."""

    def leaf(self, numbers: Leaf) -> str:
        """Write a leaf."""
        return f"(L {' '.join(map(str, numbers))})"

    def _remember(self, boxes: BoxesWithMultipliers) -> None:
        told = np.round(self.told(boxes)).astype(np.int64)
        for lo, hi, leaf in zip(boxes.lo.T, boxes.hi.T, told.T, strict=True):
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
            yield from self._split(
                axis, self._written(halves.take([0]), lower), self._written(halves.take([1]), upper)
            )

    def _halved(self, leaf: Leaf, box: WholeBox, more: int) -> Iterator[str]:
        """Write a leaf, or smaller boxes with the same multipliers where it has lost too much by rounding."""
        if self.test.accepts(leaf, box):
            yield self.leaf(leaf)
        elif not more:
            raise ValueError(f"multipliers {leaf} of {box} are lost by rounding")
        else:
            widths = [
                (box[axis][1] - box[axis][0]) * self.search.scale[at, 0] for at, axis in enumerate(self.axes)
            ]
            axis = self.axes[int(np.argmax(widths))]
            yield from self._split(axis, *(self._halved(leaf, half, more - 1) for half in box.halves(axis)))

    def _split(self, axis: int, lower: Iterator[str], upper: Iterator[str]) -> Iterator[str]:
        yield f"({self.letters[axis]} "
        yield from lower
        yield " "
        yield from upper
        yield ")"


class ForwardTree(BoxTree[T3Row]):
    """The tree of a row of T3 or T4."""

    letters = "XYU"

    def __init__(self, row: T3Row) -> None:
        search_of, effort = (T4Search, 4) if isinstance(row, T4Row) else (T3Search, 2)
        self.axes = (0, 1, 2) if isinstance(row, T4Row) else (0, 2)
        super().__init__(search_of(_smaller(row), np.random.default_rng(0)), effort, ForwardBoxTest(row))

    def told(self, boxes: BoxesWithMultipliers) -> Reals:
        """Return the multipliers, price and t rounded up: L can be nearly 0, and they raise it."""
        one = 1 << TOLD_BITS
        if isinstance(self.search, T3Search):
            told = np.array(self.search.price_and_t(boxes.hi[1], boxes.multipliers))
        else:
            told = boxes.multipliers.copy()
            told[1] += 1
            told[4] = np.clip(told[4], 1 / one, 1 - 1 / one)
        told *= one
        told[:2] = np.ceil(told[:2])
        return told


class B3Tree(BoxTree[B3Row]):
    """The tree of a row of B3."""

    axes, letters = (0, 1, 2), "QKO"

    def __init__(self, row: B3Row) -> None:
        search = b3_tree_search(_smaller(row))
        self._weights = search.weights
        super().__init__(search, 1, B3BoxTest(row))

    def told(self, boxes: BoxesWithMultipliers) -> Reals:
        """Return the price, rounded up, and the shares; of a plain row those of E alone."""
        price, by_q, by_k, K, Q, both, by_p, by_v, mix = boxes.multipliers
        w = self._weights
        pairs = [by_p, 1 - by_p - both, both * (1 - by_v)]
        shares = (
            pairs if self.search.row.plain else [by_q * w.dV, by_k * w.dV, K * w.dK, Q * w.dQ, *pairs, mix]
        )
        return np.stack([np.ceil(price * self.test.one) + _ROUNDED, *(share * SHARE for share in shares)])

    def leaf(self, numbers: Leaf) -> str:
        """Write a leaf; that of a plain row is shorter."""
        return super().leaf(numbers) if len(numbers) > 4 else f"(P {' '.join(map(str, numbers))})"


def _smaller(row: AnyRow) -> AnyRow:
    return replace(row, W=row.W * _SPARE)


def _key(lo: Reals, hi: Reals) -> bytes:
    return lo.tobytes() + hi.tobytes()


class RowsInCoq(NamedTuple):
    """How the rows of a bound stand in a Coq file.

    Parameters
    ----------
    kind : type of ParameterRow
    file : str
        The file of docs/proofs that has the theorems about them.
    constructor : str
        What makes a row of its numbers, in that file.
    axes : str
        The letters that split a box.
    more : str
        A letter for leaves of another kind.
    """

    kind: type[T3Row | B3Row]
    file: str
    constructor: str
    axes: str
    more: str = ""


BOUNDS_OF_ROWS = {
    "T3": RowsInCoq(T3Row, "RowMinimum", "Row", "XU"),
    "T4": RowsInCoq(T4Row, "RowMinimum", "Row", "XYU"),
    "B3": RowsInCoq(B3Row, "BackwardRow", "B3Row", "QKO", "Local Notation P := Plain.\n"),
}

_ROW = """
Module {name}_tree.
Import Coq.ZArith.BinInt Pebble.{name}Certificate.
Local Open Scope Z_scope.
Local Notation L := Leaf.
Local Notation E := Empty.
{axes}Definition boxes : tree :=
{tree}.
End {name}_tree.

Lemma {name}_row : {lemma}_holds ({constructor} {parameters}).
Proof. apply (@{lemma}_proved {bits} {name}_tree.boxes). vm_cast_no_check (eq_refl true). Qed.
"""


def coq_row_of(name: str, problem: Counts, M: int) -> str:
    """Return the row that gives a bound, T3, T4 or B3, of one copy of a pass, and what proves its constant."""
    found = best_row(BOUNDS_OF_ROWS[name].kind, problem, M)
    assert found is not None
    row = found[-1]
    assert isinstance(row, T3Row | B3Row)
    return coq_row(row)


def coq_row(row: T3Row | B3Row) -> str:
    """Return a lemma that W bounds the function of a row of T3, T4 or B3, with its tree of boxes.

    Notes
    -----
    The boxes are searched for: a second or two, and for B3 up to half a minute. Coq looks at them in seconds, and for
    B3 in up to two minutes.
    """
    name, test = row.statement.name, box_test(row)
    of_rows = BOUNDS_OF_ROWS[name]
    return _ROW.format(
        name=name,
        lemma=name.lower(),
        axes="".join(f"Local Notation {axis} := Split{axis}.\n" for axis in of_rows.axes) + of_rows.more,
        tree=textwrap.fill(box_tree(row), 120, break_long_words=False, break_on_hyphens=False),
        constructor=of_rows.constructor,
        parameters=" ".join([str(SCALE), *test.parameters()]),
        bits=test.bits,
    )


def box_test(row: T3Row | B3Row) -> ForwardBoxTest | B3BoxTest:
    """Return the test that Coq makes of the boxes of a row."""
    return B3BoxTest(row) if isinstance(row, B3Row) else ForwardBoxTest(row)


def coq_rows(mus: Sequence[Fraction] = ()) -> Iterator[str]:
    """Return the parts of a Coq file with all rows of these bounds, or with those of some mu."""
    files = " ".join(dict.fromkeys(of_rows.file for of_rows in BOUNDS_OF_ROWS.values()))
    yield f"From Coq Require Import NArith.\nFrom Pebble Require Import {files}.\nLocal Open Scope N_scope.\n"
    for name, of_rows in BOUNDS_OF_ROWS.items():
        rows: Sequence[T3Row | B3Row] = of_rows.kind.load()
        for number, row in enumerate(rows):
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
