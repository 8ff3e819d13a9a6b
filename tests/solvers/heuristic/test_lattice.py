"""Lattices recognised from edges: the right axes, whatever the numbering; legal orders of any graph."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.lattice import lattice_coordinates
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiling_search import better_tilings
from tests.solvers.heuristic import known_kinds as kinds
from tests.solvers.heuristic.test_tiling_search import is_legal
from tests.solvers.small_dags import random_dag


def extents(dag: Dag) -> list[int]:
    """Number of places on each axis found, ascending."""
    return sorted((lattice_coordinates(NeededGraph(dag)).max(axis=0, initial=-1) + 1).tolist())


def parts(column: np.ndarray) -> list[int]:
    """A column as a partition: the first vertex with each value."""
    _, first, place = np.unique(column, return_index=True, return_inverse=True)
    return [int(v) for v in first[place]]


@pytest.mark.parametrize(
    ("dag", "expected"),
    [
        (kinds.matmul(6, 7, 8), [6, 7, 8]),
        (kinds.cholesky(16), [15, 15, 16]),
        (kinds.triangular_solve(9, 7), [7, 8, 9]),
    ],
    ids=["matmul", "cholesky", "triangular solve"],
)
def test_the_axes_of_known_kinds_are_found(dag: Dag, expected: list[int]) -> None:
    assert extents(dag) == expected
    assert extents(kinds.renumbered(dag, 1)[0]) == expected


def test_a_product_is_found_with_its_rows_columns_and_steps() -> None:
    m, n, k = 5, 6, 7
    found = lattice_coordinates(NeededGraph(kinds.matmul(m, n, k)))[m * k + k * n :]
    i, j, _ = (x.ravel() for x in np.indices((m, n, 2 * k - 1)))
    step = np.tile([0, *(s for s in range(1, k) for _ in range(2))], m * n)
    assert sorted(map(parts, found.T)) == sorted(map(parts, (i, j, step)))


def test_the_columns_do_not_depend_on_the_numbering() -> None:
    dag = kinds.convolution(7, 2, 3)
    other, number = kinds.renumbered(dag, 3)
    here = lattice_coordinates(NeededGraph(dag))
    there = lattice_coordinates(NeededGraph(other))[number]
    computed = dag.indegree > 0
    assert sorted(map(parts, here[computed].T)) == sorted(map(parts, there[computed].T))


@pytest.mark.many(4)
@pytest.mark.parametrize("seed", range(15))
def test_orders_of_random_graphs_are_legal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = NeededGraph(random_dag(rng, 25 + seed))
    M = graph.dag.least_M() + 2
    places = lattice_coordinates(graph)
    assert places.shape[0] == graph.n
    if places.shape[1]:
        for order, _ in better_tilings(graph, places, M, lambda order: io_of(graph, M, order), 10):
            assert is_legal(graph, order)


@pytest.mark.parametrize("dag", [Dag.from_edges([(0, 1)]), Dag.from_edges([], 1), kinds.layered(4, 3, 2)])
def test_graphs_without_a_lattice_are_scheduled(dag: Dag) -> None:
    found = schedule_dag(dag, 8, "lattice")
    assert found.io <= schedule_dag(dag, 8, "given").io


def test_a_product_is_scheduled_as_by_hand_whatever_its_numbers() -> None:
    dag = kinds.matmul(8, 8, 8)
    for same in (dag, kinds.renumbered(dag, 2)[0]):
        graph = NeededGraph(same)
        places = lattice_coordinates(graph)
        *_, (_, io) = better_tilings(graph, places, 16, partial(io_of, graph, 16), 50)
        assert io <= 448


def test_the_result_is_the_same_each_time() -> None:
    dag = kinds.triangular_solve(4, 2)
    first, second = (schedule_dag(dag, 6, "lattice") for _ in range(2))
    assert np.array_equal(first.compute_order, second.compute_order)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dag", "M", "by_hand"),
    [
        (kinds.triangular_solve(16, 8), 16, 896),
        (kinds.triangular_solve(16, 8), 32, 584),
        (kinds.cholesky(16), 32, 396),
        (kinds.stencil(32, 64), 16, 730),
        (kinds.stencil(32, 64), 32, 332),
        (kinds.convolution(10, 2, 4), 32, 1524),
    ],
    ids=["trsm 16", "trsm 32", "cholesky", "stencil 16", "stencil 32", "convolution"],
)
def test_known_kinds_are_scheduled_nearly_as_by_hand(dag: Dag, M: int, by_hand: int) -> None:
    assert schedule_dag(dag, M).io <= 1.1 * by_hand
