"""A loop nest on numbers: the value of every vertex of its DAG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.nests.expression import right_side
from pebble.computations.nests.nest_dag import NestDag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pebble.computations.nests.expression import Expression

__all__ = ["vertex_values"]


def vertex_values(found: NestDag, inputs: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the value of every vertex, one after the other.

    Parameters
    ----------
    found : NestDag
    inputs : sequence of float
        Values of the inputs, in the order of their vertices.

    Returns
    -------
    ndarray of float64
        One value for each vertex; of a sum the partial result.

    Raises
    ------
    InvalidInput
        If there are not as many values as inputs.

    Examples
    --------
    >>> from pebble.computations.nests.nest_dag import nest_dag
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> found = nest_dag(loop_nest("x[t] = x[t-1] + x[t-2]", {"t": 6}))
    >>> vertex_values(found, [1, 1]).tolist()
    [1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0]
    """
    dag, first = found.dag, found.first[0]
    if len(inputs) != first:
        raise InvalidInput(f"{len(inputs)} values for {first} inputs")
    values = np.full(dag.n_vertices, np.nan)
    values[:first] = inputs
    sides = [right_side(statement) for statement in found.nest.statements]
    numbers = found.statements
    for vertex in dag.topological_order().tolist():
        if vertex >= first:
            number = int(numbers[vertex])
            values[vertex] = _value(found, vertex, number, sides[number], values)
    return values


def _value(found: NestDag, vertex: int, number: int, side: Expression, values: NDArray[np.float64]) -> float:
    at = vertex - found.first[number]
    term = float(side.value(*(values[column[at]] for column in found.reads[number])))
    if not found.nest.statements[number].adds:
        return term
    before = found.before[number][at]
    return term + (float(values[before]) if before >= 0 else 0.0)
