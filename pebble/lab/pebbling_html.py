"""A schedule's pebbling in HTML: its program, what it moves by array, and the board where that is small."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pebble.common.svg import as_image
from pebble.common.tables import Table, tiles_text, words
from pebble.game.pictures import pebbling_svg
from pebble.graph.drawing import MOST_VERTICES
from pebble.program.program_html import pseudo_code_html

if TYPE_CHECKING:
    from pebble.lab.pebblings import Pebbling

__all__ = ["pebbling_html"]


def pebbling_html(pebbling: Pebbling) -> str:
    """Return the program and the counts; the board is drawn up to as many vertices as any DAG is."""
    parts = [
        f"<p>{escape(_headline(pebbling))}</p>",
        pseudo_code_html(pebbling.program),
        _by_array(pebbling)._repr_html_(),
    ]
    if pebbling.family.n_vertices <= MOST_VERTICES:
        dag, title = pebbling.family.dag(), _headline(pebbling)
        parts.append(f"<p>{as_image(pebbling_svg(dag, title, [title], pebbling), title)}</p>")
    return "".join(parts)


def _headline(pebbling: Pebbling) -> str:
    tiles = f", {tiles_text(pebbling.tiles)}" if pebbling.tiles else ""
    dag = " ".join(
        [pebbling.family.name, *(f"{name}={value}" for name, value in pebbling.family.parameters.items())]
    )
    return (
        f"{dag}{tiles}: {pebbling.io:,} I/O, {pebbling.computes:,} computes; "
        f"peak {pebbling.peak:,} of {pebbling.M:,} words"
    )


def _by_array(pebbling: Pebbling) -> Table:
    rows = [["array", "reads", "writes"]]
    for array in pebbling.family.arrays:
        reads, writes = pebbling.reads.get(array.name, 0), pebbling.writes.get(array.name, 0)
        if reads or writes:
            rows.append([array.name, words(reads), words(writes)])
    totals = (sum(counts.values()) for counts in (pebbling.reads, pebbling.writes))
    return Table([*rows, ["all", *map(words, totals)]])
