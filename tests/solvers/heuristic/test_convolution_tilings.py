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


def test_sums_stay_in_fast_memory_and_tiles_differ() -> None:
    lattice = found_lattice(NeededGraph(kinds.convolution(8, 2, 3)))
    tilings = lattice.tilings(20)
    assert len(set(tilings)) == len(tilings) > 20
    for tiling in tilings:
        sums = 1
        for axis, extent in enumerate((3, 6, 6)):
            sums *= dict(tiling.tiles).get(axis, extent)
        assert sums < 20


def test_what_is_no_convolution_has_none() -> None:
    assert found_lattice(NeededGraph(kinds.matmul(3, 3, 3))).tilings(8) == []
