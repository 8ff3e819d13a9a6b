"""Which elements of an array some words dominate, straight from the graph."""

from collections.abc import Iterable

from tests.lower_bounds.nests.nest_dag import Name


def predecessors_of(edges: Iterable[tuple[Name, Name]]) -> dict[Name, list[Name]]:
    """Return what each computed vertex reads."""
    predecessors: dict[Name, list[Name]] = {}
    for before, after in edges:
        predecessors.setdefault(after, []).append(before)
    return predecessors


def dominated(predecessors: dict[Name, list[Name]], words: set[Name]) -> set[Name]:
    """Return the further vertices to which every path from an input leads through some words."""
    known = dict.fromkeys(words, True)

    def closed(vertex: Name) -> bool:
        if vertex not in known:
            before = predecessors.get(vertex, [])
            known[vertex] = bool(before) and all(closed(one) for one in before)
        return known[vertex]

    return {vertex for vertex in predecessors if vertex not in words and closed(vertex)}
