"""Pictures of positions and pebblings, against the rules and the counts written a second time."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pebble.game.game import Game
from pebble.game.moves import Moves, Op
from pebble.game.pictures import pebbling_svg
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.support.amounts import examples
from tests.support.dag_pictures import read_picture
from tests.support.random_dags import all_rules, dags


def words_now(game: Game, v: int) -> set[str]:
    """The moves of a vertex that change something, from the pebbles alone."""
    below = game.dag.predecessors_of(v).tolist()
    red, blue, room = v in game.red, v in game.blue, len(game.red) < game.M
    computable = bool(below) and all(p in game.red for p in below)
    if not game.rules.recomputation:
        computable = computable and not any(
            m.vertex == v and m.op in (Op.COMPUTE, Op.SLIDE) for m in game.history
        )
    found = {
        "load": blue and not red and room,
        "store": red and not blue,
        "delete": red,
        "compute": computable and not red and room,
        "slide": computable and not red and game.rules.sliding,
    }
    return {word for word, legal in found.items() if legal}


@given(dags(7), st.integers(1, 5), all_rules(), st.data())
@examples(10, 40)
def test_a_position_shows_its_pebbles_and_the_moves_that_are_legal(
    dag: Dag, M: int, rules: Rules, data: st.DataObject
) -> None:
    game = Game(dag, M, rules)
    for _ in range(data.draw(st.integers(0, 12))):
        moves = list(game.legal_moves())
        if moves:
            game.push(data.draw(st.sampled_from(moves)))
    picture = read_picture(game._repr_svg_())
    for v in range(dag.n_vertices):
        seen, expected = picture.vertices[dag.name(v)], words_now(game, v)
        assert ("red-pebble" in seen.marks, "blue-pebble" in seen.marks) == (v in game.red, v in game.blue)
        assert len(seen.notes) == len(set(seen.notes))
        assert set(seen.notes) == expected
        assert ("halo" in seen.marks) == bool(expected & {"load", "compute", "slide"})
    assert "; ".join(picture.lines[1:-2]) == str(game.status())
    assert picture.title == repr(game)


@given(dags(7), st.integers(2, 5), st.data())
@examples(10, 40)
def test_a_pebbling_shows_what_is_loaded_stored_and_computed_again(
    dag: Dag, M: int, data: st.DataObject
) -> None:
    game = Game(dag, M)
    for _ in range(data.draw(st.integers(0, 25))):
        moves = list(game.legal_moves())
        if moves:
            game.push(data.draw(st.sampled_from(moves)))
    cut = data.draw(st.integers(0, len(game.history)))
    chunks = [Moves.of(game.history[:cut]), Moves.of(game.history[cut:])]
    picture = read_picture(pebbling_svg(dag, "title", ["first"], chunks))
    counted = Counter((move.op, move.vertex) for move in game.history)
    for v in range(dag.n_vertices):
        seen = picture.vertices[dag.name(v)]
        loads, stores, computes = (counted[op, v] for op in (Op.LOAD, Op.STORE, Op.COMPUTE))
        expected = ["load"] * (loads == 1) + [f"{loads} loads"] * (loads > 1)
        expected += [f"{computes} computes"] * (computes > 1)
        expected += ["store"] * (stores == 1) + [f"{stores} stores"] * (stores > 1)
        assert seen.notes == expected
        assert ("blue-pebble" in seen.marks) == (v in game.blue)
        assert "red-pebble" not in seen.marks
        assert ("halo" in seen.marks) == (loads + stores > 1)
    assert picture.lines[0] == "first"
