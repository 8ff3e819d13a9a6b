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
from pebble.graph.formats.parsed_graph import ParsedGraph, data_lines, note_lines

_Line = tuple[int, list[str]]


def read(text: str, parsed: ParsedGraph) -> None:
    """Read a hyperDAG, in either form."""
    (header, words), *body = list(data_lines(text, parsed, "%")) or [(1, [])]
    if len(words) != 3:
        raise parsed.fail(header, f"expected 'hyperedges vertices pins'; found {shown(' '.join(words))}")
    kinds = ("the hyperedges", "the vertices", "the pins")
    m, n, q = (parsed.whole(*pair, header) for pair in zip(words, kinds, strict=True))
    parsed.n_vertices, parsed.size_line = n, header
    if len(body) == m + n + q:
        hyperedges, vertices, pins = body[:m], body[m : m + n], body[m + n :]
    elif len(body) == n + q:
        hyperedges, pins, vertices = [], body[:q], body[q:]
    else:
        raise parsed.fail(
            header,
            f"{m} hyperedges, {n} vertices and {q} pins make {m + n + q} lines (or {n + q} without a line for each "
            f"hyperedge), but {len(body)} follow",
        )
    _check_numbered(hyperedges, "hyperedge", parsed)
    _check_numbered(vertices, "vertex", parsed)
    _read_pins(pins, m, parsed)


def _check_numbered(lines: list[_Line], what: str, parsed: ParsedGraph) -> None:
    """Check lines of a number, each once, and up to two weights."""
    seen: dict[int, int] = {}
    for number, (word, *weights) in lines:
        v = parsed.whole(word, f"a {what}", number)
        if v >= len(lines):
            raise parsed.fail(number, f"there is no {what} {v}; the last one is {len(lines) - 1}")
        if seen.setdefault(v, number) != number:
            raise parsed.fail(number, f"{what} {v} was already on line {seen[v]}")
        if len(weights) > 2:
            raise parsed.fail(number, f"a {what} has at most two weights; found {shown(' '.join(weights))}")
        for weight in weights:
            parsed.check_number(weight, "a weight", number)


def _read_pins(pins: list[_Line], m: int, parsed: ParsedGraph) -> None:
    sources: dict[int, int] = {}
    for number, words in pins:
        if len(words) != 2:
            raise parsed.fail(number, f"expected a pin, 'hyperedge vertex'; found {shown(' '.join(words))}")
        e, v = parsed.whole(words[0], "a hyperedge", number), parsed.whole(words[1], "a vertex", number)
        for what, i, count in (("hyperedge", e, m), ("vertex", v, parsed.n_vertices)):
            if i >= count:
                raise parsed.fail(number, f"there is no {what} {i}; the last one is {count - 1}")
        if e in sources:
            parsed.add(sources[e], v, number)
        else:
            sources[e] = v
    if len(sources) < m:
        e = next(e for e in range(m) if e not in sources)
        raise InvalidInput(
            f"{parsed.source}: hyperedge {e} has no pin; its first pin says which vertex it belongs to"
        )


def _head(dag: Dag, what: str) -> tuple[int, str]:
    """Return the number of hyperedges, and the first lines of a file."""
    m = dag.n_vertices - len(dag.sinks)
    return m, f"% hyperDAG: {what}\n{m} {dag.n_vertices} {dag.n_edges + m}\n"


def _pins(dag: Dag) -> Iterator[str]:
    start, flat = (rows.tolist() for rows in dag.successor_rows)
    for e, v in enumerate(v for v in range(dag.n_vertices) if start[v] < start[v + 1]):
        yield from (f"{e} {w}\n" for w in (v, *flat[start[v] : start[v + 1]]))


def write(dag: Dag) -> Iterator[str]:
    """Yield the text of an ``.hdag`` file; all weights are 1."""
    m, head = _head(dag, "hyperedges, vertices, pins")
    yield head
    yield from (f"{e} 1 1\n" for e in range(m))
    yield from (f"{v} 1 0\n" for v in range(dag.n_vertices))
    yield from _pins(dag)
    yield from note_lines(dag, "%")


def write_list(dag: Dag) -> Iterator[str]:
    """Yield the text of an ``.lhdag`` file; all weights are 1."""
    yield _head(dag, "pins, then vertices")[1]
    yield from _pins(dag)
    yield from (f"{v} 1 1\n" for v in range(dag.n_vertices))
    yield from note_lines(dag, "%")
