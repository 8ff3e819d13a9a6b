"""Large files: time and memory grow with the file, whatever it looks like."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pebble.graph.formats import dag_from_text

# The kernel's own account of the process: what getrusage tells includes the process that started it.
CODE = """
import sys
from pathlib import Path
from pebble.graph.formats import read_dag
dag = read_dag(sys.argv[1])
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(dag.n_vertices, dag.n_edges, peak.split()[1])
"""


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


def test_a_long_chain_takes_no_recursion_and_no_squares() -> None:
    dag = dag_from_text("".join(lines("chain.dot", 20_000)), "dot")
    assert (dag.n_vertices, dag.n_edges) == (20_001, 20_000)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells the peak of a process like this")
@pytest.mark.parametrize("format", ["chain.dot", "statements.dot", "graphml", "json", "txt"])
def test_a_million_edges(format: str, tmp_path: Path) -> None:
    n, path = 1_000_000, tmp_path / f"path.{format}"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(lines(format, n))
    done = subprocess.run([sys.executable, "-c", CODE, str(path)], capture_output=True, text=True, check=True)
    vertices, edges, kilobytes = done.stdout.split()
    assert (int(vertices), int(edges)) == (n + 1, n)
    assert int(kilobytes) < 1_000_000
