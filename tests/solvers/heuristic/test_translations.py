"""Lattices of translations: the true places of stencils, whatever the numbers of their vertices."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.translations import translation_columns
from tests.solvers.heuristic import known_kinds as kinds
from tests.solvers.small_dags import random_dag


@pytest.mark.parametrize("shrinking", [False, True])
@pytest.mark.parametrize("box", [False, True])
@pytest.mark.parametrize("sides", [(17,), (9, 12)])
def test_the_places_are_the_true_ones_up_to_their_names_and_signs(
    sides: tuple[int, ...], box: bool, shrinking: bool
) -> None:
    true: kinds.Places = []
    dag = kinds.stencil(4, *sides, box=box, shrinking=shrinking, places=true)
    computed = np.flatnonzero(dag.indegree)
    axes = np.array([true[v] for v in computed]).T
    other, number = kinds.renumbered(dag, 1)
    for found in (
        [column[computed] for column in translation_columns(NeededGraph(dag))],
        [column[number][computed] for column in translation_columns(NeededGraph(other))],
    ):
        assert len(found) == 1 + 3 * len(sides)
        for column in found:
            assert column.min() == 0
            assert any(len(np.unique(sign * column - axis)) == 1 for axis in axes for sign in (1, -1))


def test_no_edge_goes_back_on_the_time_nor_on_skewed_axes() -> None:
    graph = NeededGraph(kinds.stencil(5, 8, 9))
    time, _, _, *skewed = translation_columns(graph)
    tail, head = graph.needed_edges
    assert np.all(time[head] == time[tail] + 1)
    assert len(skewed) == 4
    assert all(np.all(column[head] >= column[tail]) for column in skewed)


@pytest.mark.parametrize("shrinking", [False, True])
@pytest.mark.parametrize(
    ("sides", "box", "radius"),
    [((17,), False, 1), ((9, 12), False, 1), ((9, 12), True, 1), ((21,), True, 2), ((31,), True, 3)],
    ids=str,
)
def test_the_rows_may_come_in_any_order(
    sides: tuple[int, ...], box: bool, radius: int, shrinking: bool
) -> None:
    dag = kinds.stencil(4, *sides, box=box, radius=radius, shrinking=shrinking)
    expected = sorted(int(column.max()) for column in translation_columns(NeededGraph(dag)))
    for seed in (1, 2):
        other, _ = kinds.renumbered(dag, seed, operands=False)
        graph = NeededGraph(other)
        columns = translation_columns(graph)
        assert sorted(int(column.max()) for column in columns) == expected
        tail, head = graph.needed_edges
        back = sum(bool(np.mean(column[head] < column[tail]) > 0.1) for column in columns)
        assert back == len(sides), (
            "x and y go back, the time and the skewed axes do not, but for some corners"
        )


def test_rows_in_any_order_are_put_in_order_by_numbers_if_these_are() -> None:
    dag = kinds.stencil(4, 9, 9, box=True)
    rng = np.random.default_rng(0)
    head = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    edges = rng.permutation(np.stack([dag.predecessors, head], axis=1))
    assert len(translation_columns(NeededGraph(Dag.from_edges(edges, dag.n_vertices)))) == 7


def test_two_predecessors_are_enough() -> None:
    edges = [(10 * t + x - s, 10 * (t + 1) + x) for t in range(6) for x in range(1, 10) for s in (0, 1)]
    assert len(translation_columns(NeededGraph(Dag.from_edges(edges, 70)))) == 3


@pytest.mark.parametrize(
    "dag",
    [kinds.fft(64), kinds.layered(20, 6, 3), kinds.matmul(4, 4, 4), kinds.lu(7), kinds.attention(5, 3)],
    ids=["fft", "layered", "matmul", "lu", "attention"],
)
def test_other_kinds_have_no_translations(dag: Dag) -> None:
    assert translation_columns(NeededGraph(dag)) == []


@pytest.mark.parametrize("seed", range(20))
def test_a_random_graph_is_no_error(seed: int) -> None:
    graph = NeededGraph(random_dag(np.random.default_rng(seed), 30))
    for column in translation_columns(graph):
        assert column.shape == (graph.n,)
