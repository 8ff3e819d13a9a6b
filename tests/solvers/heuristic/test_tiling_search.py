"""The search for tilings: the best of those that were priced, and good ones first."""

from __future__ import annotations

import numpy as np

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiling_search import TilingSearch, better_tilings
from tests.solvers.heuristic.test_tiling_search_orders import is_legal, lattice_of_products


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
