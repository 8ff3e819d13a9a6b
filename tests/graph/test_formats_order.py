"""What a file says does not depend on how its parts are arranged."""

from __future__ import annotations

import json
import random

import pytest

from pebble.graph.formats import dag_from_text

NODES = ["a", "b", "c", "d"]
EDGES = [("a", "c"), ("b", "c"), ("c", "d")]


def edges_of(text: str, format: str) -> list[tuple[str, str]]:
    dag = dag_from_text(text, format)
    return sorted(
        (dag.name(p), dag.name(v)) for v in range(dag.n_vertices) for p in dag.predecessors_of(v).tolist()
    )


@pytest.mark.parametrize("seed", range(5))
def test_graphml_may_name_edges_before_nodes(seed: int) -> None:
    items = [f'<node id="{v}"/>' for v in NODES] + [f'<edge source="{p}" target="{v}"/>' for p, v in EDGES]
    random.Random(seed).shuffle(items)
    text = f'<graphml><graph edgedefault="directed">{"".join(items)}</graph></graphml>'
    assert edges_of(text, "graphml") == EDGES
    dag, order = dag_from_text(text, "graphml"), [item[10] for item in items if item.startswith("<node")]
    assert [dag.name(v) for v in range(4)] == order


def test_nodes_and_edges_of_json_may_have_any_data() -> None:
    nodes = [{"id": v, "source": 1, "target": 2} for v in NODES]
    links = [{"source": p, "target": v, "id": 3, "name": "x"} for p, v in EDGES]
    graph = {"name": "mine", "source": 1, "target": 2}
    text = json.dumps({"directed": True, "graph": graph, "nodes": nodes, "links": links})
    assert edges_of(text, "json") == EDGES
    assert dag_from_text(text, "json").description == "mine"


@pytest.mark.parametrize(
    "text",
    [
        "digraph { {a -> b -> c} -> d }",
        "digraph { {a -> b; b -> c} -> d }",
        "digraph { subgraph s {a b c\na -> b -> c} -> d [x=y] }",
        'digraph { {"a" -> "b" -> "c";} -> "d"; }',
        "digraph { a -> b -> c -> d; a -> d\nb->d }",
        'digraph { a -> b [label="}; x -> y"]; b -> c [w=-.5, l="a\\"b"]\n{a b c} -> d }',
    ],
)
def test_groups_of_dot_hold_all_that_they_mention(text: str) -> None:
    expected = [("a", "b"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert edges_of(text, "dot") == expected
    assert (
        edges_of(text.replace("digraph", "strict digraph").replace("{ ", "{ a -> b; ", 1), "dot") == expected
    )
