"""Branch and bound: proving that a function of a few variables stays below a constant on a box.

A constant W of a row of parameters claims that the weighted work of a segment is at most W wherever the segment's
weight is at most tau. A box of possible segments is done when an upper bound on the work in it is at most W; any
other box is halved. When no box is left, W is proved; a segment that does more work refutes it.

Once a few of a segment's amounts are fixed, its work is at most a concave function of the others, so that for these
few any Lagrange multipliers give an upper bound; and for fixed multipliers that bound is convex in each of the few,
so that the corners of a box bound the box. The multipliers are a price of a unit of weight and some shares between 0
and 1. They decide how many boxes there are, never whether a constant is right. A bound brings its segment, with
weight and work, and Lagrange's function, with every rounding error accounted for: a :class:`ConstantSearch`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.parameters import AnyRow

Reals: TypeAlias = NDArray[np.float64]

SAFETY = 1 + 1e-10
"""Factor on every bound: far above its accumulated relative rounding error, which is below 1e-13."""

SLACK = 2.0**-40
"""Relative: far above the rounding error of a difference, which is therefore moved to the safe side by so much."""

_GOLDEN = (math.sqrt(5) - 1) / 2


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
class ConstantProof(Generic[AnyRow]):
    """Outcome of the attempt to prove a row's constant.

    Parameters
    ----------
    row : ParameterRow
        The row, with the constant W that was to be proved.
    verdict : {"proved", "refuted", "undecided"}
        Only ``"proved"`` makes the constant usable. ``"refuted"``: the witness does more work than W.
        ``"undecided"``: out of boxes.
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
    witness: Any
    attained: float
    decimals: int = 2

    def __str__(self) -> str:
        spare = 100 * (float(self.row.W) / self.attained - 1)
        text = f"{spare:.{self.decimals}f} %"
        return f"{self.row}: {self.verdict}, {self.boxes} boxes, at most {text} above the best constant"


class ConstantSearch(ABC, Generic[AnyRow]):
    """What a bound must provide for its constants to be proved.

    Parameters
    ----------
    row : ParameterRow
        The parameters and the constant W.
    rng : numpy.random.Generator
        Decides where the search begins and goes.

    Attributes
    ----------
    tau : float
        The row's, rounded up.
    corner : ndarray, shape (variables, 1)
        Of a box from the origin that holds every segment of weight tau, rounded up.
    scale : ndarray, shape (variables, 1)
        How much a unit of each variable weighs: decides which side of a box is halved.
    """

    segment: ClassVar[type[Any]]
    """What a segment touches, in units of d²: a dataclass of the amounts that its work is bounded by.

    Its ``weight(row)`` and its ``work(row)``, an upper bound, are floats without directed rounding. The last amount may
    be ``whole``, a part between 0 and 1, which weighs nothing.
    """

    weighs: ClassVar[tuple[float, ...]]
    """How much a unit of each variable of a box weighs; 0 is that of a part between 0 and 1."""

    part: ClassVar[float] = 0.0
    """For halving, the whole of such a part counts for this share of tau."""

    exclusive: ClassVar[tuple[tuple[int, int], ...]] = ()
    """Pairs of shares, by their numbers among the multipliers, that must not sum to more than 1."""

    spread: ClassVar[float]
    """The smaller this is, the more amounts of random segments are nearly 0."""

    within: ClassVar[float] = 1.0
    """By how much random steps between segments are smaller."""

    batch: ClassVar[int]
    """How many boxes are bounded at a time."""

    most_boxes: ClassVar[int]
    """So many boxes are tried, if not told otherwise."""

    decimals: ClassVar[int] = 2

    def __init__(self, row: AnyRow, rng: np.random.Generator) -> None:
        self.row, self.rng = row, rng
        self.tau = math.nextafter(float(row.tau), math.inf)
        self.corner = np.array([[self.tau / weight if weight else 1.0] for weight in self.weighs])
        self.scale = np.array([[weight or self.part * float(row.tau)] for weight in self.weighs])
        self._target = math.nextafter(float(row.W), 0.0)

    @abstractmethod
    def first_box(self) -> Boxes:
        """Return a box that holds every segment of weight tau."""

    @abstractmethod
    def undone(self, boxes: Any) -> Boxes:
        """Return those of the boxes whose bound is not below the constant."""

    @abstractmethod
    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return Lagrange's function at the corners of every box, and whether the multipliers give a bound.

        Parameters
        ----------
        corners : sequence of ndarray
            For each variable its two ends, the lower one first, along an axis of its own, and the n boxes along the
            last axis: for three variables shapes (2, 1, 1, n), (1, 2, 1, n) and (1, 1, 2, n). So what depends on
            few variables is computed at few corners. :func:`last` is the upper corner.
        multipliers : ndarray, shape (m, n)
            The price first, then the shares.

        Returns
        -------
        ndarray of float, shape (2, …, 2, n), and ndarray of bool, shape (n,)
        """

    @abstractmethod
    def fit(self, parts: Reals) -> Reals:
        """Scale the amounts of segments that weigh something, shape (a, n), to segments of weight at most tau."""

    def empty(self, boxes: Boxes) -> NDArray[np.bool_]:
        """Tell which boxes weigh more than tau everywhere, with rounding on the safe side."""
        weight = sum(unit * low for unit, low in zip(self.weighs, boxes.lo, strict=True))
        return np.asarray(weight > self.tau * SAFETY)

    def above(self, bound: Reals) -> NDArray[np.bool_]:
        """Tell which bounds are not at most W, rounded down."""
        return ~(bound <= self._target)  # written so that a NaN keeps its box

    def legal(self, multipliers: Reals) -> Reals:
        """Bring shares back between 0 and 1, and those that exclude each other to a sum of at most 1; in place."""
        np.clip(multipliers[1:], 0.0, 1.0, out=multipliers[1:])
        for pair in map(list, self.exclusive):
            multipliers[pair] /= np.maximum(multipliers[pair].sum(axis=0), 1.0)
        return multipliers

    def bound(self, boxes: Boxes, multipliers: Reals) -> Reals:
        """Bound the work on boxes from above, shape (n,); inf where the multipliers give no bound."""
        variables, n = boxes.lo.shape
        ends = np.stack([boxes.lo, boxes.hi], axis=1)
        shapes = np.ones((variables, variables), int) + np.eye(variables, dtype=int)
        corners = [pair.reshape(*shape, n) for pair, shape in zip(ends, shapes, strict=True)]
        with np.errstate(all="ignore"):
            value, defined = self.lagrange(corners, multipliers)
            most = value.max(axis=tuple(range(variables)))
            return np.where(defined & np.isfinite(most), most * SAFETY, np.inf)

    def best_price(
        self, boxes: Boxes, multipliers: Reals, width: Reals | float, steps: int
    ) -> tuple[Reals, Reals]:
        """Tune the price, within a factor exp(width), by golden section; too low a price gives no bound.

        Returns
        -------
        ndarray, shape (m, n), and ndarray, shape (n,)
            The multipliers, and what they bound the boxes by.
        """

        def at(logarithm: Reals) -> Reals:
            trial = multipliers.copy()
            trial[0] = np.exp(logarithm)
            return self.bound(boxes, trial)

        low = np.log(multipliers[0]) - width
        high = low + 2 * width
        a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_a, at_b = at(a), at(b)
        for _ in range(steps):
            up = (at_a > at_b) | np.isinf(at_a)
            low, high = np.where(up, a, low), np.where(up, high, b)
            new = np.where(up, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
            at_new = at(new)
            a, b = np.where(up, b, new), np.where(up, new, a)
            at_a, at_b = np.where(up, at_b, at_new), np.where(up, at_new, at_a)
        tuned = multipliers.copy()
        tuned[0] = np.exp(np.where(at_a < at_b, a, b))
        return tuned, np.minimum(at_a, at_b)

    def random_amounts(self) -> Reals:
        """Return amounts of segments of all shapes, shape (a, n)."""
        names = [field.name for field in fields(self.segment)]
        amounts = self.rng.dirichlet(np.full(len(names), self.spread), 300).T
        if names[-1] == "whole":
            amounts[-1] = self.rng.random(300)
        return amounts

    def much_work(self, rounds: int = 1500) -> tuple[float, Any]:
        """Look for a segment that does much work: random segments, and random steps that help; with its work."""
        heavy = sum(field.name != "whole" for field in fields(self.segment))

        def fitted(parts: Reals) -> tuple[Reals, Reals]:
            fit = self.fit(parts[:heavy])
            if heavy < len(parts):
                fit = np.concatenate([fit, np.clip(parts[heavy:], 0.0, 1.0)])
            return fit, self.segment(*fit).work(self.row)

        at, best = fitted(self.random_amounts())
        for size in np.geomspace(0.6, 1e-3, rounds):
            moved = at * np.exp(size * self.rng.normal(size=at.shape) * (self.rng.random(at.shape) < 0.3))
            nudged = (self.rng.random(at.shape) < 0.03) * size * self.rng.random(at.shape)
            moved += nudged * (float(self.row.tau) * self.within) / 10
            moved *= np.where(self.rng.random(at.shape) < 0.01, 1e-9, 1.0)
            moved, work = fitted(moved)
            better = work > best
            at, best = np.where(better, moved, at), np.where(better, work, best)
        top = int(np.argmax(best))
        return float(best[top]), self.segment(*(float(value) for value in at[:, top]))


def last(values: Reals) -> Reals:
    """Return what belongs to the upper corner, shape (n,), of an array over all corners."""
    at_last: Reals = values[(-1,) * (values.ndim - 1)]
    return at_last


def search_boxes(search: ConstantSearch[AnyRow], max_boxes: int) -> tuple[bool, int]:
    """Bound boxes and halve them; return whether all are done, after at most this many, and how many were bounded."""
    stack, count = [search.first_box()], 0
    while stack and count <= max_boxes:
        boxes = _next_batch(stack, search.batch)
        count += len(boxes)
        left = search.undone(boxes)
        if len(left):
            stack.append(left.halves(search.scale))
    return count <= max_boxes, count


def _next_batch(stack: list[Boxes], size: int) -> Boxes:
    """Take boxes off the stack: about a batch of them, to keep the arrays long and the memory small."""
    boxes = stack.pop()
    while stack and len(boxes) < size // 2:
        boxes = boxes.join(stack.pop())
    if len(boxes) > size:
        stack.append(boxes.take(slice(size, None)))
        boxes = boxes.take(slice(size))
    return boxes


SearchOf: TypeAlias = Callable[[AnyRow, np.random.Generator], ConstantSearch[Any]]


def certify(
    search_of: SearchOf[AnyRow],
    row: AnyRow,
    max_boxes: int | None = None,
    rng: np.random.Generator | None = None,
) -> ConstantProof[AnyRow]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    search_of : callable
        The bound's search, made of a row and a generator.
    row : ParameterRow
        The parameters and the constant W.
    max_boxes : int, optional
        Give up after this many boxes.
    rng : numpy.random.Generator, optional
        Where the search begins and goes; a fixed one by default, so that runs are alike. A proof is a proof
        whatever it is.
    """
    search = search_of(row, np.random.default_rng(0) if rng is None else rng)
    attained, witness = search.much_work()
    if attained > float(row.W) * (1 + 1e-9):
        return ConstantProof(row, "refuted", 0, witness, attained, search.decimals)
    done, boxes = search_boxes(search, search.most_boxes if max_boxes is None else max_boxes)
    return ConstantProof(row, "proved" if done else "undecided", boxes, witness, attained, search.decimals)


def prove_all(search_of: SearchOf[AnyRow], rows: Sequence[AnyRow]) -> int:
    """Prove the constant of every row, print a line for each, and return 0 if all are proved, else 1.

    Rows are proved side by side, on as many processors as there are.
    """
    failed = 0
    with ProcessPoolExecutor() as pool:
        for proof in pool.map(partial(certify, search_of), rows):
            failed += proof.verdict != "proved"
            print(proof, flush=True)
    print(f"{len(rows) - failed} of {len(rows)} constants proved")
    return 1 if failed else 0
