"""Tilings that are tried first for a convolution: they are what a person would write."""

from __future__ import annotations

from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.lattice import found_lattice
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import tiled_order
from tests.solvers.heuristic import known_kinds as kinds


def test_the_first_is_as_good_as_the_best_known_order() -> None:
    graph = NeededGraph(kinds.convolution(10, 2, 4))
    lattice = found_lattice(graph)
    first = lattice.tilings(16)[0]
    assert io_of(graph, 16, tiled_order(graph, lattice.coordinates, first)) <= 2368


def test_sums_or_weights_stay_in_fast_memory_and_tilings_differ() -> None:
    M, extent = 20, (3, 6, 6, 2)
    tilings = found_lattice(NeededGraph(kinds.convolution(8, 2, 3))).tilings(M)
    assert len(set(tilings)) == len(tilings) > 20
    for tiling in tilings:
        filters, x, y, channels = (dict(tiling.tiles).get(axis, whole) for axis, whole in enumerate(extent))
        assert min(filters * x * y, filters * channels * 9) < M


def test_weights_stay_where_that_is_less() -> None:
    """Two filters and two channels at a time: pixels are loaded twice, and sums stored and loaded once besides."""
    graph = NeededGraph(kinds.convolution_on_a_line(60, 4, 4, 5))
    lattice = found_lattice(graph)
    first = lattice.tilings(32)[0]
    assert io_of(graph, 32, tiled_order(graph, lattice.coordinates, first)) == 80 + 2 * 4 * 60 + 3 * 4 * 56


def test_what_is_no_convolution_has_none() -> None:
    assert found_lattice(NeededGraph(kinds.matmul(3, 3, 3))).tilings(8) == []
