r"""Edges as CSV: a row for each edge, the predecessor and the vertex computed from it.

The first row may name the columns; then the edges are in ``source`` and ``target`` (or ``from`` and ``to``, ``u`` and
``v``, ...) and other columns are passed over. Without names there are two columns. They are separated by commas,
semicolons or tabs, as the first row shows. Read only.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain

from pebble.common.text_lines import shown
from pebble.graph.formats.parsed_graph import ParsedGraph

_COLUMNS = (
    ("source", "target"),
    ("from", "to"),
    ("predecessor", "vertex"),
    ("predecessor", "successor"),
    ("tail", "head"),
    ("src", "dst"),
    ("u", "v"),
    ("parent", "child"),
    ("input", "output"),
)


def read(text: str, parsed: ParsedGraph) -> None:
    """Read edges."""
    rows = _rows(text, parsed)
    at, first = next(rows, (1, []))
    names = _columns(first)
    if names is None and len(first) != 2:
        raise parsed.fail(
            at,
            "expected an edge, two names 'a,b', or a first row that names source and target; "
            f"found {shown(','.join(first))}",
        )
    for number, row in rows if names else chain([(at, first)], rows):
        if len(row) != len(first):
            raise parsed.fail(number, f"expected {len(first)} columns as in the first row, found {len(row)}")
        tail, head = (parsed.vertex(row[column], number) for column in names or (0, 1))
        parsed.add(tail, head, number)
    if names is None:
        _refuse_unknown_header(parsed)


def _rows(text: str, parsed: ParsedGraph) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, with the number of their last line; cells without white space around."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise parsed.fail(reader.line_num, f"this is not CSV: {error}") from None


def _columns(row: list[str]) -> tuple[int, int] | None:
    """Return the columns of tail and head, if the row names them."""
    lower = [cell.lower() for cell in row]
    for tail, head in _COLUMNS:
        if tail in lower and head in lower:
            return lower.index(tail), lower.index(head)
    return None


def _refuse_unknown_header(parsed: ParsedGraph) -> None:
    """Refuse a first edge that touches no other one: it may be names of columns that are not known."""
    ends = parsed.tails + parsed.heads
    if len(ends) == 2 or parsed.heads[0] != 1 or ends.count(0) + ends.count(1) > 2:
        return
    first, second = list(parsed.numbers)[:2]
    raise parsed.fail(
        parsed.places[0],
        f"{first!r} and {second!r} are in no other row: are they names of columns? Then call them source and target; "
        "if they are an edge, add a first row 'source,target'",
    )
