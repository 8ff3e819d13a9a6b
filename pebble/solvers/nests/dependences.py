"""Which statement depends on which, and how far apart on each axis; shifts of statements that let no step go back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.graph.dag import Dag

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Dependences", "dependences_of", "shifts", "strong_components"]

_MOST_CODES = 2**62
_MOST_SHIFT = 2
"""Statements that are shifted by more have nothing of the same loop."""


@dataclass(frozen=True, eq=False)
class Dependences:
    """The different dependences between statements.

    Attributes
    ----------
    tails, heads : ndarray of int64, shape (n,)
        The statements that compute what is read, and that read it.
    steps : ndarray of int64, shape (n, axes)
        The reader's place on each axis, less that of what it reads.
    """

    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    steps: NDArray[np.int64]

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Dependences:
        return Dependences(self.tails[chosen], self.heads[chosen], self.steps[chosen])

    def within(self, statements: Collection[int]) -> Dependences:
        """Return the dependences between some statements."""
        these = list(statements)
        return self[np.isin(self.tails, these) & np.isin(self.heads, these)]


def edges_of(dag: Dag) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges between computed vertices, as (tails, heads)."""
    head = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    inside = dag.indegree[dag.predecessors] > 0
    return dag.predecessors[inside], head[inside]


def dependences_of(dag: Dag, statements: NDArray[np.int64], places: NDArray[np.int64]) -> Dependences:
    """Return the different dependences of a graph whose computed vertices have a place on every axis.

    Examples
    --------
    >>> dag = Dag.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> found = dependences_of(dag, np.array([-1, 0, 0, 0]), np.array([[0], [0], [1], [2]]))
    >>> found.tails.tolist(), found.steps.tolist()
    ([0], [[1]])
    """
    tail, head = edges_of(dag)
    columns = [statements[tail], statements[head], *(places[head] - places[tail]).T]
    low = [int(column.min(initial=0)) for column in columns]
    spans = [int(column.max(initial=0)) - least + 1 for column, least in zip(columns, low, strict=True)]
    if float(np.prod(np.array(spans, dtype=np.float64))) > _MOST_CODES:
        rows = np.unique(np.stack(columns, axis=1), axis=0)
        return Dependences(rows[:, 0], rows[:, 1], rows[:, 2:])
    code = np.zeros(len(tail), dtype=np.int64)
    for column, least, span in zip(columns, low, spans, strict=True):
        code = code * span + (column - least)
    code = np.unique(code)
    found = []
    for least, span in zip(reversed(low), reversed(spans), strict=True):
        code, rest = np.divmod(code, span)
        found.append(rest + least)
    tails, heads, *steps = reversed(found)
    return Dependences(
        tails, heads, np.stack(steps, axis=1) if steps else np.zeros((len(tails), 0), np.int64)
    )


def shifts(dependences: Dependences, steps: NDArray[np.int64], number: int) -> list[int] | None:
    """Return how far each statement has to be shifted so that no step goes back; None if that is not a little.

    Parameters
    ----------
    dependences : Dependences
    steps : ndarray of int64, shape (n,)
        The step of each dependence.
    number : int
        Of statements.

    Notes
    -----
    Longest paths over the statements: the shift of a reader is at least that of what it reads, less the step.

    Examples
    --------
    >>> back = Dependences(np.array([0, 1]), np.array([1, 0]), np.array([[-1], [1]]))
    >>> shifts(back, back.steps[:, 0], 2), shifts(back, -2 - back.steps[:, 0], 2)
    ([0, 1], None)
    """
    least: dict[tuple[int, int], int] = {}
    for tail, head, step in zip(
        dependences.tails.tolist(), dependences.heads.tolist(), steps.tolist(), strict=True
    ):
        least[tail, head] = min(step, least.get((tail, head), step))
    found = [0] * number
    for _ in range(number + 1):
        before = list(found)
        for (tail, head), step in least.items():
            found[head] = max(found[head], found[tail] - step)
        if max(found) > _MOST_SHIFT:
            return None
        if found == before:
            return found
    return None


def strong_components(dependences: Dependences, statements: Collection[int]) -> list[list[int]]:
    """Return the statements in an order of computation; those that depend on each other in one group.

    Examples
    --------
    >>> found = Dependences(np.array([2, 0, 2]), np.array([0, 2, 1]), np.zeros((3, 0), dtype=np.int64))
    >>> strong_components(found, [0, 1, 2])
    [[0, 2], [1]]
    """
    numbers = sorted(statements)
    reaches = np.eye(max(numbers) + 1, dtype=np.bool_)
    reaches[dependences.tails, dependences.heads] = True
    for middle in numbers:
        reaches |= reaches[:, [middle]] & reaches[[middle], :]
    inside = np.zeros(len(reaches), dtype=np.bool_)
    inside[numbers] = True
    together = {tuple(np.flatnonzero(reaches[at] & reaches[:, at]).tolist()) for at in numbers}
    # What reaches more comes first; of two that do not reach each other, the one that stands first.
    return sorted(map(list, together), key=lambda group: (-int((reaches[group[0]] & inside).sum()), group))
