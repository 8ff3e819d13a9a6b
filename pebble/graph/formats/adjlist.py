r"""networkx's adjacency lists: a line ``u v w`` for each vertex, and the vertices computed from it.

As ``networkx.write_adjlist`` writes them. Vertices are numbered in the order in which their names come up. Read only.
"""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.formats.named_edges import numbered_lines
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["read"]


def read(text: str, source: str = "adjacency list", keep_isolated: bool = False) -> Dag:
    r"""Read an adjacency list.

    Examples
    --------
    >>> read("a sum\nb sum\nsum x y\nx\ny\n")
    Dag(5 vertices, 4 edges, 2 inputs, 2 outputs)
    """
    parsed = ParsedGraph(source)
    for number, line in numbered_lines(text, parsed):
        tail, *heads = line.split()
        u = parsed.vertex(tail, number)
        for head in heads:
            parsed.add(u, parsed.vertex(head, number), number)
    if not parsed.numbers:
        raise InvalidInput(
            f"{source}, line 1: there is no vertex in it; a line is a vertex and those computed from it, 'u v w'"
        )
    return parsed.dag(keep_isolated)
