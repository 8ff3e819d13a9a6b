"""Where in a loop nest each vertex stands: its loop indices, skewed or reversed where that lets loops be tiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.nests.nest_dag import NestDag
from pebble.solvers.heuristic.tiled_orders import ABSENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LoopCoordinates", "coordinate_systems"]


@dataclass(frozen=True, eq=False)
class LoopCoordinates:
    """A coordinate of every vertex on every axis.

    Attributes
    ----------
    names : tuple of str
        What the axes are, such as ``i + t``.
    places : ndarray of int64, shape (vertices, axes)
        At least 0, or ``ABSENT``.
    """

    names: tuple[str, ...]
    places: NDArray[np.int64]


def coordinate_systems(nest: NestDag) -> Iterator[LoopCoordinates]:
    """Yield the loop indices as they are, then with axes reversed and skewed where some dependence goes back.

    Examples
    --------
    >>> from pebble.computations.nests.nest_dag import nest_dag
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "A[t,i] = A[t-1,i-1] + A[t-1,i] + A[t-1,i+1] for t >= 1, i >= 1, i < 7"
    >>> [found.names for found in coordinate_systems(nest_dag(loop_nest(text, {"t": 4, "i": 8})))]
    [('t', 'i'), ('t', 'i + t')]
    """
    plain = _plain(nest)
    yield plain
    edges = _edges(nest)
    for at in range(len(plain.names)):
        for system in (plain, _by_statement(nest, plain, at)):
            skewed = _skewed(system, at, edges)
            if skewed is not None:
                yield skewed
                break


def _plain(nest: NestDag) -> LoopCoordinates:
    names = tuple(dict.fromkeys(name for one in nest.nest.statements for name in one.indices))
    places = np.full((nest.dag.n_vertices, len(names)), ABSENT, dtype=np.int64)
    for statement, first, points in zip(nest.nest.statements, nest.first, nest.points, strict=True):
        for column, name in enumerate(statement.indices):
            places[first : first + len(points), names.index(name)] = points[:, column]
    return LoopCoordinates(names, places)


def _by_statement(nest: NestDag, system: LoopCoordinates, at: int) -> LoopCoordinates:
    """Return the same with the statements one after the other in each step of an axis."""
    number = len(nest.nest.statements)
    places = system.places.copy()
    there = places[:, at] >= 0
    places[there, at] = places[there, at] * number + nest.statements[there]
    names = tuple(f"{number}*{name} + statement" if k == at else name for k, name in enumerate(system.names))
    return LoopCoordinates(names, places)


def _edges(nest: NestDag) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges between computed vertices, as (tails, heads)."""
    dag = nest.dag
    head = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    inside = dag.indegree[dag.predecessors] > 0
    return dag.predecessors[inside], head[inside]


def _skewed(
    system: LoopCoordinates, at: int, edges: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> LoopCoordinates | None:
    """Return the system with the other axes reversed or skewed by one that never goes back; None if nothing changes."""
    places, names = system.places.copy(), list(system.names)
    tail, head = edges
    both = (places[tail, at] >= 0) & (places[head, at] >= 0)
    steps = (places[head, at] - places[tail, at])[both]
    if not len(steps) or steps.min() < 0 or steps.max() == 0:
        return None
    for axis in range(len(names)):
        here = both & (places[tail, axis] >= 0) & (places[head, axis] >= 0)
        moved = places[head, axis] - places[tail, axis]
        if axis == at or not here.any() or moved[here].min() >= 0:
            continue
        there = places[:, axis] >= 0
        if moved[here].max() <= 0:
            places[there, axis] = places[:, axis].max() - places[there, axis]
            names[axis] = f"-{names[axis]}"
            continue
        back = here & (moved < 0)
        step = places[head, at] - places[tail, at]
        if (step[back] == 0).any():
            continue
        skew = int((-moved[back] // step[back] + (-moved[back] % step[back] > 0)).max())
        with_both = there & (places[:, at] >= 0)
        places[with_both, axis] += skew * places[with_both, at]
        factor = "" if skew == 1 else f"{skew}*"
        name = names[at] if " " not in names[at] else f"({names[at]})"
        names[axis] = f"{names[axis]} + {factor}{name}"
    return LoopCoordinates(tuple(names), places) if tuple(names) != system.names else None
