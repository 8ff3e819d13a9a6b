"""The DAG of a loop nest, vertex by vertex, straight from what a loop nest means."""

from itertools import product

from pebble.computations.nests.statement import Access, Assignment, LoopNest
from pebble.graph.dag import Dag

Element = tuple[str, tuple[int, ...]]


def points_of(nest: LoopNest, statement: Assignment) -> list[dict[str, int]]:
    """Return the points of a statement, in the order of its chain."""
    ranges = [range(nest.extents[name]) for name in statement.indices]
    points = (dict(zip(statement.indices, values, strict=True)) for values in product(*ranges))
    return [point for point in points if all(c.at(point) >= 0 for c in statement.conditions)]


def element(access: Access, point: dict[str, int]) -> Element:
    return access.array, tuple(place.at(point) for place in access.places)


Name = tuple[object, tuple[int, ...]]
"""Of a vertex: an element that is an input, or a statement's number and a point."""


def edges_of(nest: LoopNest) -> tuple[list[tuple[Name, Name]], list[Name]]:
    """Return the edges and the outputs."""
    last: dict[Element, Name] = {}
    edges: list[tuple[Name, Name]] = []
    reads: list[tuple[Name, Element]] = []
    for number, statement in enumerate(nest.statements):
        for point in points_of(nest, statement):
            vertex = (number, tuple(point.values()))
            target = element(statement.target, point)
            if target in last:
                assert statement.adds
                edges.append((last[target], vertex))
            last[target] = vertex
            reads += [(vertex, read) for read in dict.fromkeys(element(a, point) for a in statement.reads)]
    edges += [(last.get(read, read), vertex) for vertex, read in reads]
    read_elements = {read for _, read in reads}
    outputs = [vertex for one, vertex in last.items() if one not in read_elements or one[0] in nest.outputs]
    return list(dict.fromkeys(edges)), outputs


def nest_dag(nest: LoopNest) -> Dag | None:
    """Return the DAG; None if it has no edge."""
    edges, outputs = edges_of(nest)
    if not edges:
        return None
    names = list(dict.fromkeys(name for edge in edges for name in edge))
    number_of = {name: at for at, name in enumerate(names)}
    return Dag.from_edges(
        [(number_of[a], number_of[b]) for a, b in edges], outputs=[number_of[vertex] for vertex in outputs]
    )
