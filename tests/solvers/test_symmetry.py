"""Symmetric DAGs: their automorphisms, the states that represent others, and pebblings made from them."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.optimum import optimal, symmetry
from pebble.solvers.optimum.best_first import beam
from pebble.solvers.optimum.bit_game import Words, make_bit_game, members
from pebble.solvers.optimum.requirements import RequirementSpace
from pebble.solvers.optimum.search_space import SearchSpace
from pebble.solvers.optimum.states import States
from pebble.solvers.optimum.symmetry import stabiliser_chain
from pebble.solvers.optimum.witness import moves_along
from tests.solvers.small_dags import ALL_RULES, check_witness


def check_path(dag: Dag, M: int, rules: Rules, width: int) -> None:
    """A path of the narrow search can be played, at exactly its cost."""
    rules = Rules(recomputation=False, sliding=rules.sliding)
    space = SearchSpace(make_bit_game(dag, M, rules))
    found = beam(space, width)
    assert found is not None
    status = Game(dag, M, rules).play(moves_along(space, found[1])).status()
    assert status.complete
    assert status.io == found[0] + space.game.stores


@pytest.mark.many(6)
@pytest.mark.parametrize("name", ["hypercube:3", "diamond:3,3", "fft:4", "matmul:2,1,2", "stencil:4,2"])
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_pebblings_of_symmetric_dags(name: str, rules: Rules) -> None:
    dag = load_dag(name)
    M = dag.least_M(sliding=rules.sliding)
    best = optimal(dag, M, rules)
    assert best.proved
    assert best.symmetries > 1
    check_witness(dag, M, rules, best)
    hasty = optimal(dag, M, rules, time_limit=1e-6)
    assert hasty.lower <= best.io <= hasty.io
    check_witness(dag, M, rules, hasty)
    for width in (1, 4):
        check_path(dag, M + 2, rules, width)


@pytest.mark.parametrize(
    ("name", "M", "sliding", "width"),
    [
        ("diamond:4,4", 7, False, 1),
        ("diamond:4,4", 6, False, 4),
        ("fft:4", 6, True, 4),
        ("fft:4", 6, True, 16),
    ],
)
def test_successors_of_a_symmetric_state_need_not_be_symmetric(
    name: str, M: int, sliding: bool, width: int
) -> None:
    """The forms form prefers low numbers, so steps have to be made from the representatives of the path."""
    check_path(load_dag(name), M, Rules(sliding=sliding), width)


@pytest.mark.many(1)
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_any_choice_of_representatives_gives_a_pebbling(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the greatest image of each state represents it; nothing may hang on its being the least."""
    names = ("fft:4", "hypercube:3", "diamond:3,3")
    expected = {name: optimal(load_dag(name), 4, rules).io for name in names}
    least = symmetry._smaller

    def greater(left: Words, right: Words) -> Words:
        return np.where(least(left, right) == left, right, left)

    monkeypatch.setattr(symmetry, "_smaller", greater)
    for name, io in expected.items():
        best = optimal(load_dag(name), 4, rules)
        assert (best.io, best.proved) == (io, True)
        check_witness(load_dag(name), 4, rules, best)


def test_the_automorphism_to_a_representative_takes_the_state_there() -> None:
    for name in ("fft:4", "fft:8", "fma-matmul:2,2,2"):
        space = RequirementSpace(make_bit_game(load_dag(name), 5, Rules()))
        rng = np.random.default_rng(9)
        red = np.array(
            [sum(1 << int(v) for v in rng.choice(space.game.red_bits, 4, replace=False))], dtype=np.uint64
        )
        row = space.codec.pack(States(red, np.zeros_like(red)))
        taken = space.symmetry.taking(row)
        image = sum(1 << taken[v] for v in members(int(red[0])))
        assert int(space.codec.unpack(space.symmetry.least(row)).red[0]) == image


# -- parts


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("fft:2", 4),
        ("fft:4", 64),
        ("fft:8", 16384),
        ("fma-matmul:2,2,4", 8),
        ("fma-matmul:2,3,2", 12),
        ("pyramid:3", 2),
    ],
)
def test_number_of_symmetries(name: str, order: int) -> None:
    game = make_bit_game(load_dag(name), 9, Rules())
    levels = stabiliser_chain(game.before, game.after, [0] * game.n)
    assert int(np.prod([len(level) + 1 for level in levels])) == order


def test_symmetries_are_automorphisms() -> None:
    game = make_bit_game(load_dag("fma-matmul:2,2,2"), 4, Rules())
    levels = stabiliser_chain(game.before, game.after, [0] * game.n)
    edges = {(p, v) for v in range(game.n) for p in range(game.n) if game.before[v] >> p & 1}
    for permutation in (p for level in levels for p in level):
        assert {(permutation[p], permutation[v]) for p, v in edges} == edges


def test_outputs_restrict_symmetries() -> None:
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert optimal(Dag.from_edges(edges), 3).symmetries == 2
    assert optimal(Dag.from_edges(edges, outputs=["b", "d"]), 3).symmetries == 1
