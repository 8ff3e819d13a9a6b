"""Orders in tiles: every dependence is met, and tiles that do not read each other stay whole."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.read_text import loop_nest
from pebble.graph.dag import Dag
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.tiled_orders import Tiling
from pebble.solvers.nests.loop_coordinates import part_of
from pebble.solvers.nests.tile_order import order_in_tiles


def random_graph(seed: int) -> tuple[NeededGraph, np.ndarray]:
    """Return a graph of 40 vertices drawn at random, with places on three axes."""
    rng = np.random.default_rng(seed)
    heads = rng.integers(1, 40, 90)
    edges = {(int(rng.integers(0, head)), int(head)) for head in heads}
    names = rng.permutation(40)
    graph = NeededGraph(Dag.from_edges([(f"v{names[a]}", f"v{names[b]}") for a, b in sorted(edges)]))
    return graph, rng.integers(-1, 5, (graph.n, 3))


@pytest.mark.parametrize("seed", range(30))
def test_any_tiling_gives_an_order_of_computation(seed: int) -> None:
    graph, places = random_graph(seed)
    for tiling in (Tiling(((0, 2), (2, 3)), (1, 0)), Tiling(((1, 1),), (2,)), Tiling((), (0, 1, 2))):
        order, _ = order_in_tiles(graph, places, tiling)
        assert sorted(order.tolist()) == sorted(graph.todo.tolist())
        done = set(np.flatnonzero(graph.is_input).tolist())
        for vertex in order.tolist():
            assert done.issuperset(graph.predecessors[vertex])
            done.add(vertex)


def floyd_warshall(n: int) -> NestDag:
    text = "P[k+1,i,j] = min(P[k,i,j], P[k,i,k] + P[k,k,j])"
    return nest_dag(loop_nest(text, dict.fromkeys("kij", n)))


def test_the_tiles_of_shortest_paths_wait_for_the_one_on_the_diagonal() -> None:
    nest = floyd_warshall(6)
    part = part_of(nest, [0])
    places = part.coordinates.places
    order, one_by_one = order_in_tiles(
        NeededGraph(part.dag), places, Tiling(((0, 3), (1, 3), (2, 3)), (0, 1, 2))
    )
    assert not one_by_one
    tiles = [tuple(row) for row in (places[order] // 3).tolist()]
    runs = [tile for at, tile in enumerate(tiles) if not at or tiles[at - 1] != tile]
    assert runs == [*((0, i, j) for i in (0, 1) for j in (0, 1)), (1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0)]
