"""The moves of a pebbling, made from the requirements on the path of the search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pebble.game.moves import Moves, Op
from pebble.solvers.optimum.bit_game import Words, members
from pebble.solvers.optimum.requirements import RequirementSpace, StepsBack
from pebble.solvers.optimum.symmetry import Permutation, compose, inverse

Move = tuple[int, int] | tuple[int, int, int]


def moves_along(space: RequirementSpace, path: Sequence[Words]) -> Moves:
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
    What is red is exactly what is required, at the beginning and the end of each step. The path holds
    representatives: requirement k + 1 is the image of one a step back from requirement k under some automorphism. So
    each step is made from the representative itself, and its moves are carried over to the DAG by an automorphism that
    takes the representative to what the moves that follow ask for. An automorphism takes legal moves to legal ones of
    the same cost, and outputs to outputs.
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
