"""Tiled orders, legal whatever the coordinates are, and the search for them: good ones first."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiling_search import (
    Tiling,
    TilingSearch,
    better_tilings,
    equal_sizes,
    repaired,
    sorted_places,
    topological_by_rank,
)
from tests.solvers.heuristic.known_kinds import matmul
from tests.solvers.small_dags import random_dag


def tiled_order(graph: NeededGraph, places: np.ndarray, tiling: Tiling) -> np.ndarray:
    """The needed vertices tile after tile, repaired where that would put one before a predecessor."""
    return repaired(graph, graph.todo[sorted_places(places[graph.todo], tiling)])


def is_legal(graph: NeededGraph, order: np.ndarray) -> bool:
    """Whether an order has every needed vertex once and after its predecessors."""
    place = np.full(graph.n, -1)
    place[order] = np.arange(len(order))
    tail, head = graph.needed_edges
    return sorted(order.tolist()) == sorted(graph.todo.tolist()) and bool(np.all(place[tail] < place[head]))


@pytest.mark.parametrize("seed", range(12))
def test_orders_are_legal_whatever_the_coordinates_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 40)
    graph = NeededGraph(dag)
    places = rng.integers(-1, 5, (dag.n_vertices, 3))
    tiling = Tiling(((0, 2), (2, 1 + seed % 3)), tuple(rng.permutation(3).tolist()), seed % 2 == 1)
    assert is_legal(graph, tiled_order(graph, places, tiling))


@pytest.mark.parametrize("seed", range(6))
def test_the_repair_takes_the_ready_vertex_of_least_rank(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = NeededGraph(random_dag(rng, 30))
    rank = rng.permutation(graph.n)
    done: set[int] = set()
    expected = []
    todo = set(graph.todo.tolist())
    while todo:
        ready = [v for v in todo if all(p in done or graph.is_input[p] for p in graph.predecessors[v])]
        v = min(ready, key=rank.__getitem__)
        expected.append(v)
        done.add(v)
        todo.remove(v)
    assert topological_by_rank(graph, rank).tolist() == expected


def lattice_of_products(m: int, n: int, k: int) -> tuple[NeededGraph, np.ndarray]:
    """A product of matrices with the coordinates i, j and k of its vertices."""
    dag = matmul(m, n, k)
    places = np.full((dag.n_vertices, 3), -1)
    v = m * k + k * n
    for i in range(m):
        for j in range(n):
            for step in range(k):
                for _ in range(2 if step else 1):
                    places[v] = i, j, step
                    v += 1
    return NeededGraph(dag), places


def test_tiles_of_a_product_keep_their_sums_in_fast_memory() -> None:
    graph, places = lattice_of_products(6, 6, 10)
    order = tiled_order(graph, places, Tiling(((0, 3), (1, 3)), (2, 0, 1)))
    assert io_of(graph, 18, order) <= 4 * 10 * 6 + 36


def test_tile_loops_that_turn_back_go_through_neighbours() -> None:
    dag = Dag.from_edges([(0, v) for v in range(1, 10)])
    places = np.array([[-1, -1], *((x, y) for x in range(3) for y in range(3))])
    order = tiled_order(NeededGraph(dag), places, Tiling(((0, 1), (1, 1)), (), turning=True))
    assert order.tolist() == [1, 2, 3, 6, 5, 4, 7, 8, 9]


def test_equal_sizes_leave_no_small_rest() -> None:
    assert equal_sizes(64)[-4:] == [16, 22, 32, 64]
    assert all(
        size * -(-extent // size) - extent < -(-extent // size)
        for extent in range(1, 40)
        for size in equal_sizes(extent)
    )


def test_the_search_finds_the_tiles_of_a_product() -> None:
    graph, places = lattice_of_products(6, 6, 10)
    *_, (_, io) = better_tilings(graph, places, 18, lambda order: io_of(graph, 18, order), 60)
    assert io <= 4 * 10 * 6 + 36


def test_what_the_search_yields_gets_better_and_is_what_it_says() -> None:
    graph, places = lattice_of_products(4, 5, 6)
    found = list(better_tilings(graph, places, 12, lambda order: io_of(graph, 12, order), 40))
    assert [io for _, io in found] == sorted((io for _, io in found), reverse=True)
    assert all(io_of(graph, 12, order) == io and is_legal(graph, order) for order, io in found)


def test_no_more_orders_are_priced_than_allowed_and_the_result_does_not_vary() -> None:
    graph, places = lattice_of_products(4, 5, 6)
    calls = []

    def price(order: np.ndarray) -> int:
        calls.append(1)
        return io_of(graph, 12, order)

    first = [io for _, io in better_tilings(graph, places, 12, price, 25)]
    assert len(calls) <= 25
    assert first == [io for _, io in better_tilings(graph, places, 12, price, 25)]


def test_without_axes_there_is_one_order() -> None:
    graph = NeededGraph(Dag.from_edges([(0, 1), (1, 2)]))
    search = TilingSearch(graph, np.zeros((3, 2), dtype=np.int64), 3, lambda order: len(order), 10)
    assert [io for _, io in search.run()] == [2]


def test_three_orders_are_enough_for_the_tiles_of_a_product() -> None:
    graph, places = lattice_of_products(12, 12, 3)
    *_, (_, io) = better_tilings(graph, places, 42, lambda order: io_of(graph, 42, order), 3)
    assert io <= 3 * (2 * 12 + 2 * 12) + 144
