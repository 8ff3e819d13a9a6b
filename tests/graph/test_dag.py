from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import IllegalMove, InvalidInput
from pebble.game.game import Game
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.graph.names import NumberedNames
from tests.support.random_dags import dags
from tests.support.text_tables import rows_of


def sum_of_two() -> Dag:
    return Dag([0, 0, 0, 2], [0, 1], names=["a", "b", "sum"])


def test_numbers_and_names_of_vertices() -> None:
    dag = sum_of_two()
    assert dag.vertex("b") == dag.vertex(1) == dag.vertex(np.int32(1)) == 1
    assert dag.name(np.int64(2)) == "sum"
    for wrong in (3, -1, True, 1.0, None):
        with pytest.raises(InvalidInput, match="there is no vertex"):
            dag.vertex(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="did you mean 'sum'"):
        dag.vertex("sun")
    with pytest.raises(InvalidInput, match="there is no vertex"):
        dag.name(-1)


def test_default_names_round_trip() -> None:
    names = NumberedNames(12)
    assert [names.index(names[v]) for v in range(12)] == list(range(12))
    for wrong in ("v12", "v-1", "v01", "v", "", "x1", "v1 ", "v١", "v1_0", "v" + "9" * 5000):
        with pytest.raises((KeyError, ValueError)):
            names.index(wrong)


@pytest.mark.parametrize(("start", "row", "text"), rows_of(Path(__file__).with_name("malformed.txt")))
def test_malformed_arrays(start: str, row: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        Dag(ast.literal_eval(start), ast.literal_eval(row))


def test_malformed_names_and_outputs() -> None:
    for names, text in (
        (["a"], "1 name for 2"),
        (["a", "a"], "both called 'a'"),
        (["a", "b c"], "white space"),
    ):
        with pytest.raises(InvalidInput, match=text):
            Dag([0, 0, 1], [0], names=names)
    for outputs in ([2], ["z"], np.array([-1]), []):
        with pytest.raises(InvalidInput):
            Dag([0, 0, 1], [0], outputs=outputs)


@pytest.mark.parametrize("length", [2, 3, 8, 9, 1000])
def test_a_cycle_is_shown(length: int) -> None:
    edges = [(i, (i + 1) % length) for i in range(length)] + [(length, 0), (0, length + 1)]
    with pytest.raises(InvalidInput, match="cycle") as caught:
        Dag.from_edges(edges)
    shown = re.findall(r"v\d+", str(caught.value))
    assert shown[0] == shown[-1]
    for one, other in pairwise(shown[: min(length, 5)]):
        assert (int(one[1:]), int(other[1:])) in edges


@pytest.mark.parametrize(
    ("graph", "options", "words"),
    [
        (nx.MultiDiGraph([(1, 2), (1, 2)]), {}, "given twice"),
        (nx.DiGraph([(1, 1)]), {}, "own predecessor"),
        (nx.Graph([(1, 2)]), {}, "undirected"),
        (nx.DiGraph([("a", "b"), ("b", "a")]), {}, "cycle"),
        (nx.DiGraph([(1, "1")]), {}, "both called '1'"),
        (nx.DiGraph([(1, 2)]), {"outputs": [3]}, "not a node"),
    ],
)
def test_networkx_refusals(graph: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Dag.from_networkx(graph, **options)


def test_networkx_labels_become_names() -> None:
    graph: nx.DiGraph[Any] = nx.DiGraph([((0, 1), "s"), (7, "s")], name="demo")
    dag = Dag.from_networkx(graph, outputs=["s"])
    assert {dag.name(v) for v in range(3)} == {"(0,1)", "s", "7"}
    assert dag.outputs.tolist() == [dag.vertex("s")]
    assert dag.description == "demo"


@given(dags())
def test_networkx_round_trip(dag: Dag) -> None:
    again = Dag.from_networkx(dag.to_networkx())
    assert again == dag
    assert hash(again) == hash(dag)
    assert np.array_equal(again.predecessors, dag.predecessors)
    assert again.description == dag.description


def test_networkx_attribute_of_another_meaning_is_passed_over() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([("a", "b"), ("b", "c")])
    graph.nodes["b"]["output"] = "log.txt"
    assert [*map(Dag.from_networkx(graph).name, Dag.from_networkx(graph).outputs)] == ["c"]


@given(dags(), st.data())
def test_equality_sees_every_difference(dag: Dag, data: st.DataObject) -> None:
    names = [dag.name(v) for v in range(dag.n_vertices)]
    same = Dag(dag.predecessor_start, dag.predecessors, names=names, outputs=dag.outputs)
    assert same == dag
    assert (
        Dag(dag.predecessor_start, dag.predecessors, names=["z" + n for n in names], outputs=dag.outputs)
        != dag
    )
    others = [v for v in range(dag.n_vertices) if v not in dag.outputs]
    if others:
        more = [*dag.outputs.tolist(), data.draw(st.sampled_from(others))]
        assert Dag(dag.predecessor_start, dag.predecessors, names=names, outputs=more) != dag
    assert dag != "dag"
    assert Dag([0, 0, 0, 2], [0, 1]) == Dag([0, 0, 0, 2], [1, 0])


@given(dags())
def test_topological_order_and_successors(dag: Dag) -> None:
    order = dag.topological_order().tolist()
    place = {v: at for at, v in enumerate(order)}
    down = {(p, v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v).tolist()}
    assert sorted(order) == list(range(dag.n_vertices))
    assert all(place[p] < place[v] for p, v in down)
    assert down == {(p, v) for p in range(dag.n_vertices) for v in dag.successors_of(p).tolist()}
    assert len(down) == dag.n_edges


def plain_pebbling(dag: Dag, M: int, rules: Rules) -> Game:
    """Vertex by vertex, storing everything: what the proof of least_M does."""
    game = Game(dag, M, rules)
    for v in dag.topological_order().tolist():
        row = dag.predecessors_of(v).tolist()
        if not row or not dag.ancestors_of_outputs[v]:
            continue
        for p in row:
            game.load(p)
        if rules.sliding:
            game.slide(v, row[0])
        else:
            game.compute(v)
        game.store(v)
        for p in list(game.red):
            game.delete(p)
    return game


@given(dags(), st.booleans(), st.booleans())
def test_least_M_is_enough_and_one_less_is_not(dag: Dag, recomputation: bool, sliding: bool) -> None:
    rules = Rules(recomputation=recomputation, sliding=sliding)
    least = dag.least_M(sliding=rules.sliding)
    assert plain_pebbling(dag, least, rules).complete
    if least > 1:
        with pytest.raises(IllegalMove) as caught:
            plain_pebbling(dag, least - 1, rules)
        assert caught.value.rule == "memory-full"
