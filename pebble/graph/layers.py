"""A drawing of a small DAG in layers: inputs at the bottom, every vertex above its predecessors."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import TopologicalSorter

from pebble.common.spacing import spread
from pebble.graph.any_dag import AnyDag

__all__ = ["Layout", "layered_layout"]

_SWEEPS = 8


@dataclass(frozen=True)
class Layout:
    """Places of the vertices.

    Attributes
    ----------
    layer : tuple of int
        For each vertex; 0 is the lowest. Every edge leads upwards.
    x : tuple of float
        For each vertex, from 0; neighbours in a layer are at least 1 apart.
    """

    layer: tuple[int, ...]
    x: tuple[float, ...]

    @property
    def width(self) -> float:
        """Distance of the leftmost and the rightmost vertex."""
        return max(self.x)


def layered_layout(dag: AnyDag) -> Layout:
    """Place the vertices of a DAG in layers.

    The layer of a computed vertex is the length of the longest path to it; an input lies just below the first vertex
    that uses it. Inside a layer, the order and the coordinates follow the means of the neighbours.

    Parameters
    ----------
    dag : AnyDag
        Small enough to be drawn: the cost is some milliseconds for a thousand vertices.

    Examples
    --------
    >>> from pebble.computations.classic_dags import pyramid
    >>> layered_layout(pyramid(2))
    Layout(layer=(0, 0, 0, 1, 1, 2), x=(0.0, 1.0, 2.0, 0.5, 1.5, 1.0))
    """
    below = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
    above: list[list[int]] = [[] for _ in below]
    for v, row in enumerate(below):
        for p in row:
            above[p].append(v)
    layer = _layers(below, above)
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for v, at in enumerate(layer):
        rows[at].append(v)
    x = [0.0] * len(below)
    for row in rows:
        for place, v in enumerate(row):
            x[v] = place - (len(row) - 1) / 2
    for sweep in range(_SWEEPS):
        up = sweep % 2 == 0
        for row in rows if up else reversed(rows):
            _arrange(row, x, below if up else above, above if up else below)
    _settle(rows, x, below, above)
    least = min(x)
    return Layout(tuple(layer), tuple(round(place - least, 2) for place in x))


def _layers(below: list[list[int]], above: list[list[int]]) -> list[int]:
    layer = [0] * len(below)
    for v in TopologicalSorter(dict(enumerate(below))).static_order():
        layer[v] = 1 + max((layer[p] for p in below[v]), default=-1)
    for v, row in enumerate(below):
        if not row and above[v]:
            layer[v] = min(layer[w] for w in above[v]) - 1
    return layer


def _arrange(row: list[int], x: list[float], first: list[list[int]], second: list[list[int]]) -> None:
    """Order a layer by the means of the neighbours on one side; where there are none, on the other side."""
    wanted = {v: _mean(first[v] or second[v], x, x[v]) for v in row}
    row.sort(key=lambda v: (wanted[v], x[v], v))
    for v, place in zip(row, spread([wanted[v] for v in row]), strict=True):
        x[v] = place


def _settle(rows: list[list[int]], x: list[float], below: list[list[int]], above: list[list[int]]) -> None:
    """Move the vertices between their neighbours on both sides; the order stays."""
    for _ in range(_SWEEPS):
        for row in rows:
            wanted = [_mean(below[v] + above[v], x, x[v]) for v in row]
            for v, place in zip(row, spread(wanted), strict=True):
                x[v] = place


def _mean(vertices: list[int], x: list[float], otherwise: float) -> float:
    return sum(x[v] for v in vertices) / len(vertices) if vertices else otherwise
