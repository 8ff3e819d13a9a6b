"""OneStopParallel's hyperDAGs: a hyperedge holds a vertex, its first pin, and all that is computed from it.

After ``%`` comments a line ``m n q``: m hyperedges, n vertices, q pins. Then, in an ``.hdag`` file, m lines
``e comm mem`` (weights optional), n lines ``v work type`` (optional) and q lines ``e v``; in an ``.lhdag`` file (and
in older ``.hdag`` files), q lines ``e v`` and n lines ``v work comm``. Which one it is follows from the number of
lines. Everything is numbered from 0. Weights are passed over, since every word costs one in the game. Names,
outputs and the like are kept in ``% pebble:`` comments at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.notes import note_lines, whole
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["read", "write", "write_list"]

_Line = tuple[int, list[str]]


def read(text: str, source: str = "hyperDAG", keep_isolated: bool = False) -> Dag:
    r"""Read a hyperDAG, in either form.

    Examples
    --------
    >>> read("2 3 4\n0\n1\n0\n1\n2\n0 0\n0 2\n1 1\n1 2\n")
    Dag(3 vertices, 2 edges, 2 inputs, 1 output)
    """
    parsed = ParsedGraph(source)
    lines: list[_Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("%"):
            parsed.notes.read(line.lstrip()[1:], source, number)
        elif words := line.split():
            lines.append((number, words))
    if not lines:
        raise InvalidInput(
            f"{source}, line 1: the file is empty; it should begin with 'm n q', three numbers"
        )
    m, n, q = _sizes(*lines[0], parsed)
    parsed.n_vertices = n
    parsed.vertices_place = f" (line {lines[0][0]})"
    body = lines[1:]
    if len(body) == m + n + q:
        _check_numbered(body[:m], "hyperedge", m, parsed)
        _check_numbered(body[m : m + n], "vertex", n, parsed)
        pins = body[m + n :]
    elif len(body) == q + n:
        pins = body[:q]
        _check_numbered(body[q:], "vertex", n, parsed)
    else:
        raise parsed.fail(
            lines[0][0],
            f"{m} hyperedges, {n} vertices and {q} pins make {m + n + q} lines (or {n + q} without a line for each "
            f"hyperedge), but {len(body)} follow",
        )
    _read_pins(pins, m, parsed)
    return parsed.dag(keep_isolated)


def _sizes(number: int, words: list[str], parsed: ParsedGraph) -> tuple[int, int, int]:
    if len(words) != 3:
        raise parsed.fail(number, f"expected 'hyperedges vertices pins'; found {shown(' '.join(words))}")
    place = f"{parsed.source}, line {number}"
    kinds = ("the hyperedges", "the vertices", "the pins")
    m, n, q = (whole(word, what, place) for word, what in zip(words, kinds, strict=True))
    return m, n, q


def _check_numbered(lines: list[_Line], what: str, count: int, parsed: ParsedGraph) -> None:
    """Check lines of a number, each once, and up to two weights."""
    seen: dict[int, int] = {}
    for number, words in lines:
        v = whole(words[0], f"a {what}", f"{parsed.source}, line {number}")
        if v >= count:
            raise parsed.fail(number, f"there is no {what} {v}; the last one is {count - 1}")
        if v in seen:
            raise parsed.fail(number, f"{what} {v} was already on line {seen[v]}")
        seen[v] = number
        if len(words) > 3:
            raise parsed.fail(number, f"a {what} has at most two weights; found {shown(' '.join(words))}")
        for word in words[1:]:
            _check_weight(word, parsed, number)


def _check_weight(word: str, parsed: ParsedGraph, number: int) -> None:
    try:
        float(word)
    except ValueError:
        raise parsed.fail(number, f"a weight must be a number, not {shown(word)}") from None


def _read_pins(pins: list[_Line], m: int, parsed: ParsedGraph) -> None:
    sources: dict[int, int] = {}
    for number, words in pins:
        if len(words) != 2:
            raise parsed.fail(number, f"expected a pin, 'hyperedge vertex'; found {shown(' '.join(words))}")
        place = f"{parsed.source}, line {number}"
        e, v = whole(words[0], "a hyperedge", place), whole(words[1], "a vertex", place)
        if e >= m:
            raise parsed.fail(number, f"there is no hyperedge {e}; the last one is {m - 1}")
        if v >= parsed.n_vertices:
            raise parsed.fail(number, f"there is no vertex {v}; the last one is {parsed.n_vertices - 1}")
        if e in sources:
            parsed.add(sources[e], v, number)
        else:
            sources[e] = v
    if len(sources) < m:
        e = next(e for e in range(m) if e not in sources)
        raise InvalidInput(
            f"{parsed.source}: hyperedge {e} has no pin; its first pin says which vertex it belongs to"
        )


def _pins(dag: Dag) -> Iterator[str]:
    start, flat = (rows.tolist() for rows in dag.successor_rows)
    e = 0
    for v in range(dag.n_vertices):
        if start[v] < start[v + 1]:
            yield f"{e} {v}\n"
            for w in flat[start[v] : start[v + 1]]:
                yield f"{e} {w}\n"
            e += 1


def _n_hyperedges(dag: Dag) -> int:
    return dag.n_vertices - len(dag.sinks)


def write(dag: Dag) -> Iterator[str]:
    """Yield the text of an ``.hdag`` file; all weights are 1."""
    m = _n_hyperedges(dag)
    yield f"% hyperDAG: hyperedges, vertices, pins\n{m} {dag.n_vertices} {dag.n_edges + m}\n"
    for e in range(m):
        yield f"{e} 1 1\n"
    for v in range(dag.n_vertices):
        yield f"{v} 1 0\n"
    yield from _pins(dag)
    yield from note_lines(dag, "%")


def write_list(dag: Dag) -> Iterator[str]:
    """Yield the text of an ``.lhdag`` file; all weights are 1."""
    m = _n_hyperedges(dag)
    yield f"% hyperDAG: pins, then vertices\n{m} {dag.n_vertices} {dag.n_edges + m}\n"
    yield from _pins(dag)
    for v in range(dag.n_vertices):
        yield f"{v} 1 1\n"
    yield from note_lines(dag, "%")
