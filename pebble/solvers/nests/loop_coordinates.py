"""Where in a loop nest each vertex stands: its loop indices, skewed or reversed where that lets loops be tiled."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.computations.nests.nest_dag import NestDag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic.tiled_orders import ABSENT
from pebble.solvers.nests.dependences import dependences_of, edges_of
from pebble.solvers.nests.nested_statements import nested_loops
from pebble.solvers.nests.permutable_axes import PermutableAxis, permutable_axes, places_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LoopCoordinates", "NestPart", "coordinate_systems", "part_of"]

_ROUNDS = 4
"""So far a place is passed on to statements that lack an axis."""


@dataclass(frozen=True, eq=False)
class LoopCoordinates:
    """A coordinate of every vertex on every axis.

    Attributes
    ----------
    names : tuple of str
        What the axes are, such as ``i + t``.
    places : ndarray of int64, shape (vertices, axes)
        At least 0, or ``ABSENT``.
    grouped : bool
        Whether some axis is the number of a group of statements: the axes are loops in this order.
    """

    names: tuple[str, ...]
    places: NDArray[np.int64]
    grouped: bool = False


@dataclass(frozen=True, eq=False)
class NestPart:
    """Some statements of a nest as a computation of their own.

    Attributes
    ----------
    dag : Dag
        What the statements compute, and as inputs what they read of others; what others read is an output.
    vertices : ndarray of int64
        The vertex of the whole nest for each vertex.
    statements : ndarray of int64
        The statement that computes each vertex; −1 for inputs.
    coordinates : LoopCoordinates
    """

    dag: Dag
    vertices: NDArray[np.int64]
    statements: NDArray[np.int64]
    coordinates: LoopCoordinates


def part_of(nest: NestDag, numbers: Collection[int]) -> NestPart:
    """Return some statements of a nest as a computation of their own."""
    dag = nest.dag
    head = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    computed = np.isin(nest.statements, list(numbers))
    inside = computed[head]
    used = computed.copy()
    used[dag.predecessors[inside]] = True
    vertices = np.flatnonzero(used)
    local = np.full(dag.n_vertices, -1, dtype=np.int64)
    local[vertices] = np.arange(len(vertices))
    degree = np.where(computed, dag.indegree, 0)[vertices]
    start = np.zeros(len(vertices) + 1, dtype=np.int64)
    np.cumsum(degree, out=start[1:])
    kept = np.zeros(dag.n_vertices, dtype=np.bool_)
    kept[dag.outputs] = True
    kept[dag.predecessors[~inside]] = True
    part = Dag(start, local[dag.predecessors[inside]], outputs=local[np.flatnonzero(kept & computed)])
    return NestPart(
        part, vertices, np.where(computed, nest.statements, -1)[vertices], _plain(nest, vertices, numbers)
    )


def coordinate_systems(part: NestPart) -> Iterator[LoopCoordinates]:
    """Yield the loop indices as they are, and others: groups of statements, axes along which nothing goes back.

    Examples
    --------
    >>> from pebble.computations.nests.nest_dag import nest_dag
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "A[t,i] = A[t-1,i-1] + A[t-1,i] + A[t-1,i+1] for t >= 1, i >= 1, i < 7"
    >>> part = part_of(nest_dag(loop_nest(text, {"t": 4, "i": 8})), [0])
    >>> [found.names for found in coordinate_systems(part)]
    [('t', 'i'), ('t', 'i + t')]
    """
    plain = part.coordinates
    yield plain
    filled = _filled(part)
    if (plain.places[part.statements >= 0] == ABSENT).any():
        yield LoopCoordinates(plain.names, filled)
    statements = _renumbered(part.statements)
    number = int(statements.max()) + 1
    if number > 1:
        yield from _skewed_by_statement(part)
    dependences = dependences_of(part.dag, statements, filled)
    seen: set[Any] = {tuple(np.eye(len(plain.names), dtype=int).ravel()) + (0,) * number * len(plain.names)}
    for order in _orders(len(plain.names)):
        axes = permutable_axes(dependences, order, number)
        key = () if axes is None else _key(axes)
        if axes is not None and key not in seen:
            seen.add(key)
            places = [places_on(axis, filled, statements) for axis in axes]
            yield LoopCoordinates(tuple(axis.name(plain.names) for axis in axes), np.stack(places, axis=1))
    for order in _orders(len(plain.names)):
        columns = nested_loops(dependences, order, number).columns(filled, statements)
        if any(index is None for index, _ in columns):
            yield LoopCoordinates(
                tuple("group of statements" if index is None else plain.names[index] for index, _ in columns),
                np.stack([column for _, column in columns], axis=1),
                grouped=True,
            )


def _skewed_by_statement(part: NestPart) -> Iterator[LoopCoordinates]:
    """Yield systems with the statements one after the other in each step of an axis, and other axes skewed by it."""
    edges = edges_of(part.dag)
    for at in range(len(part.coordinates.names)):
        skewed = _skewed(_by_statement(part, at), at, edges)
        if skewed is not None:
            yield skewed


def _orders(number: int) -> list[tuple[int, ...]]:
    """Return orders of the loop indices: each first, and the others as they stand."""
    return [(first, *(at for at in range(number) if at != first)) for first in range(number)]


def _key(axes: list[PermutableAxis]) -> tuple[int, ...]:
    """Return the same for the same axes in another order."""
    found = sorted((axis.factors, axis.shifts) for axis in axes)[::-1]
    return tuple(x for factors, _ in found for x in factors) + tuple(x for _, one in found for x in one)


def _renumbered(statements: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the statements numbered from 0 on; -1 for inputs."""
    numbers = np.unique(statements[statements >= 0])
    return np.where(statements >= 0, np.searchsorted(numbers, statements), -1)


def _filled(part: NestPart) -> NDArray[np.int64]:
    """Return places on all axes: where a statement lacks an index, the last one of what it reads, or 0."""
    places = part.coordinates.places.copy()
    tail, head = edges_of(part.dag)
    absent = places == ABSENT
    places[absent] = 0
    for axis in range(places.shape[1]):
        takes = absent[head, axis]
        for _ in range(_ROUNDS):
            before = places[:, axis].copy()
            np.maximum.at(places[:, axis], head[takes], places[tail[takes], axis])
            if np.array_equal(before, places[:, axis]):
                break
    return places


def _plain(nest: NestDag, vertices: NDArray[np.int64], numbers: Collection[int]) -> LoopCoordinates:
    names = tuple(dict.fromkeys(name for at in sorted(numbers) for name in nest.nest.statements[at].indices))
    places = np.full((nest.dag.n_vertices, len(names)), ABSENT, dtype=np.int64)
    for at in numbers:
        first, points = nest.first[at], nest.points[at]
        for column, name in enumerate(nest.nest.statements[at].indices):
            places[first : first + len(points), names.index(name)] = points[:, column]
    return LoopCoordinates(names, places[vertices])


def _by_statement(part: NestPart, at: int) -> LoopCoordinates:
    """Return the same with the statements one after the other in each step of an axis."""
    system = part.coordinates
    number = int(part.statements.max()) + 1
    places = system.places.copy()
    there = places[:, at] >= 0
    places[there, at] = places[there, at] * number + part.statements[there]
    names = tuple(f"{number}*{name} + statement" if k == at else name for k, name in enumerate(system.names))
    return LoopCoordinates(names, places)


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
