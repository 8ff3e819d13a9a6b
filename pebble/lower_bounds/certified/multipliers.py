"""Lagrange multipliers of boxes, searched for by trial and error: golden section and random steps.

A box hands its multipliers to its halves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import Boxes, ConstantSearch, Reals
from pebble.lower_bounds.certified.parameters import AnyRow

_FIRST = 200  # the first boxes are worth a wide search
_SPLITS = 3  # after this many halvings the search is intensified once


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


class MultiplierSearch(ConstantSearch[AnyRow]):
    """A search that finds multipliers by trial and error.

    Attributes
    ----------
    shares : tuple of int
        Which shares are searched for, by default all; the others stay as they start.
    effort : int
        So many times as many random steps: fewer boxes, each of which takes longer.
    finish : callable
        Hears of boxes that their multipliers bring below the constant.
    """

    batch = 1 << 12

    start: ClassVar[tuple[float, ...]]
    """The multipliers of the first box: the price, then the shares."""

    def __init__(self, row: AnyRow, rng: np.random.Generator) -> None:
        super().__init__(row, rng)
        self.shares = tuple(range(1, len(self.start)))
        self.effort, self._seen = 1, 0
        self.finish: Callable[[BoxesWithMultipliers], None] = lambda boxes: None

    def first_box(self) -> BoxesWithMultipliers:
        """Return a box that holds every segment of weight tau."""
        start, one = np.array([self.start]).T, np.ones(1)
        return BoxesWithMultipliers(
            np.zeros_like(self.corner), self.corner, start, 0.3 * one, np.zeros(1, int), math.inf * one
        )

    def undone(self, boxes: BoxesWithMultipliers) -> BoxesWithMultipliers:
        """Return the boxes that no multipliers that were tried bring below the constant."""
        self._seen += len(boxes)
        first = self._seen < _FIRST
        boxes = boxes.take(~self.empty(boxes))
        boxes.value = self.bound(boxes, boxes.multipliers)
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

    def tune_price(self, boxes: BoxesWithMultipliers, width: float, steps: int) -> None:
        """Search for better prices, within a factor exp(width); in place."""
        boxes.accept(*self.best_price(boxes, boxes.multipliers, width, steps))

    def improve(self, boxes: BoxesWithMultipliers, rounds: int) -> None:
        """Search for better multipliers by random steps and their opposites; in place."""
        shares = np.array(self.shares)
        for _ in range(rounds * self.effort):
            chosen = self.rng.random(len(shares)) < 0.5
            chosen[self.rng.integers(len(shares))] = True
            way = np.zeros((len(self.start), 1))
            way[shares, 0] = self.rng.normal(size=len(shares)) * chosen
            better = np.zeros(len(boxes), bool)
            for sign in (1.0, -1.0):
                trial = self.legal(boxes.multipliers + sign * boxes.step * way)
                better |= boxes.accept(*self.best_price(boxes, trial, np.clip(boxes.step, 0.02, 0.3), 5))
            boxes.step = np.clip(np.where(better, boxes.step * 1.5, boxes.step * 0.8), 1e-3, 0.5)
