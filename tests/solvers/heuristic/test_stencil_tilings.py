"""Tilings that are tried first for a stencil: the first ones are better than what was known."""

from __future__ import annotations

import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.eviction import io_of
from pebble.solvers.heuristic.lattice import found_lattice
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import tiled_order
from tests.solvers.heuristic import known_kinds as kinds


@pytest.mark.parametrize(
    ("dag", "M", "by_search"),
    [(kinds.stencil(32, 64), 16, 628), (kinds.stencil(8, 12, 12), 64, 835)],
    ids=["line", "grid"],
)
def test_the_first_are_as_good_as_what_a_search_among_all_tilings_found(
    dag: Dag, M: int, by_search: int
) -> None:
    graph = NeededGraph(kinds.renumbered(dag, 1, operands=False)[0])
    lattice = found_lattice(graph)
    first = lattice.tilings(M)[:8]
    assert min(io_of(graph, M, tiled_order(graph, lattice.coordinates, one)) for one in first) <= by_search


def test_there_are_some_for_any_memory_and_they_differ() -> None:
    lattice = found_lattice(NeededGraph(kinds.stencil(6, 9, 9, box=True)))
    for M in (12, 30, 100, 1000):
        tilings = lattice.tilings(M)
        assert len(tilings) == len(set(tilings))
    assert lattice.tilings(1000)[0].tiles[0] == (0, 6), "all steps at once if they fit"
