"""What the game says of a move that breaks a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.game.small_games import two_sum
from tests.support.text_tables import rows_of


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("refusals.txt")), ids=lambda row: row[2])
def test_messages(row: list[str]) -> None:
    edges, M, moves, message, rule_name = row
    ends = edges.split()
    game = Game(Dag.from_edges(list(zip(ends[::2], ends[1::2], strict=True))), int(M))
    *before, last = (line.split() for line in moves.split(","))
    for word, name in before:
        getattr(game, word)(name)
    with pytest.raises(IllegalMove) as caught:
        getattr(game, last[0])(last[1])
    assert str(caught.value) == message
    assert (caught.value.rule, caught.value.move_number) == (rule_name, len(before))


def test_memory_full_where_slides_are_allowed() -> None:
    with pytest.raises(IllegalMove, match="slide from a predecessor"):
        two_sum(2, Rules(sliding=True)).play([(0, 0), (0, 2), (2, 1)])


def test_recomputation_forbidden_remedies() -> None:
    game = two_sum(3, Rules(recomputation=False))
    game.play([(0, 0), (0, 2), (2, 1)])
    with pytest.raises(IllegalMove, match="it is still red") as caught:
        game.compute("s")
    assert caught.value.rule == "recomputation-forbidden"
    game.store("s")
    game.delete("s")
    with pytest.raises(IllegalMove, match="load it instead"):
        game.compute("s")
    game.undo()
    game.undo()
    game.undo()
    game.compute("s")
    assert game.status().computes == 1


def test_unknown_operation_and_bad_arguments() -> None:
    with pytest.raises(IllegalMove) as caught:
        two_sum().push((9, 0))
    assert caught.value.rule == "unknown-op"
    for wrong in ("load a", (1,), (0, 1, 2, 3), (0, "a"), (0, True), [0, 1]):
        with pytest.raises(InvalidInput):
            two_sum().push(wrong)  # type: ignore[arg-type]
    for M in (0, -1, 1.5, True, "3"):
        with pytest.raises(InvalidInput, match="positive whole number"):
            two_sum(M)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no move to take back"):
        two_sum().undo()
    with pytest.raises(InvalidInput):
        two_sum().load(1.0)  # type: ignore[arg-type]
