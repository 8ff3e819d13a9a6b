"""The bound of a search: all states of a tiny DAG's game that are cheaper than the bound, and none is an end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import HONG_KUNG, Statement
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound

EXHAUSTIVE = Statement(
    "exhaustive search",
    "I/O ≥ B if no state of the game that a pebbling reaches with f < B has all outputs blue, f the I/O so far and the "
    "outputs that are not yet stored; deletions only where fast memory is full",
    "any DAG so small that these states can be listed, under the rules of the certificate",
    f"{PAGE}, exhaustive search",
    rules="those of the game that is searched",
    after=(HONG_KUNG,),
)

STATES = 50_000
"""How many states are expanded at most, by this program and by a checker of certificates."""

LARGEST = 24
"""How many vertices the outputs may need."""

_State = tuple[int, int, int]
"""Red, blue and computed vertices as bits; of the computed ones only if no vertex may be computed twice."""


@dataclass(frozen=True)
class _Game:
    predecessors: tuple[int, ...]
    targets: int
    inputs: int
    M: int
    rules: Rules

    def successors(self, state: _State) -> Iterator[tuple[int, _State]]:
        """Yield the states after one move that is worth its I/O, with that I/O."""
        red, blue, computed = state
        full = red.bit_count() >= self.M
        for v, before in enumerate(self.predecessors):
            bit = 1 << v
            if red & bit:
                if not blue & bit:
                    yield 1, (red, blue | bit, computed)
                continue
            if blue & bit:
                for kept in self._room(red, full, 0):
                    yield 1, (kept | bit, blue, computed)
            if before and not before & ~red and not computed & bit:
                done = computed if self.rules.recomputation else computed | bit
                for kept in self._room(red, full, 0 if self.rules.sliding else before):
                    yield 0, (kept | bit, blue, done)

    def _room(self, red: int, full: bool, needed: int) -> Iterator[int]:
        """Yield what may stay red so that one more pebble fits; ``needed`` must stay."""
        if not full:
            yield red
            return
        rest = red & ~needed
        while rest:
            bit = rest & -rest
            rest ^= bit
            yield red ^ bit


def exhaustive(dag: Dag, M: int, rules: Rules, below: int | None = None, states: int = STATES) -> GraphBound:
    """Return the greatest B up to which every state of the game can be looked at.

    Parameters
    ----------
    dag : Dag
        At most 24 vertices that the outputs need.
    M : int
        Words of fast memory.
    rules : Rules
    below : int, optional
        Go no further than B = ``below``: the I/O of a pebbling that is known, or the value of a certificate.
    states : int
        How many states may be expanded.

    Returns
    -------
    GraphBound
        The optimum, or ``below``, if the states suffice. Its inputs are ``below``, the value, and ``states``, how
        many are cheaper.

    Notes
    -----
    About 15,000 states a second. A few seconds at most.

    Examples
    --------
    >>> diamond = Dag.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> exhaustive(diamond, 3, Rules()).value
    2
    """
    M = fast_memory_words(M)
    if below is not None and (isinstance(below, bool) or not isinstance(below, int) or below < 0):
        raise InvalidInput(f"an exhaustive search goes up to a number of words, not {below!r}")
    game = _game(dag, M, rules)
    value, expanded = _levels(game, below, states)
    note = f"{expanded:,} states are cheaper, and none is an end"
    named = (("recomputation", rules.recomputation), ("sliding", rules.sliding))
    needs = ", ".join(f"{variant} {'allowed' if allowed else 'forbidden'}" for variant, allowed in named)
    return GraphBound.of(EXHAUSTIVE, value, note, {"below": value, "states": expanded}, rules=needs)


def _game(dag: Dag, M: int, rules: Rules) -> _Game:
    """Return the game on the vertices that the outputs need."""
    needed = np.flatnonzero(dag.ancestors_of_outputs).tolist()
    if len(needed) > LARGEST:
        raise BoundDoesNotApply(
            f"an exhaustive search is for at most {LARGEST} vertices, not {len(needed):,}"
        )
    if dag.least_M(sliding=rules.sliding) > M:
        raise BoundDoesNotApply(f"no pebbling with M = {M} exists")
    bit = {v: 1 << place for place, v in enumerate(needed)}
    rows = tuple(sum(bit[p] for p in dag.predecessors_of(v).tolist()) for v in needed)
    inputs = sum(bit[v] for v, row in zip(needed, rows, strict=True) if not row)
    targets = sum(bit[v] for v in dag.outputs.tolist()) & ~inputs
    return _Game(rows, targets, inputs, M, rules)


def _levels(game: _Game, below: int | None, limit: int) -> tuple[int, int]:
    """Expand level after level of f; return the first with an end or too many states, and how many are below it."""
    start = (0, game.inputs, 0)
    level, at_hand, expanded, complete = game.targets.bit_count(), [start], 0, 0
    seen: set[_State] = set()
    while below is None or level < below:
        following: list[_State] = []
        while at_hand:
            state = at_hand.pop()
            if state in seen:
                continue
            seen.add(state)
            if not game.targets & ~state[1]:
                return level, complete
            expanded += 1
            if expanded > limit:
                if not complete:
                    raise BoundDoesNotApply(f"more than {limit:,} states would have to be searched")
                return level, complete
            for io, after in game.successors(state):
                stored = (game.targets & ~state[1]).bit_count() - (game.targets & ~after[1]).bit_count()
                (following if io > stored else at_hand).append(after)
        level, at_hand, complete = level + 1, following, expanded
    return min(level, below), complete
