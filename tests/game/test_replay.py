from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pebble.game.replay
from pebble.common.errors import IllegalMove, IncompletePebbling, InvalidInput
from pebble.game.board import Status
from pebble.game.game import Game
from pebble.game.moves import Move, Moves, Op
from pebble.game.replay import Replay, replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.support.amounts import examples
from tests.support.random_dags import all_rules, dags, mutated, plain, random_legal_moves, reference

SUM = Dag.from_edges([("a", "s"), ("b", "s")])


def by_game(dag: Dag, M: int, moves: list[Move], rules: Rules) -> tuple[str, Status]:
    """Message of the first illegal move, if any, and the counts then."""
    game = Game(dag, M, rules)
    try:
        game.play(moves)
    except IllegalMove as error:
        return f"{error.rule} {error.move_number} {error}", game.status()
    return "", game.status()


def by_replay(dag: Dag, M: int, chunks: list[list[Move]], rules: Rules) -> tuple[str, Status]:
    play = Replay(dag, M, rules)
    for chunk in chunks:
        try:
            play.play(Moves.of(chunk))
        except IllegalMove as error:
            same = play.refusal is not None and play.refusal.message == str(error)
            return f"{error.rule} {error.move_number} {error}" if same else "no refusal", play.result()
    assert play.refusal is None
    return "", play.result()


def cut(moves: list[Move], rng: np.random.Generator) -> list[list[Move]]:
    """The moves in chunks of random lengths, some empty."""
    places = sorted(int(p) for p in rng.integers(0, len(moves) + 1, int(rng.integers(0, 4))))
    return [moves[a:b] for a, b in zip([0, *places], [*places, len(moves)], strict=True)]


@st.composite
def games(draw: st.DrawFn) -> tuple[Dag, Rules, list[Move]]:
    """A DAG, rules, and any moves at all, or legal ones of which some are changed."""
    dag, rules = draw(dags(9)), draw(all_rules())
    if draw(st.booleans()):
        vertex = st.integers(-2, dag.n_vertices + 1)
        rows = draw(st.lists(st.tuples(st.integers(0, 5), vertex, vertex), max_size=12))
        return dag, rules, [Move(Op(op), v, u if op == Op.SLIDE else -1) for op, v, u in rows if op < 5]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return dag, rules, mutated(random_legal_moves(dag, draw(st.integers(1, 6)), rules, 50, rng), dag, rng)


@given(games(), st.integers(1, 6), st.integers(0, 2**32), st.sampled_from([1, 2, 5, 1 << 15]))
@examples(60, 600)
def test_replay_is_the_game_is_the_model(
    game: tuple[Dag, Rules, list[Move]], M: int, seed: int, block: int
) -> None:
    dag, rules, moves = game
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pebble.game.replay, "BLOCK", block)
        found = by_replay(dag, M, cut(moves, np.random.default_rng(seed)), rules)
    assert found == by_game(dag, M, moves, rules)
    model = reference(dag, M, rules)
    for at, move in enumerate(moves):
        broken = model.broken_rule(plain(move))
        if broken:
            assert found[0].startswith(f"{broken} {at} ")
            break
        model.push(plain(move))
    else:
        assert found[0] == ""
    assert (found[1].peak, found[1].redundant, set(found[1].missing)) == (
        model.peak,
        model.counts["redundant"],
        model.missing,
    )
    assert found[1].io == model.counts["load"] + model.counts["store"]


def test_wide_vertices_are_cut_into_affordable_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Indegree 30 takes the path row by row; few events a block make many blocks."""
    n = 30
    edges = [(i, n + j) for i in range(n) for j in range(8)]
    dag = Dag.from_edges(edges)
    moves = [Move(Op.LOAD, i) for i in range(n)]
    for j in range(8):
        moves += [Move(Op.COMPUTE, n + j), Move(Op.STORE, n + j), Move(Op.DELETE, n + j)]
    for events in (1, 29, 30, 31, 65, 1 << 18):
        monkeypatch.setattr(pebble.game.replay_block, "_EVENTS", events)
        status = replay(dag, n + 1, Moves.of(moves)).require_complete()
        assert (status.reads, status.writes, status.computes, status.peak) == (n, 8, 8, n + 1)
        with pytest.raises(IllegalMove) as caught:
            replay(dag, n, Moves.of(moves))
        assert (caught.value.move_number, caught.value.rule) == (n, "memory-full")
        short = [move for move in moves if move.vertex != 7]
        with pytest.raises(IllegalMove, match=r"1 of its 30 predecessors is not red: v7"):
            replay(dag, n, Moves.of(short))


def chain_moves(length: int) -> Moves:
    """Compute each of a chain, then delete the one before."""
    op, vertex = [int(Op.LOAD)], [0]
    for v in range(1, length):
        op += [Op.COMPUTE, Op.DELETE]
        vertex += [v, v - 1]
    return Moves([*op, Op.STORE], [*vertex, length - 1])


def test_a_long_pebbling_crosses_many_blocks() -> None:
    n = 100_000
    dag = Dag.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    moves = chain_moves(n)
    status = replay(dag, 2, moves).require_complete()
    assert (status.moves, status.io, status.computes, status.peak) == (2 * n, 2, n - 1, 2)
    for at in (0, 1, 32_767, 32_768, 65_537, 2 * n - 4):
        op, vertex = moves.op.copy(), moves.vertex.copy()
        op[at], vertex[at] = Op.DELETE, n - 1
        with pytest.raises(IllegalMove) as caught:
            replay(dag, 2, Moves(op, vertex))
        assert (caught.value.move_number, caught.value.rule) == (at, "delete-needs-red")


def test_nothing_and_after_an_illegal_move() -> None:
    empty = replay(SUM, 1, [])
    assert (empty.moves, empty.peak, empty.missing) == (0, 0, (1,))
    with pytest.raises(IncompletePebbling):
        empty.require_complete()
    assert replay(SUM, 1, Moves([], [])) == empty
    play = Replay(SUM, 3).play([0], [0])
    with pytest.raises(IllegalMove, match=r"^move 2"):
        play.play([0, 2], [0, 1])
    assert play.result().moves == 2
    with pytest.raises(IllegalMove, match=r"^move 2"):
        play.play([0], [2])
    assert play.result().moves == 2


def test_bad_arguments() -> None:
    with pytest.raises(InvalidInput, match="positive whole number"):
        replay(SUM, 0, [])
    with pytest.raises(InvalidInput, match="equally long"):
        replay(SUM, 3, ([0], [0, 1]))
    with pytest.raises(InvalidInput, match="whole numbers"):
        Replay(SUM, 3).play([0], [0.5])
    with pytest.raises(InvalidInput, match="vertices is missing"):
        Replay(SUM, 3).play([0])
