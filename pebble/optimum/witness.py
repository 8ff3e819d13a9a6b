"""The moves of a pebbling, from the states that the search went through."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pebble.move import Moves, Op
from pebble.optimum.arena import Arena
from pebble.optimum.bits import Words, members
from pebble.optimum.expand import Steps, expand
from pebble.optimum.states import States

__all__ = ["moves_along"]


def moves_along(arena: Arena, path: Sequence[Words]) -> Moves:
    """Return a pebbling whose states are, up to symmetry, those of the path.

    Parameters
    ----------
    arena : Arena
    path : sequence of rows
        From the start to an end, each one step after the one before.

    Raises
    ------
    AssertionError
        If some state cannot be reached from the one before: a bug of the search.
    """
    scribe = _Scribe(arena)
    for row in path[1:]:
        scribe.step_to(row)
    return Moves.of(scribe.moves)


def _empty() -> States:
    return States(*(np.zeros(1, dtype=np.uint64) for _ in range(3)))


class _Scribe:
    """Plays the steps of a path on the DAG itself and writes down the moves."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.moves: list[tuple[int, int] | tuple[int, int, int]] = []
        self._stored: set[int] = set()
        self.states = self.arena.normal.tidy(_empty(), self._free_move)[0]

    def step_to(self, row: Words) -> None:
        """Make the step that leads to a state symmetric to this one."""
        steps, i = self._find(row)
        v, gone, stores = int(steps.vertex[i]), int(steps.gone[i]), int(steps.stores[i])
        before = self.arena.model.before[v]
        for u in members(gone & ~before):
            self._store_first(u, stores)
            self._move(Op.DELETE, u)
        for u in members(int(steps.loads[i])):
            self._move(Op.LOAD, u)
        slid = gone & before
        for u in members(slid):
            self._store_first(u, stores)
        self._compute(v, slid.bit_length() - 1)
        after = steps.states.take(slice(i, i + 1))
        self.states = self.arena.normal.tidy(after, self._free_move)[0]

    def _find(self, row: Words) -> tuple[Steps, int]:
        """Return the cheapest step to a state symmetric to this one."""
        arena = self.arena
        best: tuple[Steps, int] | None = None
        for steps in expand(arena.normal, self.states):
            states, keep = arena.normal.tidy(steps.states)
            same = arena.symmetry.least(arena.codec.pack(states)) == row
            for i in np.flatnonzero((same if same.ndim == 1 else same.all(axis=1)) & keep).tolist():
                if best is None or steps.cost[i] < best[0].cost[best[1]]:
                    best = steps, i
        if best is None:
            raise AssertionError("a state of the optimal path cannot be reached from the one before")
        return best

    def _free_move(self, what: str, v: int, u: int) -> None:
        if what == "delete":
            self._move(Op.DELETE, v)
        else:
            self._compute(v, u)

    def _compute(self, v: int, slid: int) -> None:
        if slid >= 0:
            self._move(Op.SLIDE, v, slid)
        else:
            self._move(Op.COMPUTE, v)
        model = self.arena.model
        if v in model.stored_at and v not in self._stored:
            self._stored.add(v)
            self._move(Op.STORE, v)
        if model.sinks >> v & 1:
            self._move(Op.DELETE, v)

    def _store_first(self, u: int, stores: int) -> None:
        if stores >> u & 1:
            self._move(Op.STORE, u)

    def _move(self, op: Op, v: int, source: int = -1) -> None:
        vertices = self.arena.model.vertices
        self.moves.append((op, vertices[v]) if source < 0 else (op, vertices[v], vertices[source]))
