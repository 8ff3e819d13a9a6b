"""Checks of what a DAG is built from (rows, edges, names, outputs), and the text that shows a cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.graph.edge_arrays import edge_heads, frozen, sorted_edges, whole_numbers
from pebble.graph.names import ListedNames, NumberedNames, VertexNames

_SHOWN = 8


class EdgeFault(InvalidInput):
    """Edges that no computation has: a loop, an edge given twice, a cycle.

    Attributes
    ----------
    way : list of int
        The vertices along these edges.
    """

    def __init__(self, what: str, way: list[int], names: VertexNames) -> None:
        self._what, self.way = what, way
        super().__init__(self.text(names))

    def text(self, names: VertexNames | Sequence[object]) -> str:
        """Return the message, with other names of the vertices if need be; the middle of a long way is left out."""
        shown = [str(names[v]) for v in (*self.way[: _SHOWN - 1], self.way[-1])]
        if (left_out := len(self.way) - _SHOWN) > 0:
            shown[-2] = f"... ({left_out + 1} more)"
        elif left_out < 0:
            shown.pop()
        return self._what.format(" -> ".join(shown), shown[0])


def check_rows(start: NDArray[np.int64], predecessors: NDArray[np.int64]) -> None:
    """Check that the starts of the rows rise from 0 to the number of predecessors."""
    if len(start) < 2:
        raise InvalidInput("a DAG needs at least one vertex: predecessor_start must have V + 1 >= 2 entries")
    if start[0] != 0 or start[-1] != len(predecessors) or bool(np.any(start[1:] < start[:-1])):
        raise InvalidInput(
            "predecessor_start must rise from 0 to the number of edges, "
            f"{len(predecessors)}; it goes from {start[0]} to {start[-1]}"
        )


def checked_names(names: VertexNames | Sequence[str] | None, n_vertices: int) -> VertexNames:
    """Return the names of the vertices, numbers where none are given."""
    if names is None:
        return NumberedNames(n_vertices)
    if isinstance(names, (list, tuple)):
        names = ListedNames(names)
    if len(names) != n_vertices:
        raise InvalidInput(f"{len(names)} names for {n_vertices} vertices")
    return names


def check_edges(start: NDArray[np.int64], predecessors: NDArray[np.int64], names: VertexNames) -> None:
    """Check that predecessors exist, that no vertex is its own predecessor, and that no edge occurs twice."""
    n_vertices = len(start) - 1
    wrong = np.flatnonzero((predecessors < 0) | (predecessors >= n_vertices))
    if wrong.size:
        raise InvalidInput(
            f"{names[int(edge_heads(start)[wrong[0]])]} has the predecessor {predecessors[wrong[0]]}, "
            f"but the vertices are 0 to {n_vertices - 1}"
        )
    loops = np.flatnonzero(predecessors == edge_heads(start))
    if loops.size:
        v = int(predecessors[loops[0]])
        raise EdgeFault("{1} is its own predecessor; remove that edge", [v, v], names)
    edges = sorted_edges(start, predecessors)
    twice = np.flatnonzero(edges[1:] == edges[:-1])
    if twice.size:
        v, p = divmod(int(edges[twice[0]]), n_vertices)
        raise EdgeFault("the edge {} is given twice; keep one of them", [p, v], names)


def checked_outputs(
    outputs: Iterable[Any], n_vertices: int, vertex: Callable[[Any], int]
) -> NDArray[np.int64]:
    """Return the outputs as numbers, ascending; ``vertex`` gives the number of one given as a name."""
    if isinstance(outputs, np.ndarray):
        chosen = np.unique(whole_numbers(outputs, "outputs"))
        if chosen.size and not 0 <= chosen[0] <= chosen[-1] < n_vertices:
            raise InvalidInput(f"an output lies outside 0..{n_vertices - 1}")
    else:
        chosen = np.array(sorted({vertex(v) for v in outputs}), dtype=np.int64)
    if chosen.size == 0:
        raise InvalidInput("a DAG needs at least one output, or there is nothing to compute")
    return frozen(chosen)


def cycle_fault(
    start: NDArray[np.int64], predecessors: NDArray[np.int64], missing: list[int], names: VertexNames
) -> EdgeFault:
    """Return the error that shows a cycle: walk back along predecessors never ready until one comes up again."""
    place: dict[int, int] = {}
    v = next(v for v, count in enumerate(missing) if count)
    while v not in place:
        place[v] = len(place)
        v = next(p for p in predecessors[start[v] : start[v + 1]].tolist() if missing[p])
    way = [*list(place)[place[v] :], v][::-1]
    return EdgeFault("the graph has a cycle: {}; a computation cannot have one", way, names)
