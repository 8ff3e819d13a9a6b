"""Places of vertices on a lattice whose dependences are the same everywhere, as those of a stencil."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import ABSENT
from pebble.solvers.heuristic.translation_rows import ordered_rows

__all__ = ["Translations", "found_translations", "translation_columns"]

_MOST_ROLES = 27
_MOST_DIMENSIONS = 4
_FARTHEST = 3
"""Steps on an axis that an edge may go."""
_LEAST_PART = 0.3
"""Part of the vertices that must have as many predecessors as most have; the boundaries of a stencil have fewer."""
_ALIKE = 0.5
"""Part of the vertices around which the paths of two edges must meet in the same way."""
_FITTING = 0.98
"""Part of the edges that the places found must explain."""
_SAMPLES = 60
"""Vertices whose paths of two edges are looked at, or some more."""


@dataclass(frozen=True, eq=False)
class Translations:
    """A lattice of which every edge is one of a few translations.

    Attributes
    ----------
    columns : list of array of int64, shape (V,)
        The time, which every edge adds one to; the axes of space, on which edges add little; then sums and differences
        of these and the time, on which no edge goes back. All places are at least 0.
    dimensions : int
        Of space.
    radius : int
        The most that an edge adds to an axis of space.
    """

    columns: list[NDArray[np.int64]]
    dimensions: int
    radius: int


def translation_columns(graph: NeededGraph) -> list[NDArray[np.int64]]:
    """Return the columns of :func:`found_translations`; none if there is no such lattice."""
    found = found_translations(graph)
    return [] if found is None else found.columns


def found_translations(graph: NeededGraph) -> Translations | None:
    """Return the lattice of which every edge is one of a few translations; None if there is no such lattice.

    The predecessors of a vertex in their order are its translations back. Where two paths of two edges meet again,
    the sums of their translations are equal; these equations say in how many dimensions the lattice lies and what
    each translation is. Places follow from one vertex to the next. A vertex at the boundary, with fewer
    predecessors, gets the place that most of these lead to. Where the rows of predecessors are in no
    order, one is looked for, or that of their numbers is tried.

    Notes
    -----
    Costs O(E) for a fixed number of predecessors.
    """
    rows = _rows(graph)
    if rows is None:
        return None
    vertices, given = rows
    found = _translated(graph, vertices, given)
    if found is not None or not _is_in_levels(graph, vertices, given):
        return found
    ordered = ordered_rows(vertices, given, graph.n, _small_solutions)
    return _translated(graph, vertices, np.sort(given, axis=1) if ordered is None else ordered)


def _is_in_levels(graph: NeededGraph, vertices: NDArray[np.int64], table: NDArray[np.int64]) -> bool:
    """Return whether nearly all these vertices have predecessors of one level only, as those of a stencil."""
    level = np.array(graph.level, dtype=np.int64)
    return bool(np.mean(level[table] == level[vertices][:, None] - 1) > _FITTING)


def _translated(
    graph: NeededGraph, vertices: NDArray[np.int64], table: NDArray[np.int64]
) -> Translations | None:
    axes = _axes(vertices, table, graph.n)
    if not axes:
        return None
    shifts = np.array(axes, dtype=np.int64).T
    place, known = _places(graph, vertices, table, shifts)
    fits = np.all(place[vertices][:, None, :] == place[table] + shifts[None, :, :], axis=2)
    if fits.mean() < _FITTING:
        return None
    _extend(graph, place, known, shifts)
    columns = _columns(place, np.array(known, dtype=np.bool_) & np.array(graph.wanted), shifts)
    return Translations(columns, len(axes) - 1, int(np.abs(shifts[:, 1:]).max()))


def _rows(graph: NeededGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the vertices with the most frequent number of predecessors, and these; None if they are too few."""
    degree = graph.dag.indegree
    todo = graph.todo
    most = int(np.bincount(degree[todo]).argmax())
    vertices = todo[degree[todo] == most]
    if not 2 <= most <= _MOST_ROLES or len(vertices) < _LEAST_PART * len(todo):
        return None
    start = graph.dag.predecessor_start[vertices]
    return vertices, graph.dag.predecessors[start[:, None] + np.arange(most)]


def _axes(vertices: NDArray[np.int64], table: NDArray[np.int64], n: int) -> list[tuple[int, ...]]:
    """Return what each translation adds to each axis, the time first; none if no two paths meet."""
    roles = table.shape[1]
    row = np.full(n, -1, dtype=np.int64)
    row[vertices] = np.arange(len(vertices))
    inner = np.flatnonzero(np.all(row[table] >= 0, axis=1))
    inner = inner[:: 1 + len(inner) // _SAMPLES]
    meetings: Counter[tuple[int, ...]] = Counter()
    for ends in table[row[table[inner]]].reshape(len(inner), roles * roles):
        meetings[tuple((ends[:, None] == ends).argmax(axis=0).tolist())] += 1
    if not meetings:
        return []
    meeting, many = meetings.most_common(1)[0]
    if many < _ALIKE * len(inner) or len(set(meeting)) == len(meeting):
        return []
    return _small_solutions(_equations(meeting, roles))


def _equations(meeting: tuple[int, ...], roles: int) -> NDArray[np.int64]:
    """Return the equations between translations, one a row: two paths that meet have equal sums."""
    rows = np.zeros((len(meeting), roles), dtype=np.int64)
    for path, same in enumerate(meeting):
        for one, sign in ((path, 1), (same, -1)):
            for role in divmod(one, roles):
                rows[path, role] += sign
    return rows


def _small_solutions(equations: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Return independent solutions in small whole numbers, as many as there are dimensions; none if there are not."""
    roles = equations.shape[1]
    _, size, basis = np.linalg.svd(equations)
    null = basis[int(np.sum(size > 1e-9)) :].T
    dimensions = null.shape[1]
    if not 2 <= dimensions <= _MOST_DIMENSIONS:
        return []
    free: list[int] = []
    for role in range(roles):
        if np.linalg.matrix_rank(null[[*free, role]], tol=1e-9) > len(free):
            free.append(role)
    extend = null @ np.linalg.inv(null[free])
    small = set()
    for values in product(range(-_FARTHEST, _FARTHEST + 1), repeat=dimensions):
        solution = extend @ np.array(values)
        if (
            np.abs(solution - np.round(solution)).max() < 1e-6
            and 0 < np.abs(solution).max() < _FARTHEST + 0.5
        ):
            small.add(tuple(int(x) for x in np.round(solution)))
    chosen: list[tuple[int, ...]] = [(1,) * roles]
    for one in sorted(small, key=lambda one: (max(one) - min(one), sum(map(abs, one)), one)):
        if np.linalg.matrix_rank(np.array([*chosen, one])) > len(chosen):
            chosen.append(one)
    return chosen if len(chosen) == dimensions else []


def _places(
    graph: NeededGraph, vertices: NDArray[np.int64], table: NDArray[np.int64], shifts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], list[bool]]:
    """Return a place for whatever the vertices reach, and which these are."""
    ahead: list[list[tuple[int, int]]] = [[] for _ in range(graph.n)]
    behind: dict[int, list[int]] = dict(zip(vertices.tolist(), table.tolist(), strict=True))
    for v, predecessors in behind.items():
        for role, p in enumerate(predecessors):
            ahead[p].append((v, role))
    steps = [tuple(step) for step in shifts.tolist()]
    at: list[tuple[int, ...] | None] = [None] * graph.n
    for start in behind:
        if at[start] is not None:
            continue
        at[start] = (0,) * shifts.shape[1]
        queue = deque([start])
        while queue:
            v = queue.popleft()
            here = at[v] or ()
            for role, p in enumerate(behind.get(v, ())):
                if at[p] is None:
                    at[p] = tuple(x - s for x, s in zip(here, steps[role], strict=True))
                    queue.append(p)
            for w, role in ahead[v]:
                if at[w] is None:
                    at[w] = tuple(x + s for x, s in zip(here, steps[role], strict=True))
                    queue.append(w)
    nowhere = (0,) * shifts.shape[1]
    place = np.array([one or nowhere for one in at], dtype=np.int64)
    return place, [one is not None for one in at]


def _extend(
    graph: NeededGraph, place: NDArray[np.int64], known: list[bool], shifts: NDArray[np.int64]
) -> None:
    """Give the other vertices the place that most predecessors lead to, one that is free where there is a choice.

    Of one level those with more predecessors come first: a side of a grid before its corners.
    """
    taken = {tuple(place[v].tolist()) for v in range(graph.n) if known[v]}
    steps = shifts.tolist()
    unknown = [v for v in graph.todo.tolist() if not known[v]]
    for v in sorted(unknown, key=lambda v: (graph.level[v], -len(graph.predecessors[v]))):
        votes: Counter[tuple[int, ...]] = Counter()
        for p in graph.predecessors[v]:
            if known[p]:
                here = place[p].tolist()
                votes.update(tuple(x + s for x, s in zip(here, step, strict=True)) for step in steps)
        if votes:
            chosen = max(votes, key=lambda one: (votes[one], one not in taken, one))
            place[v], known[v] = chosen, True
            taken.add(chosen)


def _columns(
    place: NDArray[np.int64], known: NDArray[np.bool_], shifts: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Return the time, the axes, and skewed axes on which no edge goes back."""
    time, skewed = place[:, 0], []
    columns = list(place.T)
    for axis in range(1, place.shape[1]):
        least, most = int(shifts[:, axis].min()), int(shifts[:, axis].max())
        skewed.append(place[:, axis] + max(-least, 0) * time)
        if least < 0 < most:
            columns.append(most * time - place[:, axis])
    columns[place.shape[1] : place.shape[1]] = skewed
    return [np.where(known, column - column[known].min(), ABSENT) for column in columns]
