"""The search backwards against searches that share nothing with it, its bound, and its rules left out."""

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
from pebble.solvers.optimum import optimal
from pebble.solvers.optimum.best_first import prove
from pebble.solvers.optimum.bit_game import make_bit_game
from pebble.solvers.optimum.requirements import LateLoadSpace, RequirementSpace
from pebble.solvers.optimum.states import Batch, LayeredSet, States
from pebble.solvers.optimum.witness import moves_back_along
from tests.solvers.small_dags import least, random_dag
from tests.solvers.test_optimum import single_moves
from tests.support.search_by_regression import optimum as regression_optimum

RULES = [Rules(), Rules(sliding=True)]

LARGE = ("attention:N=3,d=1", 6, 22)
TARGETS = [("diamond:6,6", 4, 13), ("pyramid:8", 6, 18), ("attention:N=3,d=1", 8, 16), LARGE]


def games(seed: int, sizes: tuple[int, int], count: int, rules: Rules) -> Iterator[tuple[Dag, int]]:
    """Random DAGs with outputs to be computed, and M at or just above the least."""
    rng = np.random.default_rng(seed)
    while count:
        dag = random_dag(rng, int(rng.integers(*sizes)))
        M = least(dag, rules) + int(rng.integers(0, 2))
        if make_bit_game(dag, M, rules).stores:
            count -= 1
            yield dag, M


def back(
    dag: Dag, M: int, rules: Rules, kind: type[RequirementSpace | LateLoadSpace] = RequirementSpace
) -> int:
    """The optimum by one of the two searches backwards alone, its pebbling replayed."""
    space = kind(make_bit_game(dag, M, rules))
    proof = prove(space)
    assert proof.exact
    assert proof.path is not None
    status = replay(dag, M, moves_back_along(space, proof.path), rules).require_complete()
    assert status.io == proof.lower + space.game.stores
    return status.io


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_against_all_single_moves(rules: Rules) -> None:
    for dag, M in games(1, (4, 7), 30, rules):
        assert back(dag, M, rules) == single_moves(dag, M, rules)[0], (M, dag)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_against_regression_by_single_moves(rules: Rules) -> None:
    """A search of a few lines that takes back one move at a time and knows no rule but [before]."""
    for dag, M in games(3, (7, 11), 12, rules):
        assert back(dag, M, rules) == regression_optimum(dag, M, rules), (M, dag)


@pytest.mark.parametrize(("name", "M", "io"), [("diamond:3,4", 3, 7), ("pyramid:3", 3, 11), ("fft:4", 3, 14)])
def test_small_families(name: str, M: int, io: int) -> None:
    assert back(load_dag(name), M, Rules()) == io == regression_optimum(load_dag(name), M, Rules())


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_bound_never_falls_and_rises_as_promised(rules: Rules) -> None:
    for dag, M in games(4, (6, 11), 12, rules):
        space = RequirementSpace(make_bit_game(dag, M, rules))
        rows = space.start()
        for _ in range(4):
            states, bound = space.codec.unpack(rows), space.bound(rows)
            for steps in space.steps(states):
                before = space.bound(space.codec.pack(steps.states))
                assert (steps.cost + before >= bound[steps.parent] + steps.raised).all()
                rows = np.unique(space.codec.pack(steps.states), axis=0)[:200]
            if not len(rows):
                break


def test_the_bound_is_met_by_no_pebbling() -> None:
    """Every requirement on the way costs at least its bound: what is left on a path of least cost."""
    for dag, M in games(5, (7, 12), 20, Rules()):
        space = RequirementSpace(make_bit_game(dag, M, Rules()))
        proof = prove(space)
        assert proof.path is not None
        spent = 0
        for here, there in itertools.pairwise(proof.path):
            assert spent + int(space.bound(here[None])[0]) <= proof.lower
            spent += min(
                int(steps.cost[i])
                for steps in space.steps(space.codec.unpack(here[None]))
                for i in np.flatnonzero(
                    (space.symmetry.least(space.codec.pack(steps.states)) == there)
                    .reshape(len(steps.cost), -1)
                    .all(axis=1)
                )
            )
        assert spent == proof.lower


def test_the_steps_of_all_layers_are_all_steps() -> None:
    """Made layer by layer, each step is made once."""
    for dag, M in games(6, (7, 11), 8, Rules()):
        space = RequirementSpace(make_bit_game(dag, M, Rules()))
        states = space.codec.unpack(space.start())
        for _ in range(3):
            potential = np.zeros(len(states), dtype=np.int64)
            whole = next(space.steps(states, potential=potential))
            parts = [next(space.steps(states, j, j)) for j in range(int(potential.max()) + 1)]
            assert sum(len(part.vertex) for part in parts) == len(whole.vertex)
            if not len(whole.vertex):
                break
            states = whole.states


def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out [weaker] and the symmetries."""

    def none(self: RequirementSpace, rows: Any, closed: Any) -> Any:
        return np.zeros(len(rows), dtype=np.bool_)

    def same(self: RequirementSpace, batch: Any) -> Any:
        return batch.distinct()

    monkeypatch.setattr(RequirementSpace, "dominated", none)
    monkeypatch.setattr(RequirementSpace, "canonical", same)


def test_without_the_rules_that_leave_something_out(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [*games(7, (9, 14), 10, Rules()), (load_dag("diamond:4,4"), 3), (load_dag("fft:4"), 4)]
    expected = [prove(RequirementSpace(make_bit_game(dag, M, Rules()))).lower for dag, M in cases]
    plain(monkeypatch)
    assert [prove(RequirementSpace(make_bit_game(dag, M, Rules()))).lower for dag, M in cases] == expected


def every_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out [last], [idle] and [room]."""

    def all_of_them(self: RequirementSpace, states: Any, keep: Any, ask: Any) -> None:
        return None

    def none(self: RequirementSpace, states: Any) -> Any:
        return np.zeros_like(states.red)

    monkeypatch.setattr(RequirementSpace, "_restrict", all_of_them)
    monkeypatch.setattr(RequirementSpace, "_idle", none)
    monkeypatch.setattr(RequirementSpace, "_held", lambda self: 0)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_without_the_rules_on_what_comes_last(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some outputs are used further, and inputs that one vertex uses alone are many."""
    rng, cases = np.random.default_rng(8), []
    for dag, M in games(8, (8, 13), 25, rules):
        edges = [(int(p), v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]
        n = dag.n_vertices
        edges += [(n + i, int(v)) for i, v in enumerate(rng.choice(n, 3)) if dag.indegree[v]]
        outputs = {*map(int, dag.outputs), *(int(v) for v in rng.choice(n, 2) if dag.indegree[v])}
        more = Dag.from_edges(edges, n_vertices=n + 3, outputs=sorted(outputs))
        cases.append((more, max(M, least(more, rules) + int(rng.integers(3))), rules))
    expected = [prove(RequirementSpace(make_bit_game(*case))) for case in cases]
    every_computation(monkeypatch)
    found = [prove(RequirementSpace(make_bit_game(*case))) for case in cases]
    assert [proof.lower for proof in found] == [proof.lower for proof in expected]
    assert sum(proof.states for proof in found) > sum(proof.states for proof in expected)


def test_two_operands_more_need_not_come_last() -> None:
    """The sum of two long sums is best computed before another long sum, since its operands take two words."""
    sums = {9: (0, 1, 2), 10: (3, 4, 5), 11: (9, 10), 12: (6, 7, 8), 13: (11, 12)}
    dag = Dag.from_edges([(p, v) for v, operands in sums.items() for p in operands])
    assert back(dag, 5, Rules()) == 10


def test_an_output_that_is_used_further() -> None:
    dag = load_dag("diamond:4,4")
    edges = [(int(p), v) for v in range(16) for p in dag.predecessors_of(v)]
    marked = Dag.from_edges(edges, outputs=[9, 15])
    assert back(marked, 3, Rules()) == optimal(marked, 3).io


def test_a_stored_value_may_be_computed_again_and_still_be_loaded_later() -> None:
    edges = [(1, 2), (0, 2), (0, 3), (1, 3), (3, 4), (1, 4), (2, 5), (4, 5), (5, 6), (0, 6), (6, 7), (1, 7)]
    dag = Dag.from_edges([*edges, (4, 8), (5, 8), (8, 9), (4, 9)])
    assert back(dag, 3, Rules()) == 9


def test_a_red_vertex_with_a_copy_was_stored_now_or_before() -> None:
    space = RequirementSpace(make_bit_game(load_dag("diamond:4,4"), 4, Rules()))
    v = space.game.n_inputs
    bit = np.array([1 << v], dtype=np.uint64)
    steps = next(space.steps(States(bit, bit)))
    assert set(steps.stored[steps.vertex == v].tolist()) == {True, False}


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


def test_computing_once_has_no_search_backwards() -> None:
    with pytest.raises(ValueError, match="with recomputation"):
        RequirementSpace(make_bit_game(load_dag("fft:4"), 3, Rules(recomputation=False)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "M", "io"), TARGETS)
def test_targets(name: str, M: int, io: int) -> None:
    best = optimal(load_dag(name), M)
    assert (best.io, best.proved) == (io, True)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "M", "io"), TARGETS)
def test_targets_again_without_the_rules(name: str, M: int, io: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing cheaper is met by a search without [last], [idle] and [room], or without [weaker] and symmetries."""
    if (name, M, io) == LARGE:
        every_computation(monkeypatch)
    else:
        plain(monkeypatch)
    space = RequirementSpace(make_bit_game(load_dag(name), M, Rules()))
    proof = prove(space, upper=io - space.game.stores)
    assert (proof.lower + space.game.stores, proof.path) == (io, None)
