"""A loop nest on numbers: the value of every vertex of its DAG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pebble.computations.nests.expression import right_side
from pebble.computations.nests.nest_dag import NestDag


def vertex_values(found: NestDag, inputs: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the value of every vertex, of a sum the partial result, one after the other."""
    values = np.full(found.dag.n_vertices, np.nan)
    values[: found.first[0]] = inputs
    sides = [right_side(statement) for statement in found.nest.statements]
    for vertex in found.dag.topological_order().tolist():
        if vertex < found.first[0]:
            continue
        number = int(found.statements[vertex])
        at = vertex - found.first[number]
        values[vertex] = sides[number].value(*(values[column[at]] for column in found.reads[number]))
        if found.nest.statements[number].adds and (before := found.before[number][at]) >= 0:
            values[vertex] += values[before]
    return values
