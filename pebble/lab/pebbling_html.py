"""A schedule's pebbling in HTML: its program, what it moves by array, and the board where that is small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from pebble.common.svg import as_image
from pebble.common.tables import Table, words
from pebble.computations.family import Family
from pebble.game.pictures import pebbling_svg
from pebble.graph.drawing import MOST_VERTICES
from pebble.program.lowering import Columns
from pebble.program.nodes import Program, pseudo_code_html


def pebbling_html(
    family: Family,
    program: Program,
    title: str,
    reads: Mapping[str, int],
    writes: Mapping[str, int],
    moves: Iterable[Columns],
) -> str:
    """Return the program and the counts; the board is drawn up to as many vertices as any DAG is."""
    table = _by_array(family, reads, writes)._repr_html_()
    parts = [f"<p>{escape(title)}</p>", pseudo_code_html(program), table]
    if family.n_vertices <= MOST_VERTICES:
        parts.append(f"<p>{as_image(pebbling_svg(family.dag(), title, [title], moves), title)}</p>")
    return "".join(parts)


def _by_array(family: Family, reads: Mapping[str, int], writes: Mapping[str, int]) -> Table:
    rows = [["array", "reads", "writes"]]
    for array in family.arrays:
        both = reads.get(array.name, 0), writes.get(array.name, 0)
        if any(both):
            rows.append([array.name, *map(words, both)])
    totals = (sum(counts.values()) for counts in (reads, writes))
    return Table([*rows, ["all", *map(words, totals)]])
