"""Places of terms in sums that are added up as trees."""

from __future__ import annotations

import numpy as np

import pebble
from pebble.graph.dag import Dag
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.sum_trees import sum_tree_columns


def matrix_times_vector(rows: int, columns: int, tree: bool, seed: int = 1) -> tuple[Dag, dict[int, int]]:
    """Return y = A·x, sums as trees or chains, numbered at random; and the column of each product."""
    edges: list[tuple[int, int]] = []
    term: dict[int, int] = {}
    n = columns + rows * columns
    for i in range(rows):
        row = []
        for k in range(columns):
            edges += [(k, n), (columns + i * columns + k, n)]
            term[n] = k
            row.append(n)
            n += 1
        while len(row) > 1:
            paired = list(zip(row[::2], row[1::2], strict=False)) if tree else [(row[0], row[1])]
            rest = row[2 * len(paired) :]
            row = []
            for pair in paired:
                edges += [(one, n) for one in pair]
                row.append(n)
                n += 1
            row += rest
    rng = np.random.default_rng(seed)
    number = rng.permutation(n)
    shuffled = number[np.array(edges)][rng.permutation(len(edges))]
    return Dag.from_edges(shuffled, n_vertices=n), {int(number[v]): k for v, k in term.items()}


def test_terms_with_one_factor_have_one_place() -> None:
    dag, term = matrix_times_vector(6, 13, tree=True)
    columns = sum_tree_columns(NeededGraph(dag))
    assert columns is not None
    pairs = {(k, int(columns[v, 1])) for v, k in term.items()}
    assert len(pairs) == 13
    assert len({place for _, place in pairs}) == 13
    sums = {int(columns[v, 0]) for v in term}
    assert len(sums) == 6


def test_a_sum_has_the_place_of_its_last_term() -> None:
    dag, _ = matrix_times_vector(3, 8, tree=True)
    graph = NeededGraph(dag)
    columns = sum_tree_columns(graph)
    assert columns is not None
    for v in graph.todo.tolist():
        inside = [p for p in graph.predecessors[v] if columns[p, 0] == columns[v, 0]]
        if inside:
            assert columns[v, 1] == max(columns[p, 1] for p in inside)
    assert np.all(columns[dag.indegree == 0] == -1)


def test_chains_are_no_trees() -> None:
    assert sum_tree_columns(NeededGraph(matrix_times_vector(6, 13, tree=False)[0])) is None


def test_parts_of_the_vector_stay_in_fast_memory() -> None:
    """Row after row loads most of x each time; parts of all rows do not."""
    dag, _ = matrix_times_vector(10, 16, tree=True)
    tiled = pebble.schedule_dag(dag, 12, order="lattice")
    assert tiled.io <= 0.85 * pebble.schedule_dag(dag, 12, order="depth-first").io
