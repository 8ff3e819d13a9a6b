"""The game against a model in plain sets, on random moves and on values known by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pebble.common.errors import IllegalMove, IncompletePebbling
from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from tests.game.small_games import two_sum
from tests.support.amounts import examples
from tests.support.random_dags import all_rules, dags, plain, pyramid, random_legal_moves, reference
from tests.support.reference_game import ReferenceGame


def agree(game: Game, model: ReferenceGame) -> None:
    """The engine's position and counts are the model's."""
    status = game.status()
    assert set(game.red) == model.red
    assert set(game.blue) == model.blue
    counts = model.counts
    assert (status.reads, status.writes, status.deletes) == (
        counts["load"],
        counts["store"],
        counts["delete"],
    )
    assert status.computes == counts["compute"] + counts["slide"]
    assert (status.slides, status.redundant) == (counts["slide"], counts["redundant"])
    assert status.peak == model.peak <= game.M
    assert status.red == len(game.red) == len(model.red)
    assert set(status.missing) == model.missing
    assert status.complete is game.complete is (not model.missing)
    assert status.moves == status.io + status.computes + status.deletes == len(game.history)


def every_move(dag: Dag) -> list[Move]:
    """All moves that can be spelled on a small DAG, among them some on vertices that do not exist."""
    vertices = range(-1, dag.n_vertices + 1)
    single = [Move(op, v) for op in (Op.LOAD, Op.STORE, Op.COMPUTE, Op.DELETE) for v in vertices]
    return single + [Move(Op.SLIDE, v, u) for v in vertices for u in vertices]


class GameAgainstSets(RuleBasedStateMachine):
    """Any moves, legal or not, and taking back, on the engine and on the model at once."""

    @initialize(dag=dags(7), M=st.integers(1, 6), rules=all_rules())
    def begin(self, dag: Dag, M: int, rules: Rules) -> None:
        self.game = Game(dag, M, rules)
        self.model = reference(dag, M, rules)
        self.past: list[Move] = []

    @rule(data=st.data())
    def any_move(self, data: st.DataObject) -> None:
        n = self.game.dag.n_vertices
        vertex = st.integers(-1, n)
        self.attempt(Move(data.draw(st.sampled_from(Op)), data.draw(vertex), data.draw(vertex)))

    @rule(data=st.data())
    def legal_move(self, data: st.DataObject) -> None:
        moves = list(self.game.legal_moves())
        if moves:
            move = data.draw(st.sampled_from(moves))
            assert not self.model.broken_rule(plain(move))
            self.attempt(move)

    def attempt(self, move: Move) -> None:
        broken = self.model.broken_rule(plain(move))
        before = self.game.status()
        assert self.game.is_legal(move) is (move in self.game.legal_moves()) is (not broken)
        if broken:
            with pytest.raises(IllegalMove) as caught:
                self.game.push(move)
            assert (caught.value.rule, caught.value.move_number) == (broken, len(self.past))
            assert self.game.status() == before
        else:
            self.game.push(move)
            self.model.push(plain(move))
            self.past.append(move if move.op == Op.SLIDE else Move(move.op, move.vertex))

    @precondition(lambda self: bool(getattr(self, "past", None)))
    @rule(back=st.integers(1, 4))
    def take_back(self, back: int) -> None:
        for _ in range(min(back, len(self.past))):
            assert self.game.undo() == self.past.pop()
        self.model = reference(self.game.dag, self.game.M, self.game.rules)
        for move in self.past:
            self.model.push(plain(move))

    @invariant()
    def same(self) -> None:
        if hasattr(self, "game"):
            agree(self.game, self.model)
            assert list(self.game.history) == self.past


TestGameAgainstSets = GameAgainstSets.TestCase


TestGameAgainstSets.settings = settings(examples(20, 60), stateful_step_count=40)


@given(dags(6), st.integers(1, 5), all_rules(), st.integers(0, 2**32))
@examples(10, 40)
def test_legal_moves_are_exactly_the_models(dag: Dag, M: int, rules: Rules, seed: int) -> None:
    game, model = Game(dag, M, rules), reference(dag, M, rules)
    for move in random_legal_moves(dag, M, rules, 12, np.random.default_rng(seed)):
        game.push(move)
        model.push(plain(move))
    expected = {move for move in every_move(dag) if not model.broken_rule(plain(move))}
    view = game.legal_moves()
    assert set(view) == expected
    assert len(view) == len(expected)
    assert bool(view) is bool(expected)


# -- known values


def test_sum_of_two_costs_three() -> None:
    game = two_sum(3)
    assert game.dag.least_M() == 3
    game.load("a")
    game.load("b")
    game.compute("s")
    with pytest.raises(IncompletePebbling, match="1 of 1 outputs is not blue: s"):
        game.status().require_complete()
    game.store("s")
    assert game.status().require_complete().io == 3
    assert str(game.status()) == (
        "complete; 3 I/O (2 reads, 1 write), 1 compute, 4 moves; 3 of 3 words in use, peak 3"
    )


def pebble_pyramid(height: int, M: int, rules: Rules) -> Game:
    """Slope by slope from the left: the I/O is every input once and the apex once, and nothing in between."""
    game = Game(pyramid(height), M, rules)
    for slope in range(height + 1):
        game.load(f"0.{slope}")
        for row in range(1, slope + 1):
            target, left = f"{row}.{slope - row}", f"{row - 1}.{slope - row}"
            if rules.sliding:
                game.slide(target, left)
            else:
                game.compute(target)
                game.delete(left)
    game.store(f"{height}.0")
    return game


@pytest.mark.parametrize("height", [1, 2, 3, 6, 15])
def test_pyramid_without_spilling(height: int) -> None:
    """h + 2 pebbles do for a pyramid of height h, h + 1 with sliding.

    The black pebble number of the pyramid of height h (h + 1 sources) is h + 2 without sliding: S. A. Cook,
    "An observation on time-storage trade off", JCSS 9 (1974); J. E. Savage, "Models of Computation" (1998),
    chapter 10. Here only that these pebbles are enough for the cheapest I/O, and that this play fails with
    one less.
    """
    for rules, M in (
        (Rules(recomputation=False), height + 2),
        (Rules(sliding=True, recomputation=False), height + 1),
    ):
        status = pebble_pyramid(height, M, rules).status().require_complete()
        assert (status.io, status.peak) == (height + 2, M)
        with pytest.raises(IllegalMove) as caught:
            pebble_pyramid(height, M - 1, rules)
        assert caught.value.rule == "memory-full"


# -- views and values
