"""Branch and bound: proving that a function of a few variables stays below a constant on a box.

A constant W of a row of parameters claims that the weighted work of a segment is at most W wherever the segment's
weight is at most tau. A box of possible segments is done when an upper bound on the work in it is at most W; any
other box is halved. When no box is left, W is proved; a segment that does more work refutes it. How a box is
bounded, with every rounding error accounted for, is up to the bound: a subclass of :class:`ConstantSearch`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.parameters import ParameterRow

__all__ = [
    "SAFETY",
    "SLACK",
    "Boxes",
    "ConstantProof",
    "ConstantSearch",
    "Reals",
    "prove_all",
    "prove_constant",
]

Reals: TypeAlias = NDArray[np.float64]
AnyRow = TypeVar("AnyRow", bound=ParameterRow)
AnySegment = TypeVar("AnySegment")
"""What a segment touches: a dataclass of the amounts that its work is bounded by."""

SAFETY = 1 + 1e-10
"""Factor on every bound: far above its accumulated relative rounding error, which is below 1e-13."""

SLACK = 2.0**-40
"""Relative: far above the rounding error of a difference, which is therefore moved to the safe side by so much."""


@dataclass
class Boxes:
    """Boxes that are not done yet.

    Attributes
    ----------
    lo, hi : ndarray, shape (variables, n)
        Opposite corners.
    """

    lo: Reals
    hi: Reals

    def __len__(self) -> int:
        return len(self.lo[0])

    def take(self, which: Any) -> Self:
        """Return the boxes of an index."""
        return type(self)(*(getattr(self, field.name)[..., which] for field in fields(self)))

    def join(self, other: Self) -> Self:
        """Return these boxes and others."""
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return type(self)(*(np.concatenate(pair, axis=-1) for pair in pairs))

    def halves(self, scale: Reals) -> Self:
        """Split every box across its widest side, sides being measured in units of ``scale``, shape (variables, 1)."""
        side, which = np.argmax((self.hi - self.lo) * scale, axis=0), np.arange(len(self))
        middle = (self.lo[side, which] + self.hi[side, which]) / 2
        lower, upper = self.take(slice(None)), self.take(slice(None))
        lower.hi, upper.lo = self.hi.copy(), self.lo.copy()
        lower.hi[side, which] = middle
        upper.lo[side, which] = middle
        return lower.join(upper)


@dataclass(frozen=True)
class ConstantProof(Generic[AnyRow, AnySegment]):
    """Outcome of the attempt to prove a row's constant.

    Parameters
    ----------
    row : ParameterRow
        The row, with the constant W that was to be proved.
    verdict : {"proved", "refuted", "undecided"}
        ``"refuted"``: the witness does more work than W. ``"undecided"``: out of boxes.
    boxes : int
        How many boxes were bounded; the same on every run.
    witness : object
        The segment with the most work that was met; how close W is to the best constant.
    attained : float
        Its work, in units of d³.
    decimals : int
        How many of the distance to the best constant, in per cent, are printed.
    """

    row: AnyRow
    verdict: Literal["proved", "refuted", "undecided"]
    boxes: int
    witness: AnySegment
    attained: float
    decimals: int = 2

    def __str__(self) -> str:
        spare = 100 * (float(self.row.W) / self.attained - 1) if self.attained else math.nan
        text = f"{spare:.{self.decimals}f} %" if self.attained else "?"
        return f"{self.row}: {self.verdict}, {self.boxes} boxes, at most {text} above the best constant"


class ConstantSearch(ABC, Generic[AnyRow, AnySegment]):
    """What a bound must provide for its constants to be proved, and what the search has met so far.

    Parameters
    ----------
    row : ParameterRow
        The parameters and the constant W.
    attained : float
        The work of a segment that is known at the start.
    witness : object
        That segment.
    """

    batch: ClassVar[int]
    """How many boxes are bounded at a time."""

    scale: Reals
    """How much a unit of each variable weighs, shape (variables, 1): decides which side of a box is halved."""

    decimals: ClassVar[int] = 2

    def __init__(self, row: AnyRow, attained: float, witness: AnySegment) -> None:
        self.row, self.attained, self.witness = row, attained, witness
        self._target = math.nextafter(float(row.W), 0.0)

    @abstractmethod
    def first_box(self) -> Boxes:
        """Return a box that holds every segment of weight tau, with corners rounded outwards."""

    @abstractmethod
    def undone(self, boxes: Any) -> Boxes:
        """Return those of the boxes whose bound is not below the constant."""

    def improve_witness(self) -> None:
        """Look for a segment with more work at the end, to tell how close the constant is; optional."""

    def above(self, bound: Reals) -> NDArray[np.bool_]:
        """Tell which bounds are not at most W, rounded down."""
        return ~(bound <= self._target)  # written so that a NaN keeps its box

    def meet(self, work: float, segment: AnySegment) -> None:
        """Remember a segment if it does more work than all before."""
        if work > self.attained:
            self.attained, self.witness = work, segment

    @property
    def refuted(self) -> bool:
        """Whether a segment does clearly more work than the constant says."""
        return self.attained > float(self.row.W) * (1 + 1e-9)


def prove_constant(
    search: ConstantSearch[AnyRow, AnySegment], max_boxes: int
) -> ConstantProof[AnyRow, AnySegment]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    search : ConstantSearch
        The bound's search for one row.
    max_boxes : int
        Give up after so many boxes.

    Returns
    -------
    ConstantProof
        Only the verdict ``"proved"`` makes the constant usable.
    """
    stack, count = [search.first_box()], 0
    while stack and count <= max_boxes and not search.refuted:
        boxes = _next_batch(stack, search.batch)
        count += len(boxes)
        left = search.undone(boxes)
        if len(left):
            stack.append(left.halves(search.scale))
    verdict: Literal["proved", "undecided"] = "proved" if count <= max_boxes else "undecided"
    if verdict == "proved" and not search.refuted:
        search.improve_witness()  # cannot refute what is proved; if it does, the proof is wrong and not believed
    outcome = "refuted" if search.refuted else verdict
    return ConstantProof(search.row, outcome, count, search.witness, search.attained, search.decimals)


def _next_batch(stack: list[Boxes], size: int) -> Boxes:
    """Take boxes off the stack: about a batch of them, to keep the arrays long and the memory small."""
    boxes = stack.pop()
    while stack and len(boxes) < size // 2:
        boxes = boxes.join(stack.pop())
    if len(boxes) > size:
        stack.append(boxes.take(slice(size, None)))
        boxes = boxes.take(slice(size))
    return boxes


def prove_all(rows: Sequence[AnyRow], prove: Callable[[AnyRow], ConstantProof[AnyRow, Any]]) -> int:
    """Prove the constant of every row, print a line for each, and return 0 if all are proved, else 1.

    Rows are proved side by side, on as many processors as there are.
    """
    failed = 0
    with ProcessPoolExecutor() as pool:
        for proof in pool.map(prove, rows):
            failed += proof.verdict != "proved"
            print(proof, flush=True)
    print(f"{len(rows) - failed} of {len(rows)} constants proved")
    return 1 if failed else 0
