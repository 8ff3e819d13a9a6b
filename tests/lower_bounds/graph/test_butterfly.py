"""The FFT under any numbers is recognised, and nothing else is."""

import random

import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.classic_dags import fft
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.graph.butterfly import butterfly, butterfly_labels
from pebble.lower_bounds.graph.graph_bound_table import bound_from_inputs, dag_bounds
from pebble.lower_bounds.matmul_fft import fft_cut

Edges = list[tuple[int, int]]


def mixed(n: int, draw: random.Random) -> Edges:
    """Return the FFT's edges under other numbers, in another order."""
    dag = fft(n)
    number = draw.sample(range(dag.n_vertices), dag.n_vertices)
    edges = [(number[int(p)], number[v]) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)]
    return draw.sample(edges, len(edges))


@pytest.mark.parametrize("n", [2, 4, 8, 64, 256])
def test_any_numbers_are_recognised(n: int) -> None:
    dag = Dag.from_edges(mixed(n, random.Random(n)))
    labels = butterfly_labels(dag)
    assert labels is not None
    found = next(bound for bound in dag_bounds(dag, 4, sample=1) if bound.name == "butterfly")
    assert found.value == fft_cut(n, 4).value
    assert bound_from_inputs(found.name, found.inputs, dag, 4, Rules()) == found


def test_exchanged_ends_are_not_recognised_unless_it_is_the_same_graph() -> None:
    networkx = pytest.importorskip("networkx")
    draw = random.Random(1)
    seen = set()
    for _ in range(60):
        edges = mixed(4, draw)
        first, second = draw.sample(range(len(edges)), 2)
        changed = list(edges)
        changed[first], changed[second] = (
            (edges[first][0], edges[second][1]),
            (edges[second][0], edges[first][1]),
        )
        graph = networkx.DiGraph(changed)
        if graph.number_of_edges() < len(edges) or not networkx.is_directed_acyclic_graph(graph):
            continue
        is_fft = networkx.is_isomorphic(graph, networkx.DiGraph(edges))
        assert (butterfly_labels(Dag.from_edges(changed)) is not None) is is_fft
        seen.add(is_fft)
    assert seen == {False, True}


def test_the_last_level_must_be_outputs() -> None:
    edges = mixed(8, random.Random(2))
    with pytest.raises(BoundDoesNotApply, match="not a butterfly"):
        butterfly(Dag.from_edges(edges, outputs=[edges[0][1]]), 4)
