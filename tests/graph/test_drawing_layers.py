"""The layout of a drawing: edges lead upwards, neighbours keep their distance."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from pebble.graph.dag import Dag
from pebble.graph.drawing import layered_layout
from tests.support.random_dags import dags


@given(dag=dags(12))
def test_edges_lead_upwards_and_neighbours_keep_their_distance(dag: Dag) -> None:
    layout = layered_layout(dag)
    rows: dict[int, list[float]] = {}
    for v in range(dag.n_vertices):
        assert all(layout.layer[p] < layout.layer[v] for p in dag.predecessors_of(v).tolist())
        rows.setdefault(layout.layer[v], []).append(layout.x[v])
    for row in rows.values():
        row.sort()
        assert all(b - a > 0.98 for a, b in pairwise(row))
    assert min(layout.x) == 0


def test_an_input_lies_just_below_its_first_use() -> None:
    dag = Dag.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("late", "d")])
    assert layered_layout(dag).layer == (0, 1, 2, 3, 2)
    assert layered_layout(dag, inputs_lowest=True).layer == (0, 1, 2, 3, 0)
