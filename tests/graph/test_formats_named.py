"""Edge lists with names, CSV and networkx's own lists: read as they are meant, or refused with what would help."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.graph.formats import READ_ONLY, dag_from_text, format_of, read_dag, text_of, write_dag
from tests.support.text_tables import rows_of

SUM = Dag.from_edges([("a", "sum"), ("b", "sum")])


@pytest.mark.parametrize(
    ("format", "text"), rows_of(Path(__file__).with_name("written_by_others.txt"), "named")
)
def test_what_is_read(format: str, text: str) -> None:
    dag = dag_from_text(text, format)
    assert [dag.name(v).rstrip("#") for v in range(3)] in (["a", "sum", "b"], ["sum", "a", "b"])
    assert [dag.name(v).rstrip("#") for v in dag.predecessors_of(int(dag.outputs[0]))] == ["a", "b"]


def test_numbers_are_names_where_the_format_is_named() -> None:
    dag = dag_from_text("3 2\n2 1\n", "named")
    assert [dag.name(v) for v in range(3)] == ["3", "2", "1"]
    assert dag_from_text("0 1 {}\n1 2 {}\n", "edgelist").name(2) == "2"
    assert dag_from_text("3 2\n0 1\n1 2\n", "edgelist").n_vertices == 3


WRITERS: list[tuple[str, Callable[..., Any]]] = [
    ("edgelist", nx.write_edgelist),
    ("named", nx.write_edgelist),
    ("adjlist", nx.write_adjlist),
    ("multiline-adjlist", nx.write_multiline_adjlist),
]


@pytest.mark.parametrize(("format", "write"), WRITERS)
def test_what_networkx_writes_is_read(format: str, write: Callable[..., Any]) -> None:
    rng = random.Random(7)
    for size in range(2, 12):
        pairs = [(f"x{rng.randrange(v)}", f"x{v}") for v in range(1, size) for _ in range(2)]
        graph: nx.DiGraph[Any] = nx.DiGraph(pairs, weight=2)
        stream = io.BytesIO()
        write(graph, stream)
        found = dag_from_text(stream.getvalue().decode(), format).to_networkx()
        assert set(found.edges) == set(graph.edges)
        assert set(found.nodes) == set(graph.nodes)


def test_endings_say_the_format(tmp_path: Path) -> None:
    for ending, text in (
        (".csv", "a,sum\nb,sum\n"),
        (".tsv", "a\tsum\nb\tsum\n"),
        (".adjlist", "a sum\nb sum\n"),
    ):
        path = tmp_path / f"graph{ending}"
        path.write_text(text, encoding="utf-8")
        assert load_dag(path) == read_dag(path) == SUM
    assert format_of("x", "named") == "named"


@pytest.mark.parametrize("format", READ_ONLY)
def test_these_formats_are_not_written(format: str, tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=f"the format {format} can only be read; write one of edgelist, dot"
    ):
        text_of(SUM, format)
    with pytest.raises(InvalidInput, match="can only be read"):
        write_dag(SUM, tmp_path / "a.x", format)


def test_a_first_edge_that_is_alone_can_be_read() -> None:
    assert dag_from_text("source,target\nchild_id,parent_id\na,b\n", "csv").n_edges == 2
    assert dag_from_text("child_id,parent_id\n", "csv").n_edges == 1
