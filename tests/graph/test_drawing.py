"""The picture of a DAG: every vertex and edge once, names that are hard to write, the limit."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from pebble.graph.dag import Dag
from pebble.graph.drawing import MOST_VERTICES, drawing_svg, layered_layout
from tests.support.amounts import examples
from tests.support.dag_pictures import read_picture
from tests.support.random_dags import dags


def path(n: int) -> Dag:
    return Dag.from_edges([(v, v + 1) for v in range(n - 1)])


@given(dags(12))
@examples(10, 40)
def test_every_vertex_and_edge_is_drawn_once(dag: Dag) -> None:
    picture = read_picture(dag._repr_svg_())
    assert list(picture.vertices) == [dag.name(v) for v in range(dag.n_vertices)]
    assert picture.edges == dag.n_edges
    assert len({seen.place for seen in picture.vertices.values()}) == dag.n_vertices
    for v in range(dag.n_vertices):
        seen = picture.vertices[dag.name(v)]
        assert ("rim" in seen.marks) == (v in dag.outputs)
        assert all(seen.place[1] < picture.vertices[dag.name(p)].place[1] for p in dag.predecessors_of(v))
    assert picture.lines == [repr(dag)] == [picture.title]


def test_pebbles_notes_and_light_are_where_they_belong() -> None:
    svg = drawing_svg(path(4), "t", ["line"], red={0, 1}, blue={1, 2}, notes={3: ("one", "two")}, lit={2})
    seen = read_picture(svg).vertices
    pebbles = [seen[f"v{v}"].marks & {"red-pebble", "blue-pebble", "halo"} for v in range(4)]
    assert pebbles == [{"red-pebble"}, {"red-pebble", "blue-pebble"}, {"blue-pebble", "halo"}, set()]
    assert [seen[f"v{v}"].classes - {"vertex"} for v in range(4)] == [
        {"red"},
        {"red", "blue"},
        {"blue"},
        set(),
    ]
    assert [seen[f"v{v}"].notes for v in range(4)] == [[], [], [], ["one", "two"]]


def test_names_that_xml_must_not_take_for_its_own() -> None:
    names = ["<a>&\"'", "</g>", "]]>", "x[<1>,&]", "\x01", "a_very_long_name_of_a_vertex[10,20,30,40]"]
    dag = Dag.from_edges([(v, 5) for v in range(5)], names=names)
    assert list(read_picture(dag._repr_svg_()).vertices) == [*names[:4], "\ufffd", names[5]]


def test_a_large_dag_is_described() -> None:
    assert len(read_picture(path(MOST_VERTICES)._repr_svg_()).vertices) == MOST_VERTICES
    large = read_picture(path(MOST_VERTICES + 1)._repr_svg_())
    assert not large.vertices
    assert large.edges == 0
    assert large.lines == [
        "Dag(65 vertices, 64 edges, 1 input, 1 output)",
        "most predecessors of a vertex: 1",
        "not drawn: 65 vertices, and a drawing has at most 64",
    ]


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
