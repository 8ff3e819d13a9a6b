from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pebble.game.replay
from pebble.common.errors import IllegalMove, IncompletePebbling, InvalidInput
from pebble.game.board import Status
from pebble.game.game import Game
from pebble.game.moves import Columns, Move, Moves, Op
from pebble.game.replay import Replay, replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.support.amounts import examples
from tests.support.random_dags import all_rules, dags, mutated, plain, pyramid, random_legal_moves, reference

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


@pytest.mark.slow
@given(
    dags(9),
    st.integers(1, 6),
    all_rules(),
    st.integers(0, 2**32),
    st.booleans(),
    st.sampled_from([1, 2, 5, 1 << 15]),
)
@examples(100, 400)
def test_replay_is_the_game_is_the_model(
    dag: Dag, M: int, rules: Rules, seed: int, lower: bool, block: int
) -> None:
    rng = np.random.default_rng(seed)
    moves = mutated(random_legal_moves(dag, M, rules, 50, rng), dag, rng)
    M = max(1, M - lower)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pebble.game.replay, "BLOCK", block)
        found = by_replay(dag, M, cut(moves, rng), rules)
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


@given(dags(5), st.integers(1, 4), all_rules(), st.data())
@examples(75, 300)
def test_any_moves_at_all(dag: Dag, M: int, rules: Rules, data: st.DataObject) -> None:
    vertex = st.integers(-2, dag.n_vertices + 1)
    rows = data.draw(st.lists(st.tuples(st.integers(0, 4), vertex, vertex), max_size=12))
    moves = [Move(Op(op), v, u if op == Op.SLIDE else -1) for op, v, u in rows]
    assert by_replay(dag, M, [moves], rules) == by_game(dag, M, moves, rules)


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


def test_computing_an_input_before_others() -> None:
    with pytest.raises(IllegalMove) as caught:
        replay(SUM, 3, ([0, 0, 2, 2], [0, 2, 1, 0]))
    assert (caught.value.move_number, caught.value.rule) == (3, "compute-input")


def test_chunks_may_be_tuples_of_any_integers() -> None:
    op, vertex = np.array([0, 0, 2, 1], dtype=np.uint8), np.array([0, 2, 1, 1], dtype=np.int32)
    one: Columns = (op, vertex)
    many: list[Columns] = [(op[:1], vertex[:1]), Moves(op[1:2], vertex[1:2]), ([2, 1], [1, 1], None)]
    generated: Iterator[Columns] = iter(many)
    results = [replay(SUM, 3, moves) for moves in (one, many, generated, Moves(op, vertex))]
    assert all(result == results[0] for result in results)
    assert results[0].io == 3


def test_slides_in_columns() -> None:
    rules = Rules(sliding=True)
    moves = Moves([0, 0, 4, 1], [0, 2, 1, 1], [9, 9, 2, 9])
    status = replay(SUM, 2, moves, rules)
    assert (status.complete, status.peak, status.slides, status.red) == (True, 2, 1, 2)
    with pytest.raises(IllegalMove, match="not among its predecessors") as caught:
        replay(SUM, 2, Moves([0, 0, 4], [0, 2, 1]), rules)
    assert caught.value.rule == "slide-needs-predecessor"


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


def test_unknown_operations_are_refused_in_their_place() -> None:
    with pytest.raises(IllegalMove) as caught:
        replay(SUM, 3, ([0, 7], [0, 0]))
    assert (caught.value.rule, caught.value.move_number) == ("unknown-op", 1)
    with pytest.raises(IllegalMove) as caught:
        replay(SUM, 3, ([0, 1, 7], [0, 2, 0]))
    assert (caught.value.rule, caught.value.move_number) == ("store-needs-red", 1)


def test_bad_arguments() -> None:
    with pytest.raises(InvalidInput, match="positive whole number"):
        replay(SUM, 0, [])
    with pytest.raises(InvalidInput, match="equally long"):
        replay(SUM, 3, ([0], [0, 1]))
    with pytest.raises(InvalidInput, match="whole numbers"):
        Replay(SUM, 3).play([0], [0.5])
    with pytest.raises(InvalidInput, match="vertices is missing"):
        Replay(SUM, 3).play([0])


def test_a_store_only_helps_later_loads() -> None:
    dag = pyramid(1)
    v = {name: dag.vertex(name) for name in ("0.0", "0.1", "1.0")}
    begin = [Move(Op.LOAD, v["0.0"]), Move(Op.LOAD, v["0.1"]), Move(Op.COMPUTE, v["1.0"])]
    load, store = Move(Op.LOAD, v["1.0"]), Move(Op.STORE, v["1.0"])
    assert replay(dag, 3, Moves.of([*begin, store, load, store])).redundant == 2
    with pytest.raises(IllegalMove, match=r"^move 3, load 1.0: it has no blue pebble; it is red already"):
        replay(dag, 3, Moves.of([*begin, load, store]))


def test_two_computations_in_one_block_when_one_is_allowed() -> None:
    rules = Rules(recomputation=False)
    for split in (0, 3):
        play = Replay(SUM, 3, rules).play([0, 0, 2][:split], [0, 2, 1][:split])
        rest = Moves([0, 0, 2, 2], [0, 2, 1, 1]).part(split, 4)
        with pytest.raises(IllegalMove, match=r"^move 3, compute s: it was computed before") as caught:
            play.play(rest)
        assert caught.value.rule == "recomputation-forbidden"


def test_a_slide_to_a_red_vertex() -> None:
    """In the same block as the computation, and in a later one."""
    rules = Rules(sliding=True)
    moves = Moves([0, 0, 2, 4], [0, 2, 1, 1], [-1, -1, -1, 0])
    for split in (0, 3):
        play = Replay(SUM, 3, rules).play(moves.part(0, split))
        rest = moves.part(split, 4)
        with pytest.raises(IllegalMove) as caught:
            play.play(rest)
        assert (caught.value.move_number, caught.value.rule) == (3, "slide-target-red")
