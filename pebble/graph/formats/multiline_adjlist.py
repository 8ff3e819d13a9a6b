r"""networkx's multi-line adjacency lists: a line ``u 2``, then two lines with a vertex computed from ``u`` each.

As ``networkx.write_multiline_adjlist`` writes them; data after a vertex is passed over. Vertices are numbered in the
order in which their names come up. Read only.
"""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.named_edges import numbered_lines
from pebble.graph.formats.notes import whole
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["read"]


def read(text: str, source: str = "multi-line adjacency list", keep_isolated: bool = False) -> Dag:
    r"""Read a multi-line adjacency list.

    Examples
    --------
    >>> read("a 1\nsum {}\nb 1\nsum {'weight': 1}\nsum 0\n")
    Dag(3 vertices, 2 edges, 2 inputs, 1 output)
    """
    parsed = ParsedGraph(source)
    u, promised, line_of_u, n_lines = -1, 0, 0, 0
    for number, line in numbered_lines(text, parsed):
        name, *rest = line.split(None, 1)
        if promised:
            parsed.add(u, parsed.vertex(name, number), number)
            promised -= 1
            continue
        if len(rest) != 1 or len(rest[0].split()) != 1:
            raise parsed.fail(
                number, f"expected a vertex and how many are computed from it, 'u 2'; found {shown(line)}"
            )
        promised = n_lines = whole(rest[0].strip(), "the number of vertices", f"{source}, line {number}")
        u, line_of_u = parsed.vertex(name, number), number
    if promised:
        raise parsed.fail(line_of_u, f"{n_lines} lines are promised, but {n_lines - promised} follow")
    if not parsed.numbers:
        raise InvalidInput(f"{source}, line 1: there is no vertex in it; it should begin with a line 'u 2'")
    return parsed.dag(keep_isolated)
