"""The search backwards with late loads and what it leaves out by counting what is alive, against other searches."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.optimum.best_first import prove
from pebble.solvers.optimum.bit_game import Words, make_bit_game
from pebble.solvers.optimum.requirements import LateLoadSpace, RequirementSpace
from pebble.solvers.optimum.wavefronts import best_codes, ranks
from tests.solvers.small_dags import least
from tests.solvers.test_requirements import RULES, back, games
from tests.support.search_by_regression import optimum as regression_optimum


def late(dag: Dag, M: int, rules: Rules) -> int:
    """The optimum by this search alone, its pebbling replayed."""
    return back(dag, M, rules, LateLoadSpace)


def with_more_outputs(seed: int, count: int, rules: Rules) -> list[tuple[Dag, int]]:
    """Random DAGs some of whose outputs are used further, and inputs that many vertices share."""
    rng, cases = np.random.default_rng(seed), []
    for dag, M in games(seed, (7, 11), count, rules):
        edges = [(int(p), v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]
        computed = np.flatnonzero(dag.indegree)
        edges += [
            (dag.n_vertices, int(v)) for v in rng.choice(computed, min(2, len(computed)), replace=False)
        ]
        outputs = {*map(int, dag.outputs), *map(int, rng.choice(computed, 1))} - {dag.n_vertices}
        more = Dag.from_edges(edges, n_vertices=dag.n_vertices + 1, outputs=sorted(outputs))
        cases.append((more, max(M, least(more, rules))))
    return cases


@pytest.mark.many(1)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_against_regression_by_single_moves(rules: Rules) -> None:
    for dag, M in [*games(31, (7, 10), 6, rules), *with_more_outputs(32, 6, rules)]:
        assert late(dag, M, rules) == regression_optimum(dag, M, rules), (M, dag)


@pytest.mark.many(1)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_against_the_other_search_backwards(rules: Rules) -> None:
    cases = [*games(33, (9, 12), 3, rules), (load_dag("diamond:3,4"), 3), (load_dag("fft:4"), 3)]
    for dag, M in cases:
        other = RequirementSpace(make_bit_game(dag, M, rules))
        assert late(dag, M, rules) == prove(other).lower + other.game.stores, (M, dag)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_alive_costs_no_more_than_the_rest_of_a_best_pebbling(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a path of least cost, found without [wavefront], no requirement is said to cost more than what is left."""
    told, cost_more = 0, LateLoadSpace.cost_more
    for dag, M in [*games(34, (8, 13), 10, rules), *with_more_outputs(35, 10, rules)]:
        space = LateLoadSpace(make_bit_game(dag, M, rules))
        monkeypatch.setattr(LateLoadSpace, "cost_more", RequirementSpace.cost_more)
        proof = prove(space)
        monkeypatch.setattr(LateLoadSpace, "cost_more", cost_more)
        assert proof.path is not None
        told += _check_path(space, proof.path, proof.lower)
    assert told > 10


def _check_path(space: LateLoadSpace, path: list[Words], cost: int) -> int:
    spent, told = 0, 0
    for here, there in pairwise(path):
        left = cost - spent - int(space.bound(here[None])[0])
        assert not space.cost_more(here[None], left + 1)[0]
        told += left > 0 and bool(space.cost_more(here[None], 1)[0])
        costs = []
        for steps in space.steps(space.codec.unpack(here[None])):
            same = space.symmetry.least(space.codec.pack(steps.states)) == there
            costs += steps.cost[same.reshape(len(steps.cost), -1).all(axis=1)].tolist()
        spent += min(costs)
    assert spent == cost
    return told


def test_the_bound_leaves_out_most_of_a_larger_search(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_bit_game(load_dag("pyramid:4"), 4, Rules())
    proof = prove(LateLoadSpace(game))
    monkeypatch.setattr(LateLoadSpace, "cost_more", RequirementSpace.cost_more)
    plain = prove(LateLoadSpace(game))
    assert proof.lower == plain.lower == prove(RequirementSpace(game)).lower
    assert proof.states < plain.states


def test_ranks_are_those_of_elimination_by_hand() -> None:
    rng = np.random.default_rng(36)
    codes = rng.integers(1 << 63, size=(7, 40), dtype=np.uint64)
    sets = rng.integers(1 << 63, size=40, dtype=np.uint64) & rng.integers(1 << 63, size=40, dtype=np.uint64)
    for i, rank in enumerate(ranks(codes, sets).tolist()):
        basis: list[int] = []
        for v in range(64):
            vector = sum((int(row[i]) >> v & 1) << k for k, row in enumerate(codes)) * (int(sets[i]) >> v & 1)
            for known in basis:
                vector = min(vector, vector ^ known)
            basis += [vector] * (vector > 0)
        assert rank == len(basis)


def test_every_vector_of_a_code_is_a_sum_of_predecessors() -> None:
    game = make_bit_game(load_dag("diamond:4,4"), 4, Rules())
    units, zeros = 0b11, 1 << game.n_inputs
    codes = best_codes(game.before, [(units, zeros)])
    vectors = [sum((int(row[0]) >> v & 1) << k for k, row in enumerate(codes)) for v in range(game.n)]
    for v, operands in enumerate(game.before):
        sums = {0}
        for p in range(v):
            if operands >> p & 1:
                sums |= {s ^ vectors[p] for s in sums}
        if not operands:
            sums = {1 << v if units >> v & 1 else 0}
        assert vectors[v] in ({0} if zeros >> v & 1 else sums)
