"""The explicit DAG of a family: every vertex with the list of its predecessors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.graph.dag import Dag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family

__all__ = ["explicit_dag"]


def explicit_dag(family: Family) -> Dag:
    """Build the DAG of a family, array by array."""
    counts, columns = [], []
    for array in family.arrays:
        matrix = _predecessor_matrix(family, array)
        present = matrix >= 0
        counts.append(present.sum(axis=1))
        columns.append(matrix[present])
    start = np.zeros(family.n_vertices + 1, dtype=np.int64)
    np.cumsum(np.concatenate(counts), out=start[1:])
    outputs = [_last_vertices(family, array)[_steps(family, array) > 0] for array in family.outputs]
    return Dag(
        start,
        np.concatenate(columns),
        names=family.names,
        outputs=np.concatenate(outputs),
        description=repr(family),
    )


def _predecessor_matrix(family: Family, array: Array) -> NDArray[np.int64]:
    """Return the predecessors of every vertex of an array, one row each; -1 where a chain begins."""
    offset, size = family.offset(array.name), family.size(array.name)
    columns = []
    if array.chain is not None:
        before = np.arange(offset - 1, offset + size - 1, dtype=np.int64)
        steps = _steps(family, array).ravel()
        begins = np.cumsum(steps) - steps
        before[begins[steps > 0]] = -1
        columns.append(before)
    for name in array.operands:
        columns.append(family.of_vertices(array.name, _read_by(family, array, family[name])))
    return np.stack(columns, axis=1) if columns else np.empty((size, 0), dtype=np.int64)


def _read_by(family: Family, array: Array, operand: Array) -> NDArray[np.int64]:
    """Return the vertex of an operand that each vertex of an array reads, of the array's shape."""
    order = [operand.axes.index(axis) for axis in array.indices if axis in operand.axes]
    form = [family.extents[axis] if axis in operand.axes else 1 for axis in array.indices]
    vertices = _last_vertices(family, operand).transpose(order).reshape(form)
    return np.broadcast_to(vertices, family.shape(array.name))


def _last_vertices(family: Family, array: Array) -> NDArray[np.int64]:
    """Return the last vertex of every element's chain; meaningless for elements that do not exist."""
    steps = _steps(family, array)
    return family.offset(array.name) + np.cumsum(steps, dtype=np.int64).reshape(steps.shape) - 1


def _steps(family: Family, array: Array) -> NDArray[np.int64]:
    """Return how many vertices every element of an array has; 0 where it does not exist."""
    exists = family.exists(array.name)
    return exists.astype(np.int64) if array.chain is None else np.count_nonzero(exists, axis=-1)
