"""The order of operands, found out where rows of predecessors come in any order."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.lattice import lattice_coordinates
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.operand_order import with_ordered_operands
from tests.solvers.heuristic import known_kinds as kinds
from tests.solvers.small_dags import random_dag

PRODUCTS = {
    "matmul": kinds.matmul(4, 6, 7),
    "square matmul": kinds.matmul(5, 5, 5),
    "convolution": kinds.convolution(7, 2, 3),
    "convolution on a line": kinds.convolution_on_a_line(30, 1, 1, 5),
    "cholesky": kinds.cholesky(14),
    "lu": kinds.lu(14),
    "triangular solve": kinds.triangular_solve(12, 7),
    "attention": kinds.attention(7, 4),
    "attention with products": kinds.attention(7, 4, fused=False),
}


@pytest.mark.many(3)
@pytest.mark.parametrize("dag", PRODUCTS.values(), ids=list(PRODUCTS))
def test_the_same_axes_are_found_whatever_the_order_of_the_rows(dag: Dag) -> None:
    expected = lattice_coordinates(NeededGraph(dag)).max(axis=0)
    other, _ = kinds.renumbered(dag, 3, operands=False)
    found = lattice_coordinates(NeededGraph(other)).max(axis=0)
    for last in expected[expected > 2]:
        assert np.any((last - 2 <= found) & (found <= last)), (
            "an axis is lost, but for two places at its ends"
        )


@pytest.mark.parametrize("seed", range(20))
def test_the_graph_stays_what_it_is(seed: int) -> None:
    dag = random_dag(np.random.default_rng(seed), 25)
    if seed % 4 == 0:
        dag, _ = kinds.renumbered(kinds.matmul(2, 3, 4 + seed), seed, operands=False)
    same = with_ordered_operands(NeededGraph(dag)).dag
    assert np.array_equal(same.outputs, dag.outputs)
    assert [sorted(same.predecessors_of(v)) for v in range(same.n_vertices)] == [
        sorted(dag.predecessors_of(v)) for v in range(dag.n_vertices)
    ]
