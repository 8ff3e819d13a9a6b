"""Checks of what a DAG is built from (rows, edges, names, outputs), and the text that shows a cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.graph.edge_arrays import edge_heads, frozen, sorted_edges, whole_numbers
from pebble.graph.names import ListedNames, NumberedNames, VertexNames

__all__ = ["check_edges", "check_rows", "checked_names", "checked_outputs", "cycle_text", "path_text"]

_SHOWN = 8


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
        raise InvalidInput(f"{names[int(predecessors[loops[0]])]} is its own predecessor; remove that edge")
    edges = sorted_edges(start, predecessors)
    twice = np.flatnonzero(edges[1:] == edges[:-1])
    if twice.size:
        v, p = divmod(int(edges[twice[0]]), n_vertices)
        raise InvalidInput(f"the edge {names[p]} -> {names[v]} is there twice; keep one of them")


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


def cycle_text(
    start: NDArray[np.int64], predecessors: NDArray[np.int64], missing: list[int], names: VertexNames
) -> str:
    """Show a cycle: walk back along predecessors that were never ready until one comes up again."""
    place: dict[int, int] = {}
    v = next(v for v, count in enumerate(missing) if count)
    while v not in place:
        place[v] = len(place)
        v = next(p for p in predecessors[start[v] : start[v + 1]].tolist() if missing[p])
    return path_text([names[w] for w in [*list(place)[place[v] :], v][::-1]])


def path_text(way: list[str]) -> str:
    """Return the names of the vertices on a path, those in the middle left out if there are many."""
    if len(way) > _SHOWN:
        way = [*way[: _SHOWN - 2], f"... ({len(way) - _SHOWN + 1} more)", way[-1]]
    return " -> ".join(way)
