"""The moves of a pebbling, made from the states or the requirements on the path of the search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pebble.game.moves import Moves, Op
from pebble.solvers.optimum.bit_game import Words, members
from pebble.solvers.optimum.requirements import RequirementSpace, StepsBack
from pebble.solvers.optimum.search_space import SearchSpace
from pebble.solvers.optimum.states import States
from pebble.solvers.optimum.successors import Steps, successors
from pebble.solvers.optimum.symmetry import Permutation, compose, inverse

__all__ = ["moves_along", "moves_back_along"]


def moves_along(space: SearchSpace, path: Sequence[Words]) -> Moves:
    """Return a pebbling whose states are, up to symmetry, those of the path.

    Parameters
    ----------
    space : SearchSpace
    path : sequence of rows
        From the start to an end, each one step after the one before, up to symmetry.

    Raises
    ------
    AssertionError
        If some state cannot be reached from the one before: a bug of the search.

    Notes
    -----
    The path holds representatives: state k + 1 is the image of a successor of state k under some automorphism.
    The normal form prefers vertices of low numbers, so the image of a successor need not be a successor of the
    image. Hence each step is made from the representative itself, as the search made it, and its moves are carried
    over to the DAG by an automorphism that takes the representative to the state the moves have led to. An
    automorphism takes legal moves to legal ones of the same cost, and outputs to outputs.
    """
    writer = _MoveWriter(space)
    for here, there in pairwise(path):
        writer.step(here, there)
    return Moves.of(writer.moves)


def _empty() -> States:
    return States(*(np.zeros(1, dtype=np.uint64) for _ in range(2)))


class _MoveWriter:
    """Follows a path of representatives and writes down the moves on the DAG itself.

    Attributes
    ----------
    place : permutation
        Takes the current representative to the state that the moves written so far lead to.
    """

    def __init__(self, space: SearchSpace) -> None:
        self.space = space
        self.moves: list[tuple[int, int] | tuple[int, int, int]] = []
        self.place: Permutation = tuple(range(space.game.n))
        self._stored: set[int] = set()
        self._arrive(_empty())

    def step(self, here: Words, there: Words) -> None:
        """Make the step from one representative to the next."""
        steps, i = self._find(here, there)
        v, gone, stores = int(steps.vertex[i]), int(steps.gone[i]), int(steps.stores[i])
        before = self.space.game.before[v]
        for u in members(gone & ~before):
            self._store_first(u, stores)
            self._move(Op.DELETE, u)
        for u in members(int(steps.loads[i])):
            self._move(Op.LOAD, u)
        slid = gone & before
        for u in members(slid):
            self._store_first(u, stores)
        self._compute(v, slid.bit_length() - 1)
        self._arrive(steps.states.take(slice(i, i + 1)))

    def _arrive(self, states: States) -> None:
        """Make the free moves of the normal form, and go over to the representative."""
        space = self.space
        tidied = space.forms.tidy(states, self._free_move)
        taken = space.symmetry.taking(space.codec.pack(tidied))
        self.place = compose(self.place, inverse(taken))

    def _find(self, here: Words, there: Words) -> tuple[Steps, int]:
        """Return the cheapest step from one representative to a state that the other one represents."""
        space = self.space
        best: tuple[Steps, int] | None = None
        for steps in successors(space.forms, space.codec.unpack(here[None])):
            states = space.forms.tidy(steps.states)
            same = space.symmetry.least(space.codec.pack(states)) == there
            for i in np.flatnonzero(same if same.ndim == 1 else same.all(axis=1)).tolist():
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
        game = self.space.game
        if v in game.stored_at and self.place[v] not in self._stored:
            self._stored.add(self.place[v])
            self._move(Op.STORE, v)
        if game.sinks >> v & 1:
            self._move(Op.DELETE, v)

    def _store_first(self, u: int, stores: int) -> None:
        if stores >> u & 1:
            self._move(Op.STORE, u)

    def _move(self, op: Op, v: int, source: int = -1) -> None:
        """Write down a move; the positions are those of the current representative."""
        vertices, place = self.space.game.vertices, self.place
        here = vertices[place[v]]
        self.moves.append((op, here) if source < 0 else (op, here, vertices[place[source]]))


Move = tuple[int, int] | tuple[int, int, int]


def moves_back_along(space: RequirementSpace, path: Sequence[Words]) -> Moves:
    """Return a pebbling whose positions are, up to symmetry and read backwards, the requirements of the path.

    Parameters
    ----------
    space : RequirementSpace
    path : sequence of rows
        From the end of the game to its beginning, each one step back from the one before, up to symmetry.

    Raises
    ------
    AssertionError
        If some requirement cannot be reached from the one before: a bug of the search.

    Notes
    -----
    What is red is exactly what is required, at the beginning and the end of each step. For the automorphisms see
    :func:`pebble.solvers.optimum.witness.moves_along`: each step is made from the representative itself.
    """
    start = path[0][None]
    place: Permutation = inverse(space.symmetry.taking(start))
    parts: list[list[Move]] = []
    for here, there in pairwise(path):
        step = _found(space, here, there)
        parts.append(_moves(space, int(space.codec.unpack(here[None]).red[0]), step, place))
        taken = space.symmetry.taking(space.codec.pack(step.states))
        place = compose(place, inverse(taken))
    return Moves.of([move for part in reversed(parts) for move in part])


def _found(space: RequirementSpace, here: Words, there: Words) -> StepsBack:
    """Return the cheapest step back from one representative to a requirement that the other one represents."""
    best: StepsBack | None = None
    for steps in space.steps(space.codec.unpack(here[None])):
        same = space.symmetry.least(space.codec.pack(steps.states)) == there
        for i in np.flatnonzero(same if same.ndim == 1 else same.all(axis=1)).tolist():
            if best is None or steps.cost[i] < best.cost[0]:
                best = steps.take(i)
    if best is None:
        raise AssertionError("a requirement of the optimal path cannot be reached from the one before")
    return best


def _moves(space: RequirementSpace, red: int, step: StepsBack, place: Permutation) -> list[Move]:
    """Return the moves of one step, forwards; ``red`` is required after it."""
    game, v = space.game, int(step.vertex[0])
    before, bit = game.before[v], 1 << v

    def at(position: int) -> int:
        return game.vertices[place[position]]

    loads = [(Op.LOAD, at(x)) for x in members(int(step.loads[0]))]
    dropped = [(Op.COMPUTE, at(u)) for u in members(int(step.dropped[0]))]
    sunk = [(op, at(u)) for u in members(int(step.sunk[0])) for op in (Op.COMPUTE, Op.STORE, Op.DELETE)]
    wide = (red & ~bit | before).bit_count() < game.M
    moves: list[Move] = [*loads, *(dropped + sunk if wide else sunk + dropped)]
    gone = before & ~red
    if (red | before | bit).bit_count() > game.M:
        into = gone & -gone
        moves.append((Op.SLIDE, at(v), at(into.bit_length() - 1)))
        gone ^= into
    else:
        moves.append((Op.COMPUTE, at(v)))
    if step.stored[0]:
        moves.append((Op.STORE, at(v)))
    if not red & bit:
        gone |= bit
    return moves + [(Op.DELETE, at(u)) for u in members(gone)]
