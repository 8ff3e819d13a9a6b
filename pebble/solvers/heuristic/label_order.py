"""The order of the labels on an axis: by what depends on what, by which are alike, or by number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.graph.edge_arrays import grouped
from pebble.graph.order import heights, order_vertices
from pebble.solvers.heuristic.cone_steps import ConeSteps
from pebble.solvers.heuristic.needed_graph import NeededGraph

_MOST_LABELS = 600
"""Labels up to which eigenvectors are computed."""
_MOST_CELLS = 8_000_000
_WIDE = 0.75
"""A value with uses in more than this part of the labels tells nothing about which are alike."""


class LabelOrder:
    """Puts the labels of an axis in order.

    Tried in turn, until one tells most labels apart: the step of the cones in which the values of a label are used;
    the longest path, if values of one label are used for another and never the other way round; the eigenvector of
    the second least eigenvalue of the Laplacian of the labels, weighted by how many values two labels share
    (labels on a line come in the order of the line); the least number of a vertex.
    """

    def __init__(self, graph: NeededGraph, steps: ConeSteps) -> None:
        self._graph, self._steps = graph, steps

    def ordered(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the labels replaced by 0, 1, …; -1 stays."""
        known = labels >= 0
        names, place = np.unique(labels[known], return_inverse=True)
        compact = np.full(len(labels), -1, dtype=np.int64)
        compact[known] = place
        step = self._by_step(compact, len(names))
        if step is not None:
            compact[known] = np.unique(step, return_inverse=True)[1][place]
            return compact
        number = self._least_number(compact, len(names))
        found = self._by_path(compact, len(names))
        if found is None or 2 * len(np.unique(found)) <= len(names):
            found = self._by_likeness(compact, len(names))
            if found is None:
                found = number
            elif np.sum(found * (number - number.mean())) < 0:
                found = -found
        rank = np.empty(len(names), dtype=np.int64)
        rank[np.lexsort((number, found))] = np.arange(len(names))
        compact[known] = rank[place]
        return compact

    def _least_number(self, labels: NDArray[np.int64], count: int) -> NDArray[np.float64]:
        """Return for each label the mean place of its vertices in the topological order."""
        steps, cones = self._steps, len(self._steps.root)
        place = np.empty(self._graph.n)
        place[self._graph.dag.topological_order()] = np.arange(self._graph.n)
        total, many = np.zeros(count), np.zeros(count)
        where = np.concatenate([place[steps.root], place])
        inputs = np.concatenate([np.zeros(cones, dtype=np.bool_), np.array(self._graph.is_input)])
        for chosen in (inputs & (labels >= 0), labels >= 0):
            total[:], many[:] = 0, 0
            np.add.at(total, labels[chosen], where[chosen])
            np.add.at(many, labels[chosen], 1)
            if many.all():
                break
        return total / np.maximum(many, 1)

    def _by_step(self, labels: NDArray[np.int64], count: int) -> NDArray[np.float64] | None:
        """Return the mean step in which each label's values are used, if cones without this axis go through it.

        A label has one step only; but the first two terms of a sum may have changed places.
        """
        steps, cones = self._steps, len(self._steps.root)
        value = labels[cones + steps.value]
        along = (labels[:cones][steps.cone] < 0) & (value >= 0)
        value, position = value[along], steps.position[along]
        many = np.bincount(value, minlength=count)
        if not along.any() or not many.all():
            return None
        least, most = np.full(count, position.max()), np.zeros(count, dtype=np.int64)
        np.minimum.at(least, value, position)
        np.maximum.at(most, value, position)
        loose = most > least
        if np.any(most[loose] > 1) or np.sum(loose) > 2 or most.max() == most.min():
            return None
        mean: NDArray[np.float64] = np.bincount(value, weights=position, minlength=count) / many
        return mean

    def _by_path(self, labels: NDArray[np.int64], count: int) -> NDArray[np.float64] | None:
        """Return the longest path to each label in the graph of labels, if that has no cycle."""
        steps, cones = self._steps, len(self._steps.root)
        producer = steps.of[steps.value]
        tail, head = labels[:cones][producer], labels[:cones][steps.cone]
        use = (producer >= 0) & (tail >= 0) & (head >= 0) & (tail != head)
        pairs = np.unique(np.stack([tail[use], head[use]]), axis=1)
        if not pairs.size:
            return None
        return _longest_paths(pairs[0], pairs[1], count)

    def _by_likeness(self, labels: NDArray[np.int64], count: int) -> NDArray[np.float64] | None:
        """Return the Fiedler vector of the labels, weighted by the values they share; None if all share the same."""
        steps, cones = self._steps, len(self._steps.root)
        place = labels[:cones][steps.cone]
        use = place >= 0
        values, row = np.unique(steps.value[use], return_inverse=True)
        if not 2 < count <= _MOST_LABELS or len(values) * count > _MOST_CELLS:
            return None
        table = np.zeros((len(values), count))
        table[row, place[use]] = 1
        table = table[table.sum(axis=1) <= _WIDE * count]
        shared = table.T @ table
        np.fill_diagonal(shared, 0)
        off = shared[~np.eye(count, dtype=np.bool_)]
        if off.max() - off.min() < 0.5 * off.max() or not off.max():
            return None
        laplacian = np.diag(shared.sum(axis=1)) - shared
        return np.round(np.linalg.eigh(laplacian)[1][:, 1], 9)


def _longest_paths(
    tail: NDArray[np.int64], head: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    """Return the longest path over pairs to each of ``count`` labels; None if there is a cycle.

    >>> _longest_paths(np.array([0, 0, 1]), np.array([1, 2, 2]), 4)
    array([0., 1., 2., 0.])
    """
    order, _ = order_vertices(*grouped(head, tail, count), np.bincount(head, minlength=count))
    if len(order) < count:
        return None
    return np.array(heights(np.array(order, dtype=np.int64), *grouped(tail, head, count)), dtype=np.float64)
