"""States in one word or two, sets of them, and the bound that never falls from one to the next."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.solvers.optimum import optimal
from pebble.solvers.optimum.bit_game import make_bit_game
from pebble.solvers.optimum.search_space import SearchSpace
from pebble.solvers.optimum.states import Batch, Codec, StateSet
from pebble.solvers.optimum.successors import successors
from tests.solvers.small_dags import ALL_RULES, some_dags


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_two_words_a_state_give_the_same_answers(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = [optimal(dag, dag.max_indegree + 1, rules) for dag in some_dags()[3:6]]
    make = Codec.__init__

    def wide(self: Codec, game: Any) -> None:
        make(self, game)
        self.narrow = False

    monkeypatch.setattr(Codec, "__init__", wide)
    for dag, expected in zip(some_dags()[3:6], narrow, strict=True):
        best = optimal(dag, dag.max_indegree + 1, rules)
        assert (best.io, best.symmetries) == (expected.io, expected.symmetries)


def test_more_than_64_bits() -> None:
    """A pyramid of 55 vertices needs two words a state; with enough memory only the compulsory I/O is left."""
    dag = load_dag("pyramid:9")
    assert not Codec(make_bit_game(dag, 11, Rules())).narrow
    best = optimal(dag, 11)
    assert (best.io, best.proved) == (11, True)


def test_state_set() -> None:
    rng = np.random.default_rng(5)
    known: set[int] = set()
    states = StateSet()
    for _ in range(40):
        rows = rng.integers(0, 500, size=int(rng.integers(1, 60))).astype(np.uint64)
        fresh = states.new_ones(Batch(rows, np.arange(len(rows))).distinct())
        assert set(fresh.rows.tolist()) == set(rows.tolist()) - known
        assert all(rows[i] == row for row, i in zip(fresh.rows, fresh.parent, strict=True))
        states.add(fresh.rows)
        known |= set(rows.tolist())
    assert states.size == len(known)


@pytest.mark.parametrize("rules", [one for one in ALL_RULES if not one.recomputation], ids=str)
def test_the_bound_never_falls_along_a_step(rules: Rules) -> None:
    """On which the search in layers relies; and dearer steps raise it by what they say."""
    for dag in some_dags()[:6]:
        space = SearchSpace(make_bit_game(dag, dag.max_indegree + 1, rules))
        forms, states = space.forms, space.forms.start()
        for _ in range(4):
            bound = forms.bound(states)
            rows = space.codec.pack(states.take(slice(0)))
            for steps in successors(forms, states):
                after = forms.tidy(steps.states)
                assert (steps.cost + forms.bound(after) - bound[steps.parent] >= steps.raised).all()
                rows = np.concatenate([rows, space.codec.pack(after)[:50]])
            states = space.codec.unpack(rows[:200])
