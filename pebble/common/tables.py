"""Plain-text and HTML tables, and numbers for people."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["csv_text", "html_table", "table", "tiles_text", "words"]


def words(value: int | float | None) -> str:
    """Return a number of words with separators, an empty text for None.

    >>> words(98304), words(1234567.8)
    ('98,304', '1,234,568')
    """
    return "" if value is None else f"{value:,.0f}" if isinstance(value, float) else f"{value:,}"


def tiles_text(tiles: Mapping[str, int]) -> str:
    """Return tile sizes on one line.

    >>> tiles_text({"rows": 92, "cols": 4})
    'rows=92,cols=4'
    """
    return ",".join(f"{name}={size}" for name, size in tiles.items())


def table(cells: list[list[str]], left: int = 1, right: tuple[int, ...] | None = None) -> str:
    """Align columns, a rule under the header.

    The first ``left`` columns are aligned to the left and the others to the right, or only those in ``right``.
    A cell with nothing after it may run on into the columns to its right.

    >>> print(table([["name", "I/O"], ["a", "10"]]))
    name  I/O
    ─────────
    a      10
    """
    columns = range(len(cells[0]))
    to_right = set(columns) - set(range(left)) if right is None else set(right)
    ends = [max((i for i in columns if row[i]), default=0) for row in cells]
    last = len(cells[0]) - 1
    widths = [
        max(
            len(row[i]) for row, end in zip(cells, ends, strict=True) if i < end or i == end == last or i == 0
        )
        for i in columns
    ]
    lines = []
    for row in cells:
        aligned = (
            cell.rjust(width) if i in to_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(aligned).rstrip())
    return "\n".join([lines[0], "─" * len(lines[0]), *lines[1:]])


def html_table(cells: list[list[str]]) -> str:
    """Return the same table for a notebook."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in cells[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells[1:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def csv_text(rows: Iterable[Any]) -> str:
    """Return rows of a report as CSV with a header line."""
    import csv
    import io

    columns = ("name", "fits", "tiles", "reads", "writes", "io", "peak", "least_M", "ratio")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        data = row.to_dict()
        data["tiles"] = tiles_text(row.tiles or {})
        data["fits"] = str(row.fits).lower()
        writer.writerow(["" if data[name] is None else data[name] for name in columns])
    return out.getvalue()
