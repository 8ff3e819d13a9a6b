"""What a file says does not depend on how its parts are arranged."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pebble.common.errors import InvalidInput
from pebble.graph.formats import dag_from_text
from tests.support.text_tables import rows_of

TABLE = Path(__file__).with_name("written_by_others.txt")


def test_dot_statements_in_all_shapes() -> None:
    """Edges are the same, wherever they stand."""
    for (text,) in rows_of(TABLE, "statements"):
        graph = dag_from_text(text, "dot").to_networkx()
        assert set(graph.edges) == {("0", "2"), ("1", "2"), ("2", "3")}, text
    graph = dag_from_text("digraph { 0 -> { 2 -> 3; } }", "dot").to_networkx()
    assert set(graph.edges) == {("0", "2"), ("0", "3"), ("2", "3")}
    with pytest.raises(InvalidInput, match=r"x, line 2: expected"):
        dag_from_text('digraph { a [b=c;\n"d" -> "e";] }', "dot", "x")
    with pytest.raises(InvalidInput, match=r"x, line 3: the edge a -> b is given twice.*, first on line 2"):
        dag_from_text('digraph {\n"a" -> "b";\n"a" -> "b"; }', "dot", "x")
    with pytest.raises(InvalidInput, match="white space"):
        dag_from_text('digraph { "" -> "b"; }', "dot", "x")


@pytest.mark.parametrize("seed", range(3))
def test_graphml_may_name_edges_before_nodes(seed: int) -> None:
    items = [f'<node id="{v}"/>' for v in "abc"] + [f'<edge source="{v}" target="c"/>' for v in "ab"]
    random.Random(seed).shuffle(items)
    dag = dag_from_text(
        f'<graphml><graph edgedefault="directed">{"".join(items)}</graph></graphml>', "graphml"
    )
    assert [dag.name(v) for v in range(3)] == [item[10] for item in items if item.startswith("<node")]
    assert {dag.name(v) for v in dag.predecessors_of("c")} == {"a", "b"}


@pytest.mark.parametrize("row", rows_of(TABLE, "groups"), ids=str)
def test_groups_of_dot_hold_all_that_they_mention(row: list[str]) -> None:
    (text,) = row

    def edges_of(text: str) -> list[tuple[str, str]]:
        return sorted(dag_from_text(text, "dot").to_networkx().edges)

    expected = [("a", "b"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert edges_of(text) == expected
    assert edges_of(text.replace("digraph", "strict digraph").replace("{ ", "{ a -> b; ", 1)) == expected
