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

SUM = Dag.from_edges([("a", "sum"), ("b", "sum")])


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("named", "a sum\nb sum\n"),
        ("edgelist", "a sum\nb sum\n"),
        ("edgelist", "# comment\n\n a\tsum {}\r\nb sum {'weight': 3.5}\r\n"),
        ("named", "a sum 1.5\nb sum 2 7\n"),
        ("named", "a sum# # a name may hold the mark\nb sum#\n"),
        ("csv", "a,sum\nb,sum\n"),
        ("csv", 'a;"sum"\n\nb ; sum\n'),
        ("csv", "a\tsum\nb\tsum\n"),
        ("csv", "Target,weight,Source\nsum,1,a\nsum,2,b\n"),
        ("csv", "from,to\r\na,sum\r\nb,sum\r\n"),
        ("adjlist", "# GMT\na sum\nb sum\nsum\n"),
        ("multiline-adjlist", "#x\na 1\nsum {}\nb 1\nsum {'w': 1}\nsum 0\n"),
    ],
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


FAULTS = [
    ("edgelist", "a 2\n0 1\n", "x, line 1", "V must be a whole number, 0 or more, not 'a'", "--format named"),
    ("edgelist", "2 a\n0 1\n", "x, line 1", "E must be a whole number, 0 or more, not 'a'", "--format named"),
    (
        "edgelist",
        "0 1\n1 2\n2 3\n",
        "x, line 1",
        "announces 1 edge,",
        "begins with an edge",
        "--format named",
    ),
    ("edgelist", "2 9\n1 2\n", "x, line 1", "announces 9 edges", "--format named"),
    ("edgelist", "0 1\n1 2\n", "x, line 1", "no vertices", "--format named"),
    ("edgelist", "1 2\n2 3\n3 4\n", "x, line 2", "there is no vertex 2", "--format named"),
    ("edgelist", "a b c\n", "x, line 1", "'V E'", "--format named, csv, adjlist"),
    ("edgelist", "a,b\nb,c\n", "x, line 1", "'V E'", "csv"),
    ("edgelist", "a b\nb c\nc a\n", "x, line 3", "cycle: a -> b -> c -> a"),
    ("named", "a b\n\nb c\na b\n", "x, line 4", "a -> b is given twice", "first on line 1"),
    ("named", "a b\nb\n", "x, line 2", "two names"),
    ("named", "mul #3\n", "x, line 1", "'#' begins a comment"),
    ("named", "a b c\n", "x, line 1", "--format adjlist"),
    ("named", "0 1 2\n1 2\n", "x, line 1", "2 may be a weight or a vertex", "--format adjlist"),
    ("named", "a b\n# pebble: output 1\n", "x, line 2", "numbered vertices"),
    ("named", "# nothing\n", "x, line 1", "no edge"),
    ("csv", "", "x, line 1", "expected an edge"),
    ("csv", "a,b,c\n", "x, line 1", "names source and target"),
    ("csv", "source,target\na,b\nb\n", "x, line 3", "expected 2 columns", "found 1"),
    ("csv", 'a,b\nb,"c\n', "x, line 2", "not CSV"),
    ("csv", "a,b\nlayer 1,b\n", "x, line 2", "white space"),
    ("csv", "child node,parent node\n", "x, line 1", "white space"),
    ("csv", "child_id,parent_id\na,b\nb,c\n", "x, line 1", "names of columns", "source,target"),
    ("adjlist", "a b\nb a\n", "x, line 2", "cycle: a -> b -> a"),
    ("multiline-adjlist", "a 2\nb {}\n", "x, line 1", "announces 2 lines, but the file has 1"),
    ("multiline-adjlist", "a b\n", "x, line 1", "whole number"),
    ("multiline-adjlist", "a\n", "x, line 1", "'u 2'"),
    ("multiline-adjlist", "a 1\nb\nb 1\na\n", "x, line 4", "cycle: a -> b -> a"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault[0]}-{fault[-1]}"[:40])
def test_faults(fault: tuple[str, ...]) -> None:
    format, text, place, *words = fault
    with pytest.raises(InvalidInput) as caught:
        dag_from_text(text, format, "x")
    message = str(caught.value)
    assert message.startswith((f"{place}:", f"{place},")), message
    for word in words:
        assert word in message, message


def test_a_first_edge_that_is_alone_can_be_read() -> None:
    assert dag_from_text("source,target\nchild_id,parent_id\na,b\n", "csv").n_edges == 2
    assert dag_from_text("child_id,parent_id\n", "csv").n_edges == 1
