"""Each search for the optimum alone, its bounds, its symmetries, and what it leaves out put back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.optimum import optimal, symmetry
from pebble.solvers.optimum.best_first import prove
from pebble.solvers.optimum.bit_game import Words, make_bit_game
from pebble.solvers.optimum.requirements import LateLoadSpace, RequirementSpace
from pebble.solvers.optimum.states import Batch, Codec, LayeredSet, States
from pebble.solvers.optimum.symmetry import stabiliser_chain
from pebble.solvers.optimum.witness import moves_along
from tests.solvers.small_dags import ALL_RULES, check_witness, least, random_dag, some_dags
from tests.solvers.test_optimum import single_moves
from tests.support.search_by_regression import optimum as regression_optimum

AGAIN = [rules for rules in ALL_RULES if rules.recomputation]
KINDS = [RequirementSpace, LateLoadSpace]


def games(seed: int, sizes: tuple[int, int], count: int, rules: Rules) -> Iterator[tuple[Dag, int]]:
    """Random DAGs with outputs to be computed, some of which are used further, and M at or just above the least."""
    rng = np.random.default_rng(seed)
    while count:
        dag = random_dag(rng, int(rng.integers(*sizes)))
        computed = np.flatnonzero(dag.indegree)
        if count % 2 and len(computed):
            outputs = {*map(int, dag.outputs), int(rng.choice(computed))}
            dag = Dag(dag.predecessor_start, dag.predecessors, outputs=sorted(outputs))
        M = least(dag, rules) + int(rng.integers(0, 2))
        if make_bit_game(dag, M, rules).stores:
            count -= 1
            yield dag, M


def alone(dag: Dag, M: int, rules: Rules, kind: type[RequirementSpace] = RequirementSpace) -> int:
    """The optimum by one of the two searches, its pebbling replayed."""
    space = kind(make_bit_game(dag, M, rules))
    proof = prove([space])
    assert proof.exact
    assert proof.path is not None
    status = replay(dag, M, moves_along(space, proof.path), rules).require_complete()
    assert status.io == proof.lower + space.game.stores
    return status.io


@pytest.mark.many(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_against_all_single_moves(rules: Rules, kind: type[RequirementSpace]) -> None:
    for dag, M in games(1, (4, 7), 20, rules):
        assert alone(dag, M, rules, kind) == single_moves(dag, M, rules)[0], (M, dag)


@pytest.mark.many(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", AGAIN, ids=str)
def test_against_regression_by_single_moves(rules: Rules, kind: type[RequirementSpace]) -> None:
    """A search of a few lines that takes back one move at a time and knows no rule but [before]."""
    cases = [*games(3, (7, 11), 8, rules), (load_dag("diamond:3,4"), 3), (load_dag("pyramid:3"), 3)]
    for dag, M in cases:
        assert alone(dag, M, rules, kind) == regression_optimum(dag, M, rules), (M, dag)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_the_bound_never_falls_and_every_step_is_made_in_one_layer(rules: Rules) -> None:
    for dag, M in games(4, (6, 11), 8, rules):
        space = RequirementSpace(make_bit_game(dag, M, rules))
        rows = space.start()
        for _ in range(4):
            states, bound = space.codec.unpack(rows), space.bound(rows)
            potential = np.zeros(len(states), dtype=np.int64)
            steps = next(space.steps(states, potential=potential))
            before = space.bound(space.codec.pack(steps.states))
            assert (steps.cost + before >= bound[steps.parent] + steps.raised).all()
            parts = [next(space.steps(states, j, j)) for j in range(int(potential.max(initial=0)) + 1)]
            assert sum(len(part.vertex) for part in parts) == len(steps.vertex)
            rows = np.unique(space.codec.pack(steps.states), axis=0)[:200]
            if not len(rows):
                break


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_no_requirement_on_a_best_path_is_said_to_cost_more_than_what_is_left(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound, and what [wavefront] adds to it, on a path that was found without [wavefront]."""
    told, cost_more = 0, LateLoadSpace.cost_more
    pyramid = load_dag("pyramid:4")
    for dag, M in [*games(34, (7, 12), 8, rules), (pyramid, 1 + least(pyramid, rules))]:
        space = LateLoadSpace(make_bit_game(dag, M, rules))
        monkeypatch.setattr(LateLoadSpace, "cost_more", RequirementSpace.cost_more)
        proof = prove([space])
        monkeypatch.setattr(LateLoadSpace, "cost_more", cost_more)
        assert proof.path is not None
        told += _check_path(space, proof.path, proof.lower)
    assert told


def _check_path(space: LateLoadSpace, path: list[Words], cost: int) -> int:
    spent, told = 0, 0
    for here, there in itertools.pairwise(path):
        left = cost - spent - int(space.bound(here[None])[0])
        assert left >= 0
        assert not space.cost_more(here[None], left + 1)[0]
        told += left > 0 and bool(space.cost_more(here[None], 1)[0])
        costs = []
        for steps in space.steps(space.codec.unpack(here[None])):
            same = space.symmetry.least(space.codec.pack(steps.states)) == there
            costs += steps.cost[same.reshape(len(steps.cost), -1).all(axis=1)].tolist()
        spent += min(costs)
    assert spent == cost
    return told


def test_only_what_was_met_at_no_more_cost_makes_superfluous() -> None:
    """A requirement with one member less, met in the layer that costs the same, and in those before and after it."""
    space = RequirementSpace(make_bit_game(load_dag("diamond:4,4"), 3, Rules()))
    states = space.codec.unpack(space.start())
    for _ in range(4):
        states = next(space.steps(states)).states
    rises = set()
    for row in space.canonical(Batch(space.codec.pack(states), np.arange(len(states)))).rows[::5]:
        one = space.codec.unpack(row[None])
        for member in (1 << v for v in range(space.game.red_bits)):
            weaker = States(*(part & ~np.uint64(member) for part in one))
            if (weaker.red == one.red) == (weaker.blue == one.blue):
                continue
            rise = int(space.bound(row[None])[0] - space._bound(weaker)[0])
            closed = LayeredSet()
            closed.add(space.symmetry.least(space.codec.pack(weaker)))
            for age in (0, 1, 2):
                assert bool(space.dominated(row[None], closed)[0]) == (age >= rise), (rise, age)
                closed.next_layers(1)
            rises.add(rise)
    assert rises >= {0, 1}


# -- states, sets and codes


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


# -- symmetries


@pytest.mark.many(6)
@pytest.mark.parametrize("name", ["hypercube:3", "diamond:3,3", "fft:4", "matmul:2,1,2", "stencil:4,2"])
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_pebblings_of_symmetric_dags(name: str, rules: Rules) -> None:
    """Also where no schedule without sliding exists and the time is up at once."""
    dag = load_dag(name)
    M = dag.least_M(sliding=rules.sliding)
    best = optimal(dag, M, rules)
    assert best.proved
    assert best.symmetries > 1
    check_witness(dag, M, rules, best)
    hasty = optimal(dag, M, rules, time_limit=1e-6)
    assert hasty.lower <= best.io <= hasty.io
    check_witness(dag, M, rules, hasty)


@pytest.mark.many(1)
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_any_choice_of_representatives_gives_a_pebbling(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the greatest image of each state represents it; nothing may hang on its being the least."""
    names = ("fft:4", "hypercube:3", "diamond:3,3")
    expected = {name: optimal(load_dag(name), 4, rules).io for name in names}
    smaller = symmetry._smaller

    def greater(left: Words, right: Words) -> Words:
        return np.where(smaller(left, right) == left, right, left)

    monkeypatch.setattr(symmetry, "_smaller", greater)
    for name, io in expected.items():
        best = optimal(load_dag(name), 4, rules)
        assert (best.io, best.proved) == (io, True)
        check_witness(load_dag(name), 4, rules, best)


@pytest.mark.parametrize(
    ("name", "order"), [("fft:4", 64), ("fft:8", 16384), ("fma-matmul:2,3,2", 12), ("pyramid:3", 2)]
)
def test_symmetries_are_automorphisms_and_all_of_them(name: str, order: int) -> None:
    game = make_bit_game(load_dag(name), 9, Rules())
    levels = stabiliser_chain(game.before, game.after, [0] * game.n)
    assert int(np.prod([len(level) + 1 for level in levels])) == order
    edges = {(p, v) for v in range(game.n) for p in range(game.n) if game.before[v] >> p & 1}
    for permutation in (p for level in levels for p in level):
        assert {(permutation[p], permutation[v]) for p, v in edges} == edges
