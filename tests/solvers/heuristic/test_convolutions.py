"""Convolutions: the true places of outputs, channels, pixels and taps, whatever the numbers of the vertices."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.solvers.heuristic.cone_steps import ConeSteps
from pebble.solvers.heuristic.convolutions import Convolution, found_convolution
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.operand_order import with_ordered_operands
from tests.solvers.heuristic import known_kinds as kinds
from tests.solvers.small_dags import random_dag


def found(dag: Dag) -> Convolution | None:
    """What is found in a graph."""
    graph = with_ordered_operands(NeededGraph(dag))
    return found_convolution(ConeSteps(graph), graph.n)


def is_renamed(column: np.ndarray, true: np.ndarray) -> bool:
    """Tell whether two columns are one but for names."""
    pairs = np.unique(np.stack([column, true]), axis=1)
    return bool(len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1])


def is_moved(column: np.ndarray, true: np.ndarray) -> bool:
    """Tell whether two columns are one but for a direction and an origin."""
    return any(len(np.unique(column + sign * true)) == 1 for sign in (1, -1))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fused": True},
        {"stride": 2},
        {"padding": 1},
        {"width": 4, "stride": 2, "padding": 1},
        {"width": 2, "filters": 1},
        {"channels": 1},
        {"channels": 3, "width": 4, "stride": 3},
    ],
    ids=str,
)
def test_the_places_are_the_true_ones(options: dict[str, int]) -> None:
    true: kinds.Places = []
    asked = {"size": 8, "channels": 2, "filters": 3} | options
    dag = kinds.convolution(**asked, places=true)  # type: ignore[arg-type]
    computed = np.flatnonzero(dag.indegree)
    f, x, y, c, p, q, u, v, _ = np.array([true[vertex] for vertex in computed]).T
    outputs = [f, x, y] if asked["filters"] > 1 else [x, y]
    channels = [c] if asked["channels"] > 1 else []
    for other, number in ((dag, np.arange(dag.n_vertices)), kinds.renumbered(dag, 1)):
        convolution = found(other)
        assert convolution is not None
        columns = [column[number][computed] for column in convolution.columns]
        inside = np.all(np.array(columns) >= 0, axis=0)
        assert inside.mean() > 0.95
        assert len(columns) == len(outputs) + len(channels) + 4
        names = [*outputs, *channels]
        for column, axis in zip(columns, names, strict=False):
            assert is_renamed(column[inside], axis[inside])
        for column, axis in zip(columns[len(names) :], (u, v, p, q), strict=True):
            assert is_moved(column[inside], axis[inside])


def test_products_may_come_with_their_factors_in_any_order() -> None:
    dag = kinds.convolution(9, 2, 3, stride=2)
    other, number = kinds.renumbered(dag, 2, operands=False)
    one, two = found(dag), found(other)
    assert one is not None
    assert two is not None
    for here, there in zip(one.outputs, two.outputs, strict=True):
        computed = dag.indegree > 0
        assert is_renamed(here[computed], there[number][computed])
    assert [column.max() for column in one.columns] == [column.max() for column in two.columns]


def test_a_signal_has_one_axis_and_a_batch_one_more() -> None:
    line = found(kinds.convolution_on_a_line(20, 3, 2, 4))
    assert line is not None
    assert [len(part) for part in (line.outputs, line.channels, line.pixels, line.taps)] == [2, 1, 1, 1]
    one = kinds.convolution(6, 1, 1)
    head = np.repeat(np.arange(one.n_vertices), one.indegree)
    edges = np.stack([one.predecessors, head], axis=1)
    second = np.where(edges < 36, edges + one.n_vertices, edges)
    second[edges >= 45] += one.n_vertices
    both = found(Dag.from_edges(np.concatenate([edges, second])))
    assert both is not None
    assert [int(column.max()) + 1 for column in both.outputs] == [2, 4, 4]


@pytest.mark.parametrize(
    "dag",
    [
        kinds.matmul(4, 5, 6),
        kinds.cholesky(8),
        kinds.lu(7),
        kinds.triangular_solve(6, 4),
        kinds.attention(6, 3),
        kinds.attention_backward(5, 3),
        kinds.fft(32),
        kinds.stencil(5, 20),
        kinds.layered(20, 5, 3),
        kinds.sparse(30, 4),
    ],
    ids=["matmul", "cholesky", "lu", "trsm", "attention", "backward", "fft", "stencil", "layered", "spmv"],
)
def test_other_kinds_are_none(dag: Dag) -> None:
    assert found(dag) is None


@pytest.mark.parametrize("seed", range(10))
def test_a_random_graph_is_no_error(seed: int) -> None:
    dag = random_dag(np.random.default_rng(seed), 30)
    convolution = found(dag)
    assert convolution is None or all(column.shape == (30,) for column in convolution.columns)
