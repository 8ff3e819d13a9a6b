"""The moves of programs for stages, on the DAG of the whole nest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.points import affine_values
from pebble.computations.nests.stages import Stage
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves, Op
from pebble.program.lowering import lower
from pebble.solvers.nests.family_schedule import FamilySchedule

__all__ = ["staged_moves"]


def staged_moves(nest: LoopNest, programs: Sequence[tuple[Stage, FamilySchedule]]) -> Iterator[Moves]:
    """Yield the moves of the elementary game, for nests whose DAG can be built.

    Two views of one element are one word: it is loaded anew for the second, as the program says, and stays until
    neither is needed.
    """
    found = _Vertices(nest_dag(nest))
    for stage, one in programs:
        moves = _StageMoves(found, stage)
        yield _columns(moves.scalars(Op.LOAD))
        for op, vertex in lower(one.program, stage.family):
            yield _columns(
                [move for pair in zip(op.tolist(), vertex.tolist(), strict=True) for move in moves.of(*pair)]
            )
        yield _columns([*moves.left(), *moves.scalars(Op.DELETE)])


_Pair = tuple[int, int]
"""A move: what is done, and the vertex."""


def _columns(moves: Sequence[_Pair]) -> Moves:
    pairs = np.array(moves, dtype=np.int64).reshape(-1, 2)
    return Moves(pairs[:, 0].astype(np.int8), pairs[:, 1])


class _Vertices:
    """The vertices of a nest's DAG, by element and by point."""

    def __init__(self, found: NestDag) -> None:
        self.found = found
        self.elements: dict[tuple[str, tuple[int, ...]], int] = {}
        self.points: list[dict[tuple[int, ...], int]] = []
        for number, (statement, points) in enumerate(zip(found.nest.statements, found.points, strict=True)):
            first = found.first[number]
            self.points.append({tuple(point): first + at for at, point in enumerate(points.tolist())})
            for access, vertices in zip(statement.reads, found.reads[number], strict=True):
                columns = [affine_values(place, statement.indices, points) for place in access.places]
                places = np.stack(columns, axis=1).tolist() if columns else [()] * len(points)
                self.elements.update(
                    ((access.array, tuple(place)), vertex)
                    for place, vertex in zip(places, vertices.tolist(), strict=True)
                )

    def reads(self, vertex: int, number: int) -> list[tuple[bool, int]]:
        """Return what a vertex of a statement reads, and whether it has indices."""
        row = vertex - self.found.first[number]
        reads = self.found.nest.statements[number].reads
        pairs = zip(reads, self.found.reads[number], strict=True)
        return [(bool(access.places), int(column[row])) for access, column in pairs]


class _StageMoves:
    """What each move of a stage's family is on the whole DAG."""

    def __init__(self, vertices: _Vertices, stage: Stage) -> None:
        self._vertices, self._stage = vertices, stage
        self._names = stage.family.names
        self._known: dict[int, tuple[int, str, int]] = {}
        self._copies: dict[int, int] = {}
        self._begun: dict[str, set[int]] = {name: set() for name in stage.begun}

    def scalars(self, op: Op) -> list[_Pair]:
        """Return the loads, or deletes, of the words that initial values read all the time."""
        return [(op, self._vertices.elements[name, ()]) for name in self._stage.scalars]

    def of(self, op: int, vertex: int) -> list[_Pair]:
        """Return the moves for one move of the family."""
        known, name, before = self._vertex(vertex)
        if op == Op.COMPUTE and before >= 0:
            self._begun[name].add(before)
            return [*self._initial(name, before), (op, known), (Op.DELETE, before)]
        if name in self._stage.views:
            return self._of_copy(op, known)
        return [(op, known)]

    def _of_copy(self, op: int, vertex: int) -> list[_Pair]:
        copies = self._copies.get(vertex, 0)
        self._copies[vertex] = copies + (1 if op == Op.LOAD else -1)
        if op == Op.LOAD and copies:
            return [(Op.DELETE, vertex), (Op.LOAD, vertex)]
        if op == Op.DELETE and copies > 1:
            return []
        return [(op, vertex)]

    def _initial(self, name: str, vertex: int) -> list[_Pair]:
        """Return the moves that compute an initial value; what is in fast memory anyhow stays there."""
        reads = self._vertices.reads(vertex, self._stage.begun[name].statement)
        indexed = [one for has_indices, one in reads if has_indices]
        loads = [pair for one in indexed for pair in self._of_copy(Op.LOAD, one)]
        deletes = [pair for one in indexed for pair in self._of_copy(Op.DELETE, one)]
        return [*loads, (Op.COMPUTE, vertex), *deletes]

    def left(self) -> list[_Pair]:
        """Return the moves for initial values to which nothing is added."""
        found: list[_Pair] = []
        for name, begun in self._stage.begun.items():
            for vertex in self._vertices.points[begun.statement].values():
                if vertex not in self._begun[name]:
                    found += [*self._initial(name, vertex), (Op.STORE, vertex), (Op.DELETE, vertex)]
        return found

    def _vertex(self, vertex: int) -> tuple[int, str, int]:
        """Return the vertex of the whole DAG, the family's array, and the initial value that it begins with, or -1."""
        if vertex not in self._known:
            self._known[vertex] = self._found(*self._names.element(vertex))
        return self._known[vertex]

    def _found(self, name: str, index: tuple[int, ...]) -> tuple[int, str, int]:
        view = self._stage.views.get(name)
        if view is not None:
            return self._vertices.elements[view.element(index)], name, -1
        point = tuple(one + by for one, by in zip(index, self._stage.shifts[name], strict=True))
        number = next(at for at in self._stage.statements[name] if point in self._vertices.points[at])
        vertex = self._vertices.points[number][point]
        before = -1
        if name in self._stage.begun:
            before = int(self._vertices.found.before[number][vertex - self._vertices.found.first[number]])
            first = self._vertices.found.first[self._stage.begun[name].statement]
            count = len(self._vertices.points[self._stage.begun[name].statement])
            before = before if first <= before < first + count else -1
        return vertex, name, before
