"""Loops that statements share, and inside them groups of statements, one after the other, with loops of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.nests.dependences import Dependences, shifts, strong_components

__all__ = ["NestedLoops", "nested_loops"]


@dataclass(frozen=True, eq=False)
class NestedLoops:
    """For each level: to which group a statement belongs, and how its loop runs.

    Attributes
    ----------
    groups : ndarray of int64, shape (levels, statements)
        Groups with smaller numbers come first, inside the loops around.
    signs, shifts : ndarray of int64, shape (levels, statements)
        The loop of a level runs over ``sign * index + shift``.
    order : tuple of int
        The loop index of each level.
    """

    groups: NDArray[np.int64]
    signs: NDArray[np.int64]
    shifts: NDArray[np.int64]
    order: tuple[int, ...]

    def columns(
        self, places: NDArray[np.int64], statements: NDArray[np.int64]
    ) -> list[tuple[int | None, NDArray[np.int64]]]:
        """Return what to sort vertices by: for each level the group, if there are several, and the place in the loop.

        Each comes with its loop index, None for a group; places begin at 0.
        """
        found: list[tuple[int | None, NDArray[np.int64]]] = []
        computed = statements >= 0
        for level, index in enumerate(self.order):
            if self.groups[level].any():
                found.append((None, np.where(computed, self.groups[level][statements], 0)))
            along = self.signs[level][statements] * places[:, index] + self.shifts[level][statements]
            least = along[computed].min() if computed.any() else 0
            found.append((index, np.where(computed, along - least, 0)))
        return found


def nested_loops(dependences: Dependences, order: Sequence[int], number: int) -> NestedLoops:
    """Return nested loops in an order of the loop indices: at each level as many statements together as may be.

    A dependence that a loop carries is met, whatever stands inside; statements that no other dependence holds together
    are then groups of their own, joined to the next ones where no step of the next loop would go back.

    Parameters
    ----------
    dependences : Dependences
    order : sequence of int
        The loop indices, the outermost first.
    number : int
        Of statements.

    References
    ----------
    K. Kennedy and K. S. McKinley, "Maximizing loop parallelism and improving data locality via loop fusion and
    distribution", LCPC 1993.
    """
    shape = len(order), number
    found = NestedLoops(
        np.zeros(shape, np.int64), np.ones(shape, np.int64), np.zeros(shape, np.int64), tuple(order)
    )
    groups: list[tuple[list[int], Dependences]] = [(list(range(number)), dependences)]
    for level, index in enumerate(order):
        inner: list[tuple[list[int], Dependences]] = []
        for statements, left in groups:
            for at, group in enumerate(_fused(left, statements, index, number)):
                mine = left.within(group)
                sign, moved = _loop(mine, index, number) or (1, [0] * number)
                found.groups[level][group] = at
                found.signs[level][group] = sign
                found.shifts[level][group] = np.array(moved)[group]
                steps = (
                    sign * mine.steps[:, index] + np.array(moved)[mine.heads] - np.array(moved)[mine.tails]
                )
                inner.append((group, mine[steps <= 0]))
        groups = inner
    return found


def _fused(dependences: Dependences, statements: list[int], index: int, number: int) -> list[list[int]]:
    """Return groups that may share a loop, in order."""
    found: list[list[int]] = []
    for component in strong_components(dependences, statements):
        if found and _loop(dependences.within([*found[-1], *component]), index, number) is not None:
            found[-1] = [*found[-1], *component]
        else:
            found.append(component)
    return found


def _loop(dependences: Dependences, index: int, number: int) -> tuple[int, list[int]] | None:
    """Return the direction of a loop that these statements may share, and their shifts."""
    for sign in (1, -1):
        moved = shifts(dependences, sign * dependences.steps[:, index], number)
        if moved is not None:
            return sign, moved
    return None
