"""Lattices recognised from edges: the right axes and phases, whatever the numbering; legal orders of any graph."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic import schedule_dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.lattice import lattice_coordinates
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiling_search import Tiling, better_tilings, repaired, sorted_places
from tests.solvers.heuristic import known_kinds as kinds
from tests.solvers.small_dags import random_dag


def is_legal(graph: NeededGraph, order: np.ndarray) -> bool:
    """Whether an order has every needed vertex once and after its predecessors."""
    place = np.full(graph.n, -1)
    place[order] = np.arange(len(order))
    tail, head = graph.needed_edges
    return sorted(order.tolist()) == sorted(graph.todo.tolist()) and bool(np.all(place[tail] < place[head]))


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


def test_the_backward_pass_has_its_three_phases() -> None:
    places: kinds.Places = []
    dag = kinds.attention_backward(6, 3, places)
    computed = np.flatnonzero(dag.indegree)
    phase = np.array([places[v][-1] for v in computed])
    columns = lattice_coordinates(NeededGraph(dag))[computed].T
    assert any(np.array_equal(column, phase) for column in columns)


@pytest.mark.parametrize("seed", range(12))
def test_tiled_orders_are_legal_whatever_the_coordinates_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = NeededGraph(random_dag(rng, 40))
    places = rng.integers(-1, 5, (graph.n, 3))
    tiling = Tiling(((0, 2), (2, 1 + seed % 3)), tuple(rng.permutation(3).tolist()), seed % 2 == 1)
    assert is_legal(graph, repaired(graph, graph.todo[sorted_places(places[graph.todo], tiling)]))


def test_what_the_search_yields_gets_better_and_is_what_it_says() -> None:
    graph, priced = NeededGraph(kinds.matmul(4, 5, 6)), list[int]()

    def price(order: np.ndarray) -> int:
        priced.append(io_of(graph, 12, order))
        return priced[-1]

    found = list(better_tilings(graph, lattice_coordinates(graph), 12, price, 25))
    assert len(priced) <= 25
    assert [io for _, io in found] == sorted((io for _, io in found), reverse=True)
    assert all(io_of(graph, 12, order) == io and is_legal(graph, order) for order, io in found)
    assert found[-1][1] == min(priced) <= 190
