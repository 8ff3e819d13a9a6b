"""DAGs in files: what is written is read again, what others write is read, and damage is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.formats import (
    FORMATS,
    dag_from_bytes,
    dag_from_text,
    format_of,
    read_dag,
    text_of,
    write_dag,
)
from tests.support.amounts import examples
from tests.support.random_dags import dags
from tests.support.text_tables import rows_of

FUNNY = [
    'a"b',
    "c\\d",
    "#",
    "%",
    "<&>'",
    "ü",
    "λ[0,1]",
    "node",
    "-1",
    "mul#3",
    "//",
    "a:b",
    "{",
    "\U0001f40c",
]


MATRIX = "%%MatrixMarket matrix coordinate pattern general\n"


def named(dag: Dag, names: list[str] | None, description: str = "") -> Dag:
    return Dag(dag.predecessor_start, dag.predecessors, names, dag.outputs, description)


@st.composite
def any_dags(draw: st.DrawFn) -> Dag:
    dag = draw(dags())
    names = draw(st.one_of(st.none(), st.permutations(FUNNY).map(lambda all_: all_[: dag.n_vertices])))
    return named(dag, names, draw(st.sampled_from(["", "matmul:2,2,2", "two <words> & 'more'"])))


@pytest.mark.parametrize("format", FORMATS)
@examples(10, 40)
@given(dag=any_dags())
def test_round_trip(format: str, dag: Dag) -> None:
    again = dag_from_text(text_of(dag, format), format)
    assert again == dag
    assert [again.names[v] for v in range(dag.n_vertices)] == [dag.names[v] for v in range(dag.n_vertices)]
    assert again.outputs.tolist() == dag.outputs.tolist()
    assert again.description == dag.description
    assert dag_hash(again) == dag_hash(dag)
    if not format.endswith("hdag"):
        assert again.predecessors.tolist() == dag.predecessors.tolist()
    assert text_of(again, format) == text_of(dag, format)


def test_written_texts() -> None:
    dag = Dag.from_edges([(1, 0), (2, 0)], 4, names=["s", "a", "b", "v3"], outputs=[0])
    assert text_of(dag, "edgelist") == (
        "4 2\n1 0\n2 0\n# pebble: isolated 3\n# pebble: output 0\n"
        "# pebble: name 0 s\n# pebble: name 1 a\n# pebble: name 2 b\n"
    )
    pair = Dag.from_edges([(0, 2), (1, 2)])
    assert text_of(pair, "mtx") == MATRIX + "3 3 2\n3 1\n3 2\n"
    lines = [line for line in text_of(pair, "hdag").splitlines() if not line.startswith("%")]
    assert lines == ["2 3 4", "0 1 1", "1 1 1", "0 1 0", "1 1 0", "2 1 0", "0 0", "0 2", "1 1", "1 2"]
    lines = [line for line in text_of(pair, "lhdag").splitlines() if not line.startswith("%")]
    assert lines == ["2 3 4", "0 0", "0 2", "1 1", "1 2", "0 1 1", "1 1 1", "2 1 1"]


@pytest.mark.parametrize(
    ("format", "text"), rows_of(Path(__file__).with_name("written_by_others.txt"), "numbered")
)
def test_what_others_write(format: str, text: str) -> None:
    dag = dag_from_bytes(text.encode(), format, "x")
    assert dag == Dag.from_edges([(0, 2), (1, 2)], 3)


def test_graphml_data_that_is_false_or_of_others() -> None:
    text = (
        '<graphml><key id="k" attr.name="output"/><key id="l" attr.name="label"/><graph edgedefault="directed">'
        '<node id="a"><data key="k">false</data></node><node id="b"><data key="k"> 1 </data></node>'
        '<node id="c"><data key="l">true</data></node><edge source="a" target="b"/><edge source="b" target="c"/>'
        "</graph></graphml>"
    )
    assert dag_from_text(text, "graphml").outputs.tolist() == [1]


def test_mtx_entries_are_row_needs_column() -> None:
    dag = dag_from_text(MATRIX + "2 2 1\n1 2\n", "mtx")
    assert dag.predecessors_of(0).tolist() == [1]


@pytest.mark.parametrize(
    "dag",
    [load_dag("attention:N=2,d=1"), Dag.from_edges([("a", "b"), ("b", "c"), ("b", "d")], outputs=["b", "c"])],
)
def test_networkx_reads_and_writes_the_same_graphml_and_json(dag: Dag) -> None:
    graph = nx.read_graphml(io.BytesIO(text_of(dag, "graphml").encode()))
    assert set(graph.edges) == set(dag.to_networkx().edges)
    assert list(graph.nodes) == [dag.names[v] for v in range(dag.n_vertices)]
    stream = io.BytesIO()
    nx.write_graphml(dag.to_networkx(), stream)
    same = Dag.from_networkx(dag.to_networkx())
    assert dag_from_bytes(stream.getvalue(), "graphml", "x") == same
    for key in ("edges", "links"):
        assert dag_from_text(json.dumps(nx.node_link_data(dag.to_networkx(), edges=key)), "json") == same


FAULTS = rows_of(Path(__file__).with_name("faults.txt"))
FAULTS.append(["dot", "digraph " + "{" * 100, "x, line 1", "nested"])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault[0]}-{fault[-1]}"[:40])
def test_faults(fault: list[str]) -> None:
    format, text, place, *words = fault
    with pytest.raises(InvalidInput) as caught:
        dag_from_text(text, format, "x")
    message = str(caught.value)
    assert message.startswith((f"{place}:", f"{place},")), message
    for word in words:
        assert word in message


def test_a_long_cycle_is_shortened() -> None:
    text = "200 200\n" + "".join(f"{v} {(v + 1) % 200}\n" for v in range(200))
    with pytest.raises(InvalidInput, match=r"^x, line 201: .* 0 -> 1 -> .* \(194 more\) -> 0;") as caught:
        dag_from_text(text, "edgelist", "x")
    assert len(str(caught.value)) < 200


def test_isolated_vertices_are_kept_on_purpose() -> None:
    for format, text in (
        ("edgelist", "4 1\n1 2\n"),
        ("mtx", MATRIX + "4 4 1\n3 2\n"),
        ("json", '{"vertices": 4, "edges": [[1, 2]]}'),
        ("dot", "digraph { v0 v1 v2 v3 v1 -> v2 }"),
        ("hdag", "1 4 2\n0\n0\n1\n2\n3\n0 1\n0 2\n"),
    ):
        with pytest.raises(InvalidInput, match="isolated"):
            dag_from_text(text, format)
        assert dag_from_text(text, format, keep_isolated=True) == Dag.from_edges([(1, 2)], 4)


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"2 1\n0 1\n# caf\xe9\n")
    with pytest.raises(InvalidInput, match=r"a\.txt, line 3: byte 6, 0xe9, is not UTF-8"):
        read_dag(path)


def test_files_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot read"):
        read_dag(tmp_path / "none.txt")
    with pytest.raises(InvalidInput, match="cannot read"):
        read_dag(tmp_path, "dot")
    with pytest.raises(InvalidInput, match=r"ending '\.xyz'.*edgelist"):
        read_dag(tmp_path / "a.xyz")
    with pytest.raises(InvalidInput, match="did you mean 'graphml'"):
        format_of("a", "graphlm")
    with pytest.raises(InvalidInput, match="does not exist"):
        write_dag(load_dag("fft:2"), tmp_path / "no" / "a.dot")


def test_names_that_a_format_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.dot"
    path.write_text("before")
    with pytest.raises(InvalidInput, match="backslash"):
        write_dag(Dag.from_edges([("a\\", "b")]), path)
    assert path.read_text() == "before"
    with pytest.raises(InvalidInput, match="XML"):
        text_of(Dag.from_edges([("a\x01", "b")]), "graphml")


@pytest.mark.parametrize("format", FORMATS)
@examples(15, 60)
@given(data=st.data())
def test_damaged_files_are_refused_or_read(format: str, data: st.DataObject) -> None:
    """Whatever is done to a file, the answer is a DAG or InvalidInput, never another exception."""
    text = text_of(data.draw(any_dags()), format)
    for _ in range(data.draw(st.integers(1, 3))):
        i = data.draw(st.integers(0, len(text)))
        j = data.draw(st.integers(i, min(i + 6, len(text))))
        piece = data.draw(
            st.sampled_from(
                ["", "0", "9", "\n", " ", "-", '"', "{", "]", "%", "#", "\x00", "é", text[i:j] * 2]
            )
        )
        text = text[:i] + piece + text[j:]
    try:
        dag = dag_from_text(text, format, "x")
    except InvalidInput as error:
        place = str(error)[:1]
    else:
        place = "x" if dag_from_text(text_of(dag, format), format) == dag else "no round trip"
    assert place == "x"
