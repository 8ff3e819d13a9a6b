"""Trees of additions read as chains."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.sum_chains import with_chains
from pebble.solvers.heuristic.sum_trees import sum_tree_columns
from tests.solvers.heuristic.test_sum_trees import matrix_times_vector


@pytest.mark.parametrize("columns", [4, 5, 7, 8, 13, 16])
def test_a_tree_becomes_a_chain_with_the_same_root(columns: int) -> None:
    dag, term = matrix_times_vector(4, columns, tree=True)
    graph = NeededGraph(dag)
    found = sum_tree_columns(graph)
    assert found is not None
    chained, like = with_chains(graph, found[:, 1])
    assert sorted(chained.dag.outputs) == sorted(dag.outputs)
    assert chained.dag.n_edges == dag.n_edges
    assert max(chained.level) == columns
    products = np.array(sorted(term))
    assert np.array_equal(like[products], products)
    for v in graph.todo.tolist():
        if v not in term:
            assert _last(chained, like[v], found) == _last(graph, v, found)


def _last(graph: NeededGraph, v: int, found: NDArray[np.int64]) -> int:
    """Return the last place of the terms below a vertex of its own sum."""
    below = [p for p in graph.predecessors[v] if found[p, 0] == found[v, 0]]
    return max([int(found[v, 1]) if not below else -1, *(_last(graph, p, found) for p in below)])


def test_a_chain_stays() -> None:
    dag, _ = matrix_times_vector(3, 9, tree=False)
    graph = NeededGraph(dag)
    place = np.zeros(graph.n, dtype=np.int64)
    for v in graph.todo.tolist():
        for p in graph.predecessors[v]:
            place[p] = graph.level[v]
    chained, like = with_chains(graph, place)
    assert np.array_equal(like, np.arange(graph.n))
    assert [set(row) for row in chained.predecessors] == [set(row) for row in graph.predecessors]


def test_numbers_and_names_of_outputs_that_are_used_stay() -> None:
    """An output inside a tree ends the sum: it is a term of the other one."""
    edges = [(0, 8), (1, 8), (2, 9), (3, 9), (4, 10), (5, 10), (6, 11), (7, 11)]
    edges += [(8, 12), (9, 12), (10, 13), (11, 13), (12, 14), (13, 14)]
    graph = NeededGraph(Dag.from_edges(edges, outputs=[12, 14]))
    chained, like = with_chains(graph, np.arange(15))
    assert chained.is_output == graph.is_output
    assert chained.predecessors == graph.predecessors
    assert np.array_equal(like, np.arange(15))
