"""Lattices recognised in a graph: integer coordinates of its vertices, found from its edges alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.axes import LARGE_FAMILY, Axes
from pebble.solvers.heuristic.cone_steps import ConeSteps
from pebble.solvers.heuristic.label_order import LabelOrder
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.operand_order import with_ordered_operands
from pebble.solvers.heuristic.tiling_search import ABSENT, better_tilings

_PRICED = ((60_000, 8_000_000), (1_000_000, 20_000_000), (1 << 60, 5_000_000))
"""Largest graph (vertices and edges), and how many vertices and edges to price in it over all orders."""
_MOST_TRIALS, _LEAST_TRIALS = 1000, 3
_MOST_AXES = 4
_FINER = 1.5
"""An axis is taken if it tells apart this many times as many cones of a family as those before it."""


def lattice_coordinates(graph: NeededGraph) -> NDArray[np.int64]:
    """Return the axes that are recognised in the edges of a graph, one column each; ``ABSENT`` where there is none."""
    if not len(graph.todo):
        return np.empty((graph.n, 0), dtype=np.int64)
    graph = with_ordered_operands(graph)
    return _ConeLattice(graph, ConeSteps(graph)).coordinates()


def lattice_orders(
    graph: NeededGraph,
    M: int,
    coordinates: NDArray[np.int64],
    cost: Callable[[NDArray[np.int64]], int],
    seed: int = 0,
) -> Iterator[NDArray[np.int64]]:
    """Yield tiled orders, each better than those before it; none if there are no axes.

    Parameters
    ----------
    graph : NeededGraph
    M : int
        Words of fast memory.
    coordinates : array of int64, shape (V, d)
        See :func:`lattice_coordinates`.
    cost : callable
        From an order to its I/O.
    seed : int
        Of the changes that are tried.
    """
    if coordinates.shape[1]:
        trials = _trials(graph.n + graph.dag.n_edges)
        for order, _ in better_tilings(graph, coordinates, M, cost, trials, seed):
            yield order


def _trials(size: int) -> int:
    """Return how many orders of a graph to price; its size is its vertices plus its edges."""
    priced = next(priced for largest, priced in _PRICED if size <= largest)
    return min(max(priced // size, _LEAST_TRIALS), _MOST_TRIALS, 100 + size // 5)


class _ConeLattice:
    def __init__(self, graph: NeededGraph, steps: ConeSteps) -> None:
        self.graph, self.steps = graph, steps
        self.axes = Axes(self.steps, graph.n)
        self.labels = LabelOrder(graph, self.steps)

    def coordinates(self) -> NDArray[np.int64]:
        """Return the axes and the steps as columns."""
        columns: list[NDArray[np.int64]] = []
        axes = self._chosen_axes()
        for labels in axes:
            self._add(columns, self._of_vertices(labels))
        self._add(columns, self._step_column(axes))
        return np.stack(columns, axis=1) if columns else np.empty((self.graph.n, 0), np.int64)

    def _add(self, columns: list[NDArray[np.int64]], column: NDArray[np.int64]) -> None:
        """Add a column unless it is constant or orders the vertices like one that is there; the fuller one stays."""
        todo = self.graph.todo
        here = column[todo]
        if len(np.unique(here[here >= 0])) < 2:
            return
        for at, other in enumerate(columns):
            if _same_order(here, other[todo]):
                if np.sum(here >= 0) > np.sum(other[todo] >= 0):
                    columns[at] = column
                return
        columns.append(column)

    def _chosen_axes(self) -> list[NDArray[np.int64]]:
        """Return ordered axes that together tell the cones apart, as far as possible."""
        chosen: list[NDArray[np.int64]] = []
        apart = np.zeros(self.axes.cones, dtype=np.int64)
        for labels in self.axes.found:
            ordered = self.labels.ordered(labels)
            here = self._of_vertices(ordered)[self.steps.root]
            finer = np.unique(np.stack([apart, here]), axis=1, return_inverse=True)[1].reshape(-1)
            if not self._tells_apart(apart, finer):
                continue
            apart = finer
            chosen.append(ordered)
            if len(chosen) == _MOST_AXES:
                break
        return chosen

    def _tells_apart(self, before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
        """Return whether a partition of the cones is much finer than the one before, in some large family."""
        for family in np.unique(self.steps.family).tolist():
            members = self.steps.family == family
            if members.mean() >= LARGE_FAMILY and len(np.unique(after[members])) >= _FINER * len(
                np.unique(before[members])
            ):
                return True
        return False

    def _of_vertices(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the label of each vertex's cone; where there is none, that of the values its step takes."""
        steps, cones = self.steps, self.axes.cones
        of = steps.of
        column = np.where(of >= 0, labels[:cones][of], ABSENT)
        value = np.where(of[steps.value] >= 0, labels[cones + steps.value], ABSENT)
        most = self._by_step(value, value >= 0)
        least = labels.max() - self._by_step(labels.max() - value, value >= 0)
        inside = (of >= 0) & (column == ABSENT) & (steps.step >= 0)
        place = of[inside] * self._width + steps.step[inside]
        column[inside] = np.where(most[place] >= 0, (least[place] + most[place]) // 2, ABSENT)
        return column

    @property
    def _width(self) -> int:
        return int(self.steps.position.max(initial=0)) + 2

    def _by_step(self, values: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the greatest value of the uses in each step of each cone, ABSENT if there is none."""
        steps = self.steps
        table = np.full(self.axes.cones * self._width, ABSENT, dtype=np.int64)
        np.maximum.at(table, (steps.cone * self._width + steps.position)[where], values[where])
        return table

    def _step_column(self, axes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the number of each vertex's step, except in cones that an axis lacks but their values have."""
        steps, cones = self.steps, self.axes.cones
        column = steps.step.copy()
        for labels in axes:
            value = np.where(steps.of[steps.value] >= 0, labels[cones + steps.value], ABSENT)
            along = (labels[:cones][steps.cone] < 0) & (value >= 0)
            families = np.unique(steps.family[steps.cone[along]])
            inside = (steps.of >= 0) & np.isin(steps.family[steps.of], families)
            column[inside] = ABSENT
        return column


def _same_order(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Return whether two columns order what both know in the same way."""
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return False
    one, other = (np.unique(column[both], return_inverse=True)[1] for column in (a, b))
    return np.array_equal(one, other)
