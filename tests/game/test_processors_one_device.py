"""On one device the game of several devices is the game of one device, move for move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import IllegalMove
from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.game.processors.game import ProcessorGame
from pebble.game.processors.moves import ProcessorMove, ProcessorOp
from pebble.game.processors.settings import Processors
from pebble.game.processors.words import Word
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.support.amounts import examples
from tests.support.random_dags import dags, random_legal_moves

OPS = {
    Op.LOAD: ProcessorOp.LOAD,
    Op.STORE: ProcessorOp.STORE,
    Op.COMPUTE: ProcessorOp.COMPUTE,
    Op.DELETE: ProcessorOp.DELETE,
}


def of_device_0(move: Move) -> ProcessorMove:
    return ProcessorMove(OPS[move.op], 0, Word(move.vertex))


def refused_by(play: Callable[[], object]) -> str | None:
    """Return the rule that forbids a move."""
    try:
        play()
    except IllegalMove as error:
        return error.rule
    return None


@examples(30, 500)
@given(dags(), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_any_move_is_judged_alike(dag: Dag, M: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, several = Game(dag, M), ProcessorGame(dag, Processors(1, fast=M))
    some = random_legal_moves(dag, M, Rules(), 40, rng)
    for move in some:
        drawn = Move(Op(int(rng.integers(4))), int(rng.integers(dag.n_vertices + 1)))
        for tried in (drawn, move):
            assert refused_by(lambda: one.push(tried)) == refused_by(lambda: several.play(of_device_0(tried)))  # noqa: B023
        status, tally = one.status(), several.tally.devices[0]
        counts = (tally.reads, tally.writes, tally.computes, tally.deletes, tally.redundant, tally.fast_peak)
        expected = (
            status.reads,
            status.writes,
            status.computes,
            status.deletes,
            status.redundant,
            status.peak,
        )
        assert counts == expected
        assert status.missing == tuple(several.missing)
    assert several.tally.total("received") == 0
