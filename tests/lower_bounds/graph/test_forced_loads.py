"""Forced loads: exact for trees, below the optimum of other DAGs, and found by two arguments that agree."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.load import load_dag
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.forced_loads import _layers, _without_loads, forced_loads
from pebble.lower_bounds.graph.graph_bound_table import bound_from_inputs
from pebble.lower_bounds.graph.min_cut import convex_min_cut
from pebble.lower_bounds.graph.needed_part import needed_part
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.optimum import optimal

ALL_RULES = [Rules(again, slide) for again, slide in product((True, False), repeat=2)]


def random_tree(rng: np.random.Generator) -> Dag:
    """Every vertex but the last is read by one that comes later."""
    n = int(rng.integers(3, 16))
    return Dag.from_edges([(v, int(rng.integers(v + 1, min(n, v + 1 + n // 2)))) for v in range(n - 1)])


@pytest.mark.many(3)
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_the_bound_is_the_optimum_of_a_tree(rules: Rules) -> None:
    more = 0
    for seed in range(20):
        dag = random_tree(np.random.default_rng(seed))
        for M in range(dag.least_M(sliding=rules.sliding), dag.least_M(sliding=rules.sliding) + 2):
            bound = forced_loads(dag, M, rules)
            assert bound.value == optimal(dag, M, rules).io, (seed, M)
            more += not bound.note.startswith("0 vertices")
    assert more


@pytest.mark.parametrize("M", range(3, 12))
def test_a_schedule_reaches_the_bound_of_a_complete_tree(M: int) -> None:
    dag = load_dag("tree:9")
    assert forced_loads(dag, M, Rules()).value == schedule_dag(dag, M, order="depth-first").io


@pytest.mark.parametrize(
    ("h", "M", "least"), [(3, 3, 9), (3, 4, 7), (4, 3, 14), (5, 5, 9), (5, 7, 7), (9, 9, 13), (9, 11, 11)]
)
def test_a_pyramid_below_its_pebbling_number(h: int, M: int, least: int) -> None:
    dag = load_dag(f"pyramid:{h}")
    found = [forced_loads(dag, M, Rules()), forced_loads(dag, M - 1, Rules(sliding=True))]
    assert [bound.value for bound in found] == [least, least]
    again = bound_from_inputs("forced loads", found[0].inputs, dag, M, Rules())
    assert again.value == least


@pytest.mark.parametrize("sliding", [False, True])
def test_layers_that_force_a_load_do_so_in_the_search(sliding: bool) -> None:
    forced = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 24))
        edges = [
            (int(p), v)
            for v in range(3, n)
            for p in rng.choice(np.arange(max(0, v - 6), v), 2 + (v > 9), replace=False)
        ]
        part = needed_part(Dag.from_edges(edges))
        free = {v for v in range(part.n) if not part.is_input[v] and not part.is_output[v]}
        for M, v in product(range(4 - sliding, 7), part.computed.tolist()):
            chosen = _layers(part, v, free, M, sliding)
            if 0 < len(chosen) < 13:
                assert not _without_loads(part, [*chosen], v, M, sliding)
                forced += 1
    assert forced > 20


def test_no_pebbling() -> None:
    with pytest.raises(BoundDoesNotApply, match="no pebbling"):
        forced_loads(load_dag("tree:3"), 2, Rules())
    assert optimal(load_dag("tree:5"), 4).states == 0


def test_a_cut_is_above_the_optimum_with_recomputation() -> None:
    """Eight values of one input, each read twice by a chain: cheap to compute again."""
    chain = [f"t{i}" for i in range(16)]
    edges = [("x", f"v{i}") for i in range(8)] + [(f"v{i % 8}", t) for i, t in enumerate(chain)]
    dag = Dag.from_edges(edges + list(pairwise(chain)))
    once = Rules(recomputation=False)
    found = (optimal(dag, 4).io, convex_min_cut(dag, 4, once).value, optimal(dag, 4, once).io)
    assert found == (2, 12, 16)
    assert forced_loads(dag, 4, Rules()).value == 2
