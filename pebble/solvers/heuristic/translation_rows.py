"""The rows of a stencil in one order, where its predecessors come in any: which neighbour is which."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.heuristic.translation_boxes import box_places

__all__ = ["ordered_rows"]

Place: TypeAlias = "tuple[int, ...]"
Solve: TypeAlias = "Callable[[NDArray[np.int64]], list[tuple[int, ...]]]"

_SEEDS = 4
"""Vertices from which the search begins, one after the other."""


class _Rows:
    """The rows of the vertices with the most frequent number of predecessors."""

    def __init__(self, vertices: NDArray[np.int64], table: NDArray[np.int64], n: int) -> None:
        self.of: dict[int, list[int]] = dict(zip(vertices.tolist(), table.tolist(), strict=True))
        self.users: list[list[int]] = [[] for _ in range(n)]
        for v, row in self.of.items():
            for p in row:
                self.users[p].append(v)

    def seeds(self) -> list[int]:
        """Return vertices around which rows are complete two steps back, those with most users there first."""
        inner = [
            v
            for v, row in self.of.items()
            if all(p in self.of and all(q in self.of for q in self.of[p]) for p in row)
        ]
        inner = inner[:: 1 + len(inner) // 200]
        return sorted(inner, key=lambda v: -sum(len(self.users[q]) for p in self.of[v] for q in self.of[p]))[
            :_SEEDS
        ]

    def twice_back(self, seed: int) -> dict[int, dict[int, int]]:
        """Return for each role p of the seed's row the vertices of that predecessor's own row, by role.

        Going back by p and then by q leads where q and then p lead. If only one vertex is in both rows, it is that
        one; those that are found leave fewer for the others, and the last one has the role p.
        """
        row = self.of[seed]
        found: dict[int, dict[int, int]] = {}
        grown = True
        while grown:
            grown = False
            for role, p in enumerate(row):
                if role in found:
                    continue
                here = dict[int, int]()
                for other in found:
                    here[other] = found[other][role]
                while True:
                    left = set(self.of[p]) - set(here.values())
                    meets = {
                        other: left.intersection(self.of[q]) for other, q in enumerate(row) if other != role
                    }
                    sure = [other for other, both in meets.items() if other not in here and len(both) == 1]
                    if not sure:
                        break
                    here[sure[0]] = meets[sure[0]].pop()
                if len(here) == len(row) - 1 and len(left) == 1:
                    here[role] = left.pop()
                if len(here) == len(row):
                    found[role], grown = here, True
        return found


def _equations(found: dict[int, dict[int, int]], roles: int) -> NDArray[np.int64]:
    """Return equations between translations: two ways back that meet have equal sums."""
    first: dict[int, tuple[int, int]] = {}
    equations = []
    for one, back in found.items():
        for other, vertex in back.items():
            if vertex in first:
                equation = np.zeros(roles, dtype=np.int64)
                for role, sign in ((one, 1), (other, 1), (first[vertex][0], -1), (first[vertex][1], -1)):
                    equation[role] += sign
                equations.append(equation)
            else:
                first[vertex] = one, other
    return np.array(equations, dtype=np.int64).reshape(-1, roles)


class _Spread:
    """Places that follow from those that are known, one by one."""

    def __init__(self, rows: _Rows, shifts: list[Place]) -> None:
        self.rows, self.shifts = rows, shifts
        self.place: dict[int, Place] = {}
        self.taken: set[Place] = set()
        self.may: dict[int, set[Place]] = {}
        self.queue: deque[int] = deque()
        self.waits: set[int] = set()

    def put(self, v: int, place: Place) -> None:
        """Take note of a place; whatever depends on it is looked at again."""
        if v in self.place or place in self.taken:
            return
        self.place[v] = place
        self.taken.add(place)
        for w in (v, *self.rows.users[v]):
            if w in self.rows.of and w not in self.waits:
                self.waits.add(w)
                self.queue.append(w)

    def run(self) -> None:
        """Go on until nothing follows; then choose between values that are alike to all who use them, near corners."""
        self._follow()
        for v, row in self.rows.of.items():
            for p in row if v in self.place else ():
                if p not in self.place:
                    free = {_moved(self.place[v], shift, -1) for shift in self.shifts} - self.taken
                    if free:
                        self.put(p, min(free))
                        self._follow()

    def _follow(self) -> None:
        while self.queue:
            while self.queue:
                v = self.queue.popleft()
                self.waits.discard(v)
                if v not in self.place:
                    self._from_row(v)
                if v in self.place:
                    self._to_row(v)
            before = len(self.place)
            for v in self.rows.of:
                if v not in self.place:
                    self._from_row(v)
            if len(self.place) == before:
                break

    def _from_row(self, v: int) -> None:
        known = [p for p in self.rows.of[v] if p in self.place]
        if len(known) < 2:
            return
        ahead = [{_moved(self.place[p], shift, 1) for shift in self.shifts} for p in known]
        where = set.intersection(*ahead) - self.taken
        if len(where) == 1:
            self.put(v, where.pop())

    def _to_row(self, v: int) -> None:
        here, row = self.place[v], self.rows.of[v]
        free = {_moved(here, shift, -1) for shift in self.shifts} - self.taken
        for p in row:
            if p not in self.place:
                self.may[p] = self.may.get(p, free) & free
                if len(self.may[p]) == 1:
                    self.put(p, next(iter(self.may[p])))


def _moved(place: Place, shift: Place, sign: int) -> Place:
    return tuple(x + sign * s for x, s in zip(place, shift, strict=True))


def ordered_rows(
    vertices: NDArray[np.int64], table: NDArray[np.int64], n: int, solve: Solve
) -> NDArray[np.int64] | None:
    """Return the rows with each predecessor in the place of its translation; None if that is not found out.

    Around one vertex the translations are told apart by where two ways back meet. Then places spread: a vertex has
    the only free place from which its known predecessors can be reached, and so has a predecessor.

    Parameters
    ----------
    vertices : array of int64, shape (R,)
    table : array of int64, shape (R, P)
        Their predecessors in any order.
    n : int
        Vertices of the graph.
    solve : callable
        From equations between P translations to small solutions, one tuple of P numbers for each axis.
    """
    rows = _Rows(vertices, table, n)
    for seed in rows.seeds():
        around = _star(rows, seed, solve) or _box(rows, seed)
        if around is None:
            continue
        shifts, places = around
        spread = _Spread(rows, shifts)
        for v, place in places.items():
            spread.put(v, place)
        spread.run()
        if len(spread.place) >= len(vertices) / 2:
            nowhere = (0,) * len(shifts[0])
            return np.array(
                [sorted(row, key=lambda p: spread.place.get(p, nowhere)) for row in table.tolist()]
            )
    return None


def _star(rows: _Rows, seed: int, solve: Solve) -> tuple[list[Place], dict[int, Place]] | None:
    """Return translations and the places around a vertex, where few ways back meet; None where they do not tell."""
    found = rows.twice_back(seed)
    roles = len(rows.of[seed])
    axes = solve(_equations(found, roles)) if len(found) == roles else []
    shifts = list(zip(*axes, strict=True))
    if not axes or len(set(shifts)) < len(shifts):
        return None
    places = {seed: (0,) * len(axes)}
    back = [_moved(places[seed], shift, -1) for shift in shifts]
    places |= dict(zip(rows.of[seed], back, strict=True))
    for role, row in found.items():
        places |= {q: _moved(back[role], shifts[other], -1) for other, q in row.items()}
    return shifts, places


def _box(rows: _Rows, seed: int) -> tuple[list[Place], dict[int, Place]] | None:
    """Return translations and the places around a vertex, if its predecessors form a box around it."""
    of = rows.of
    box = box_places(of[seed], {p: of[p] for p in of[seed]})
    if box is None:
        return None
    half = max(max(box.values())) // 2
    places = {seed: (0,) * (1 + len(box[of[seed][0]]))}
    places |= {p: (-1, *(x - half for x in place)) for p, place in box.items()}
    users: dict[int, list[Place]] = {}
    for p in of[seed]:
        for q in of[p]:
            users.setdefault(q, []).append(places[p])
    shifts = [_moved(places[seed], places[p], -1) for p in of[seed]]
    for q, ahead in users.items():
        back = [{_moved(place, shift, -1) for shift in shifts} for place in ahead]
        where = [place for place in set.intersection(*back) if _users(place, shifts, box, half) == len(ahead)]
        if len(where) == 1:
            places[q] = where[0]
    return shifts, places


def _users(place: Place, shifts: list[Place], box: dict[int, Place], half: int) -> int:
    """Return how many vertices of a box take what lies at a place."""
    inside = {tuple(x - half for x in one) for one in box.values()}
    return sum(_moved(place, shift, 1)[1:] in inside for shift in shifts)
