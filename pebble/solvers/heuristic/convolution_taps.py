"""Uses of pixels by the taps of a convolution, whatever the numbers of its vertices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pebble.graph.components import joined
from pebble.solvers.heuristic.cone_steps import ConeSteps

__all__ = ["Taps", "possible_taps"]

_MOST_TAPS = 512
_LEAST_PART = 0.6
"""Part of the steps of all cones that must be taps."""


class Taps:
    """Uses of pixels by outputs: at which place of the output, by which tap, which pixel.

    Cones that use the same pixels are filters at one place. Two weights are one tap if they meet the same pixel for
    the same place; where no weights are told, the number of the step is the tap.
    """

    def __init__(self, steps: ConeSteps, pixel_role: int, weight_role: int | None) -> None:
        self.rows = np.flatnonzero(steps.role == pixel_role)
        cone, value = steps.cone[self.rows], steps.value[self.rows]
        self.cone, self.position = cone, steps.position[self.rows]
        self.fits = False
        self.weight = None if weight_role is None else self._weights(steps, weight_role)
        if weight_role is not None and self.weight is None:
            return
        self.pixels, self.pixel = np.unique(value, return_inverse=True)
        self.place = _alike(cone, self.pixel)
        of_use = self.position if self.weight is None else self._taps(self.weight)
        self.tap = np.unique(of_use, return_inverse=True)[1]
        self.triples = np.unique(np.stack([self.place, self.tap, self.pixel]), axis=1)
        self.places, self.many = int(self.place.max()) + 1, int(self.tap.max()) + 1
        self.fits = 1 < self.many <= _MOST_TAPS and self._is_function(0, 1) and self._is_function(2, 1)

    def _weights(self, steps: ConeSteps, role: int) -> NDArray[np.int64] | None:
        """Return the weight that stands beside each pixel; None if one is missing."""
        width = int(steps.position.max()) + 1
        beside = np.full((int(steps.cone.max()) + 1) * width, -1, dtype=np.int64)
        rows = np.flatnonzero(steps.role == role)
        beside[steps.cone[rows] * width + steps.position[rows]] = steps.value[rows]
        weight: NDArray[np.int64] = beside[self.cone * width + self.position]
        return None if np.any(weight < 0) else weight

    def _taps(self, weight: NDArray[np.int64]) -> NDArray[np.int64]:
        names, compact = np.unique(weight, return_inverse=True)
        _, pair = np.unique(np.stack([self.place, self.pixel]), axis=1, return_inverse=True)
        pair = pair.reshape(-1)
        labels = joined(np.arange(len(names) + int(pair.max()) + 1), compact, len(names) + pair)
        return labels[compact]

    def _is_function(self, one: int, other: int) -> bool:
        """Return whether a place (or pixel) and a tap have one pixel (or place) together."""
        return bool(np.unique(self.triples[[one, other]], axis=1).shape[1] == self.triples.shape[1])

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The group of each tap: those that share pixels, the first step first."""
        _, tap, pixel = self.triples
        labels = joined(np.arange(self.many + len(self.pixels)), tap, self.many + pixel)[: self.many]
        return _by_mean(labels, self.when)

    @cached_property
    def when(self) -> NDArray[np.float64]:
        """The mean step of each tap in the cones that have most taps; others lack what lies beyond the boundary."""
        uses = np.bincount(self.cone)[self.cone]
        full = np.flatnonzero(uses == uses.max())
        if len(np.unique(self.tap[full])) < self.many:
            full = np.arange(len(uses))
        many = np.bincount(self.tap[full])
        mean: NDArray[np.float64] = np.bincount(self.tap[full], weights=self.position[full]) / many
        return mean


def possible_taps(steps: ConeSteps) -> Iterator[Taps]:
    """Yield uses of one role as pixels, beside those of another as weights, or with none."""
    if not steps.position.any():
        return
    roles, many = np.unique(steps.role, return_counts=True)
    pairs = np.unique(np.stack([steps.cone, steps.position]), axis=1).shape[1] if len(roles) else 0
    often = [int(role) for role, uses in zip(roles, many, strict=True) if uses >= _LEAST_PART * pairs]
    for pixel, weight in [*permutations(often, 2), *((role, None) for role in often)]:
        taps = Taps(steps, pixel, weight)
        if taps.fits:
            yield taps


def _alike(cone: NDArray[np.int64], pixel: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each use the number of its cone's set of pixels."""
    rng = np.random.default_rng(0)
    mark = rng.integers(1 << 62, size=int(pixel.max()) + 1, dtype=np.int64)
    total = np.zeros(int(cone.max()) + 1, dtype=np.int64)
    np.add.at(total, cone, mark[pixel])
    return np.unique(total[cone], return_inverse=True)[1]


def _by_mean(labels: NDArray[np.int64], where: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the labels as 0, 1, …, that with the least mean first."""
    place = np.unique(labels, return_inverse=True)[1]
    mean = np.bincount(place, weights=where) / np.bincount(place)
    rank = np.empty(len(mean), dtype=np.int64)
    rank[np.argsort(mean, kind="stable")] = np.arange(len(mean))
    return rank[place]
