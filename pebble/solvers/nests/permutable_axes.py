"""Axes along which no dependence goes back: loop indices reversed, skewed, and each statement shifted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.nests.dependences import Dependences, shifts

__all__ = ["PermutableAxis", "permutable_axes", "places_on"]

_MOST_SKEW = 2
"""So many times another axis is added to one at most."""


@dataclass(frozen=True)
class PermutableAxis:
    """An axis made from loop indices.

    Attributes
    ----------
    factors : tuple of int
        How often each loop index is added.
    shifts : tuple of int
        What is added for each statement.
    """

    factors: tuple[int, ...]
    shifts: tuple[int, ...]

    def name(self, names: Sequence[str]) -> str:
        """Return the sum as text; shifts of statements are not shown."""
        terms = sorted((factor < 0, -at) for at, factor in enumerate(self.factors) if factor)
        text = ""
        for _, at in terms:
            factor, name = self.factors[-at], names[-at]
            size = name if abs(factor) == 1 else f"{abs(factor)}*{name}"
            text += f" {'-' if factor < 0 else '+'} {size}" if text else f"{'-' if factor < 0 else ''}{size}"
        return text


def permutable_axes(
    dependences: Dependences, order: Sequence[int], number: int
) -> list[PermutableAxis] | None:
    """Return axes along which nothing goes back, one for each loop index in this order; None if there are none.

    Each is a loop index or its reverse, plus as few of the axes before as are needed. Tiles of such axes can be
    computed one after the other, whatever their sizes.

    Parameters
    ----------
    dependences : Dependences
    order : sequence of int
        Of the loop indices: the later ones are skewed by the earlier ones.
    number : int
        Of statements.
    """
    found: list[PermutableAxis] = []
    for index in order:
        axis = next(
            (
                PermutableAxis(factors, tuple(moved))
                for factors in _sums(index, found, dependences.steps.shape[1])
                if (moved := shifts(dependences, dependences.steps @ np.array(factors), number)) is not None
            ),
            None,
        )
        if axis is None:
            return None
        found.append(axis)
    return found


def places_on(
    axis: PermutableAxis, places: NDArray[np.int64], statements: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return where each vertex is along an axis, from 0 on; 0 where it is computed by no statement."""
    found: NDArray[np.int64] = places @ np.array(axis.factors) + np.array([*axis.shifts, 0])[statements]
    computed = statements >= 0
    found = found - (found[computed].min() if computed.any() else 0)
    found[~computed] = 0
    return found


def _sums(index: int, before: Sequence[PermutableAxis], number: int) -> Iterator[tuple[int, ...]]:
    """Yield sums of an index and axes found before it, those with few terms first."""
    times = sorted(
        itertools.product(range(_MOST_SKEW + 1), repeat=len(before)), key=lambda one: (sum(one), one[::-1])
    )
    for many in times:
        for sign in (1, -1):
            factors = np.zeros(number, dtype=np.int64)
            factors[index] = sign
            for factor, axis in zip(many, before, strict=True):
                factors += factor * np.array(axis.factors)
            yield tuple(factors.tolist())
