"""Bounds on boxes by Lagrange multipliers, which are searched for by trial and error.

For some bounds, the work of a segment is a concave function of all amounts but a few, so that for these few any
Lagrange multipliers give an upper bound; and for fixed multipliers that bound is convex in each of the few, so that
the corners of a box bound the box. The multipliers are a price of a unit of weight and some shares between 0 and 1.
They are tuned by golden section and random steps, and a box hands them to its halves. They decide how many boxes there
are, never whether a constant is right.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import (
    SAFETY,
    AnyRow,
    AnySegment,
    Boxes,
    ConstantSearch,
    Reals,
)

__all__ = [
    "BoxesWithMultipliers",
    "MultiplierSearch",
    "best_price",
    "bound_at_corners",
    "climb",
    "last",
    "legal",
]

_Bound: TypeAlias = Callable[[Reals], Reals]

_GOLDEN = (math.sqrt(5) - 1) / 2
_FIRST = 200  # the first boxes are worth a wide search
_SPLITS = 3  # after so many halvings the search is intensified once


@dataclass
class BoxesWithMultipliers(Boxes):
    """Boxes with the multipliers that have served them best.

    Attributes
    ----------
    multipliers : ndarray, shape (m, n)
        The price first, then the shares.
    step : ndarray, shape (n,)
        Size of the next random steps.
    depth : ndarray of int, shape (n,)
        After how many halvings of the first box.
    value : ndarray, shape (n,)
        The bound that the multipliers give.
    """

    multipliers: Reals
    step: Reals
    depth: NDArray[np.int64]
    value: Reals

    def halves(self, scale: Reals) -> Self:
        """Split every box across its widest side; the search for multipliers takes larger steps again."""
        both = super().halves(scale)
        both.depth = both.depth + 1
        both.step = np.clip(both.step * 2, 0.03, 0.3)
        return both

    def accept(self, multipliers: Reals, value: Reals) -> NDArray[np.bool_]:
        """Take those multipliers that give a better bound, and tell which."""
        better = value < self.value
        self.multipliers = np.where(better, multipliers, self.multipliers)
        self.value = np.where(better, value, self.value)
        return better


class MultiplierSearch(ConstantSearch[AnyRow, AnySegment]):
    """A search over boxes of a few variables that are bounded by Lagrange multipliers.

    Parameters
    ----------
    row : ParameterRow
    attained : float
    witness : object
    rng : numpy.random.Generator
        Decides where the search for multipliers goes.
    """

    batch = 1 << 12

    start: ClassVar[tuple[float, ...]]
    """The multipliers of the first box: the price, then the shares."""

    effort: ClassVar[int] = 1
    """So many times as many random steps: fewer boxes, each of which takes longer."""

    exclusive: ClassVar[tuple[tuple[int, int], ...]]
    """Pairs of shares that must not sum to more than 1."""

    def __init__(self, row: AnyRow, attained: float, witness: AnySegment, rng: np.random.Generator) -> None:
        super().__init__(row, attained, witness)
        self._rng, self._seen = rng, 0

    @property
    @abstractmethod
    def shares(self) -> tuple[int, ...]:
        """Which shares are searched for; the others stay as they start."""

    @property
    @abstractmethod
    def upper_corner(self) -> Reals:
        """Corner of a box from the origin that holds every segment of weight tau, shape (variables, 1)."""

    @abstractmethod
    def empty(self, boxes: BoxesWithMultipliers) -> NDArray[np.bool_]:
        """Tell which boxes hold no segment of weight tau, with rounding on the safe side."""

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

        Returns
        -------
        ndarray of float, shape (2, …, 2, n), and ndarray of bool, shape (n,)
        """

    def first_box(self) -> BoxesWithMultipliers:
        """Return a box that holds every segment of weight tau."""
        start, one = np.array([self.start]).T, np.ones(1)
        return BoxesWithMultipliers(
            np.zeros_like(self.upper_corner),
            self.upper_corner,
            start,
            0.3 * one,
            np.zeros(1, int),
            math.inf * one,
        )

    def bound(self, lo: Reals, hi: Reals, multipliers: Reals) -> Reals:
        """Bound the work on boxes from above, shape (n,); inf where the multipliers give no bound."""
        return bound_at_corners(lo, hi, lambda corners: self.lagrange(corners, multipliers))

    def legal(self, multipliers: Reals) -> Reals:
        """Bring shares back between 0 and 1, and those that exclude each other to a sum of at most 1; in place."""
        return legal(multipliers, self.exclusive)

    def undone(self, boxes: BoxesWithMultipliers) -> BoxesWithMultipliers:
        """Return the boxes that no multipliers that were tried bring below the constant."""
        self._seen += len(boxes)
        first = self._seen < _FIRST
        boxes = boxes.take(~self.empty(boxes))
        boxes.value = self.bound(boxes.lo, boxes.hi, boxes.multipliers)
        boxes = self._left(boxes)
        self.tune_price(boxes, 8.0 if first else 0.3, 20 if first else 7)
        boxes = self._left(boxes)
        self.improve(boxes, 24 if first else 2)
        boxes = self._left(boxes)
        stuck = boxes.depth % _SPLITS == _SPLITS - 1
        if stuck.any():
            hard = boxes.take(stuck)
            hard.step = np.full(len(hard), 0.3)
            self.improve(hard, 16)
            boxes = boxes.take(~stuck).join(self._left(hard))
        return boxes

    def _left(self, boxes: BoxesWithMultipliers) -> BoxesWithMultipliers:
        above = self.above(boxes.value)
        self.finish(boxes.take(~above))
        return boxes.take(above)

    def finish(self, boxes: BoxesWithMultipliers) -> None:
        """Hear of boxes that their multipliers bring below the constant; nothing is done with them here."""

    def tune_price(self, boxes: BoxesWithMultipliers, width: float, steps: int) -> None:
        """Search for better prices, within a factor exp(width); in place."""
        boxes.accept(
            *best_price(lambda m: self.bound(boxes.lo, boxes.hi, m), boxes.multipliers, width, steps)
        )

    def improve(self, boxes: BoxesWithMultipliers, rounds: int) -> None:
        """Search for better multipliers by random steps and their opposites; in place."""
        shares = np.array(self.shares)

        def bound(multipliers: Reals) -> Reals:
            return self.bound(boxes.lo, boxes.hi, multipliers)

        for _ in range(rounds * self.effort):
            chosen = self._rng.random(len(shares)) < 0.5
            chosen[self._rng.integers(len(shares))] = True
            way = np.zeros((len(self.start), 1))
            way[shares, 0] = self._rng.normal(size=len(shares)) * chosen
            better = np.zeros(len(boxes), bool)
            for sign in (1.0, -1.0):
                trial = self.legal(boxes.multipliers + sign * boxes.step * way)
                better |= boxes.accept(*best_price(bound, trial, np.clip(boxes.step, 0.02, 0.3), 5))
            boxes.step = np.clip(np.where(better, boxes.step * 1.5, boxes.step * 0.8), 1e-3, 0.5)


def bound_at_corners(
    lo: Reals, hi: Reals, lagrange: Callable[[Sequence[Reals]], tuple[Reals, NDArray[np.bool_]]]
) -> Reals:
    """Bound boxes by a function at their corners, as :meth:`MultiplierSearch.lagrange` has it, shape (n,).

    It is inf where the function says that it is no bound.
    """
    variables, n = lo.shape
    ends = np.stack([lo, hi], axis=1)
    shapes = np.ones((variables, variables), int) + np.eye(variables, dtype=int)
    corners = [pair.reshape(*shape, n) for pair, shape in zip(ends, shapes, strict=True)]
    with np.errstate(all="ignore"):
        value, defined = lagrange(corners)
        most = value.max(axis=tuple(range(variables)))
        return np.where(defined & np.isfinite(most), most * SAFETY, np.inf)


def legal(multipliers: Reals, exclusive: Sequence[tuple[int, int]]) -> Reals:
    """Bring shares back between 0 and 1, and pairs of them that exclude each other to a sum of at most 1; in place."""
    np.clip(multipliers[1:], 0.0, 1.0, out=multipliers[1:])
    for pair in map(list, exclusive):
        multipliers[pair] /= np.maximum(multipliers[pair].sum(axis=0), 1.0)
    return multipliers


def last(values: Reals) -> Reals:
    """Return what belongs to the upper corner, shape (n,), of an array over all corners."""
    at_last: Reals = values[(-1,) * (values.ndim - 1)]
    return at_last


def best_price(bound: _Bound, multipliers: Reals, width: Reals | float, steps: int) -> tuple[Reals, Reals]:
    """Tune the price, within a factor exp(width), by golden section; too low a price gives no bound."""

    def at(logarithm: Reals) -> Reals:
        trial = multipliers.copy()
        trial[0] = np.exp(logarithm)
        return bound(trial)

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


def climb(
    fitted: Callable[[Reals], tuple[Reals, Reals]],
    start: Reals,
    tau: float,
    rng: np.random.Generator,
    rounds: int,
) -> tuple[float, Reals]:
    """Look for a segment that does much work: random steps that help, from several segments at once.

    Parameters
    ----------
    fitted : callable
        Scales amounts, shape (a, n), to segments of weight at most tau; returns them and their work, shape (n,).
    start : ndarray, shape (a, n)
        Amounts to begin with.
    tau : float
        The weight.
    rng : numpy.random.Generator
    rounds : int

    Returns
    -------
    float and ndarray, shape (a,)
        The greatest work, and the amounts that do it.
    """
    at, best = fitted(start)
    for size in np.geomspace(0.6, 1e-3, rounds):
        moved = at * np.exp(size * rng.normal(size=at.shape) * (rng.random(at.shape) < 0.3))
        moved += (rng.random(at.shape) < 0.03) * size * rng.random(at.shape) * tau / 10
        moved *= np.where(rng.random(at.shape) < 0.01, 1e-9, 1.0)
        moved, work = fitted(moved)
        better = work > best
        at, best = np.where(better, moved, at), np.where(better, work, best)
    top = int(np.argmax(best))
    return float(best[top]), at[:, top]
