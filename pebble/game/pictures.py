"""Pictures of the game: a position with the moves that are legal in it, and a whole pebbling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from pebble.common.svg import card
from pebble.game.moves import Columns, Move, Op, as_chunks
from pebble.graph.dag import Dag
from pebble.graph.drawing import drawing_svg, is_drawn, not_drawn

_NOTED = ("load", "compute", "store")
_COUNTED = {Op.LOAD: "load", Op.COMPUTE: "compute", Op.SLIDE: "compute", Op.STORE: "store"}


def position_svg(
    dag: Dag,
    title: str,
    lines: Iterable[str],
    red: Container[int],
    blue: Container[int],
    moves: Iterable[Move],
) -> str:
    """Return a picture of a position: its pebbles, and below each vertex which moves are legal now.

    Legal moves that change nothing, such as loading a red vertex, are left out.
    """
    if not is_drawn(dag):
        return card(title, [repr(dag), *lines, not_drawn(dag)])
    notes: dict[int, list[str]] = {}
    for op, v, *_ in moves:
        changes = op == Op.DELETE or v not in (blue if op == Op.STORE else red)
        if changes and op.word not in notes.setdefault(v, []):
            notes[v].append(op.word)
    legend = "below a vertex: which moves are legal now", "lit: a red pebble may be placed"
    placing = {v for v, words in notes.items() if v not in red}
    return drawing_svg(dag, title, [*lines, *legend], red, blue, notes, placing)


def pebbling_svg(dag: Dag, title: str, lines: Iterable[str], moves: Columns | Iterable[Columns]) -> str:
    """Return a picture of a whole pebbling: below each vertex how often it is loaded, stored and computed again.

    Parameters
    ----------
    dag : Dag
        One that is too large to be drawn is described; its moves are then not looked at.
    title : str
    lines : iterable of str
        What is said of the pebbling.
    moves : Moves or iterable of Moves
        Legal and complete: blue pebbles are drawn where they are at the end.
    """
    if not is_drawn(dag):
        return card(title, [repr(dag), *lines, not_drawn(dag)])
    counts: Counter[tuple[str, int]] = Counter()
    for chunk in as_chunks(moves):
        for op, word in _COUNTED.items():
            counts.update((word, v) for v in chunk.vertex[chunk.op == op].tolist())
    notes = {v: _notes([(counts[word, v], word) for word in _NOTED]) for v in range(dag.n_vertices)}
    blue = set(dag.inputs.tolist()) | {v for word, v in counts if word == "store"}
    carried = {v for v in blue if counts["load", v] + counts["store", v] > 1}
    legend = (
        "below a vertex: its loads and stores, and computations if repeated",
        "lit: carried more than once",
    )
    return drawing_svg(dag, title, [*lines, *legend], (), blue, notes, carried)


def _notes(counts: Iterable[tuple[int, str]]) -> list[str]:
    """Return what happens to a vertex; to be computed once is nothing worth a word."""
    return [
        f"{count} {word}s" if count > 1 else word
        for count, word in counts
        if count > (1 if word == "compute" else 0)
    ]
