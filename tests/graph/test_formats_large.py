"""Large files: time and memory grow with the file, whatever it looks like."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pebble.graph.formats import dag_from_text


def lines(format: str, n: int) -> Iterator[str]:
    """A path of n edges."""
    ends = [(f"n[{v}]", f"n[{v + 1}]") for v in range(n)]
    if format == "chain.dot":
        yield "digraph { " + " -> ".join(f"n{v}" for v in range(n + 1)) + " }"
    elif format == "statements.dot":
        yield from (
            "digraph {\n",
            *(f'"{u}" [shape=box];\n"{u}" -> "{v}" [weight=1];\n' for u, v in ends),
            "}\n",
        )
    elif format == "graphml":
        yield '<graphml><graph edgedefault="directed">\n'
        yield from (f'<node id="n[{v}]"/>\n' for v in range(n + 1))
        yield from (f'<edge source="{u}" target="{v}"><data key="w">1</data></edge>\n' for u, v in ends)
        yield "</graph></graphml>"
    elif format == "json":
        nodes = [{"id": f"n[{v}]"} for v in range(n + 1)]
        links = [{"source": u, "target": v, "weight": 1} for u, v in ends]
        yield json.dumps({"directed": True, "nodes": nodes, "links": links})
    else:
        yield from (f"{u} {v}\n" for u, v in ends)


@pytest.mark.parametrize("format", ["chain.dot", "statements.dot", "graphml", "json", "named"])
def test_a_long_path_takes_no_recursion_and_no_squares(format: str) -> None:
    dag = dag_from_text("".join(lines(format, 20_000)), format.rpartition(".")[2])
    assert (dag.n_vertices, dag.n_edges) == (20_001, 20_000)
