"""The game with several memory levels: its rules, and that every play of it proves Theorem M."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.game.game import Game
from pebble.game.level_game import LevelGame, LevelMove
from pebble.game.moves import Move, Op
from pebble.graph.dag import Dag
from tests.support.amounts import examples
from tests.support.random_dags import dags

SUM = Dag.from_edges([("a", "s"), ("b", "s")])
A, S, B = (SUM.vertex(name) for name in "asb")
LOAD, STORE, COMPUTE, DELETE = Op.LOAD, Op.STORE, Op.COMPUTE, Op.DELETE


def after(*moves: tuple[Op, int, int], sizes: tuple[int, ...] = (3, 4), inclusive: bool = True) -> LevelGame:
    """The game after some moves."""
    game = LevelGame(SUM, sizes, inclusive)
    for move in moves:
        game.play(LevelMove(*move))
    return game


READY = [(LOAD, 2, A), (LOAD, 2, B), (LOAD, 1, A), (LOAD, 1, B)]


REFUSED = """
    load 1 a: load-needs-blue; load 2 s: load-needs-blue; compute 1 a: compute-input; load 3 a: unknown-level
    load 0 a: unknown-level; load 1 ?: unknown-vertex; slide 1 s: unknown-op; READY, delete 2 a: inclusive
    READY, compute 1 s, delete 1 s, load 1 s: load-needs-blue; READY, compute 1 s, store 2 s: store-needs-red
    READY, delete 1 a, delete 1 a: delete-needs-red; READY, delete 1 b, compute 1 s: compute-needs-predecessors
"""


@pytest.mark.parametrize("case", [case.strip() for case in re.split("[;\n]", REFUSED) if case.strip()])
def test_what_is_refused(case: str) -> None:
    text, rule = case.split(": ")
    vertices = {"a": A, "b": B, "s": S, "?": 7}
    moves: list[tuple[Op, int, int]] = list(READY) if text.startswith("READY") else []
    for move in text.removeprefix("READY, ").split(", "):
        op, level, vertex = move.split()
        moves.append((Op[op.upper()], int(level), vertices[vertex]))
    game = after(*moves[:-1])
    before = game.moves
    with pytest.raises(IllegalMove) as refused:
        game.play(LevelMove(*moves[-1]))
    assert (refused.value.rule, refused.value.move_number, game.moves) == (rule, before, before)


@pytest.mark.parametrize("sizes", [(2, 4), (3, 2)])
def test_a_computed_vertex_takes_room_at_every_inclusive_level(sizes: tuple[int, int]) -> None:
    game = after(*READY, sizes=sizes)
    with pytest.raises(IllegalMove, match="holds 2 of 2 words"):
        game.play(LevelMove(COMPUTE, 1, S))


def test_an_exclusive_level_takes_what_it_is_given() -> None:
    game = after(*READY, (DELETE, 2, A), (DELETE, 2, B), (COMPUTE, 1, S), sizes=(3, 2), inclusive=False)
    assert game.held == [dict.fromkeys([A, B, S], True), {}, dict.fromkeys([A, B], True)]
    game.play(LevelMove(STORE, 1, S))
    game.play(LevelMove(STORE, 2, S))
    assert game.complete
    assert [(tally.reads, tally.writes, tally.peak) for tally in game.tallies] == [(2, 1, 3), (2, 1, 2)]


def test_a_game_needs_levels() -> None:
    for sizes in ((), (0,), (3, True)):
        with pytest.raises(InvalidInput):
            LevelGame(SUM, sizes)


def legal_moves(game: LevelGame) -> list[LevelMove]:
    """All legal moves; each is tried on a copy of what a move can change."""
    found = []
    for op in (LOAD, STORE, COMPUTE, DELETE):
        for level in (1,) if op == COMPUTE else range(1, game.levels + 1):
            for v in range(game.dag.n_vertices):
                trial = LevelGame(game.dag, game.capacities, game.inclusive)
                for mine, theirs in zip(trial.held, game.held, strict=True):
                    mine.update(theirs)
                try:
                    trial.play(LevelMove(op, level, v))
                except IllegalMove:
                    continue
                found.append(LevelMove(op, level, v))
    return found


@given(dag=dags(6), seed=st.integers(0, 2**32), inclusive=st.booleans(), levels=st.integers(1, 3))
@examples(15, 60)
def test_theorem_M(dag: Dag, seed: int, inclusive: bool, levels: int) -> None:
    """At every boundary the moves that its proof keeps are a pebbling with one fast memory, of as many words."""
    rng = np.random.default_rng(seed)
    sizes = tuple(np.sort(rng.choice(np.arange(2, 9), levels, replace=False)).tolist())
    game = LevelGame(dag, sizes, inclusive)
    within = [Game(dag, sizes[at] if inclusive else sum(sizes[: at + 1])) for at in range(levels)]
    for _ in range(40):
        moves = legal_moves(game)
        if not moves:
            break
        op, level, v = moves[int(rng.integers(len(moves)))]
        game.play(LevelMove(op, level, v))
        for at, projected in enumerate(within, start=1):
            if op == COMPUTE or (op in (LOAD, STORE) and level == at):
                projected.push(Move(op, v))
            elif op == DELETE and v in projected.red and not any(v in held for held in game.held[:at]):
                projected.push(Move(DELETE, v))
            assert set(projected.red) == set().union(*game.held[:at])
    for at, projected in enumerate(within):
        assert projected.status().io == game.tallies[at].io
        assert projected.status().complete or not game.complete
