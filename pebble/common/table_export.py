"""Tables in other notations: Markdown, LaTeX, and data frames of pandas."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pebble.common.errors import PebbleError
from pebble.common.latex import latex_text
from pebble.common.plain import tiles_text


def markdown_table(cells: Sequence[Sequence[str]], right: Iterable[int]) -> str:
    r"""Return cells as a Markdown table, the first row its header.

    Examples
    --------
    >>> print(markdown_table([["a|b", "I/O"], ["*", "10"]], [1]))
    | a\|b | I/O |
    |:--|--:|
    | \* | 10 |
    """
    to_right = set(right)
    marks = "|".join("--:" if i in to_right else ":--" for i in range(len(cells[0])))
    head, *rows = ("| " + " | ".join(map(markdown_text, row)) + " |" for row in cells)
    return "\n".join([head, f"|{marks}|", *rows])


def latex_tabular(cells: Sequence[Sequence[str]], right: Iterable[int]) -> str:
    r"""Return cells as a ``tabular`` of LaTeX, which needs no package.

    >>> print(latex_tabular([["name", "I/O"], ["a_b & c", "10 %"]], [1]))
    \begin{tabular}{lr}
    \hline
    name & I/O \\
    \hline
    a\_b \& c & 10 \% \\
    \hline
    \end{tabular}
    """
    to_right = set(right)
    columns = "".join("r" if i in to_right else "l" for i in range(len(cells[0])))
    head, *rows = (" & ".join(map(_latex_cell, row)) + r" \\" for row in cells)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", head, r"\hline", *rows]
    return "\n".join([*lines, *([r"\hline"] if rows else []), r"\end{tabular}"])


def data_frame(records: Iterable[Mapping[str, Any]]) -> Any:
    """Return plain rows as a data frame of pandas, which must be installed: tile sizes as text, nothing nested."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise PebbleError(
            "to_frame() needs pandas, which is not installed: pip install pandas, or take the same rows from records()"
        ) from error
    return pandas.DataFrame([_flat(record) for record in records])


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose values fit into cells."""
    row = dict(record)
    if isinstance(tiles := row.get("tiles"), Mapping):
        row["tiles"] = tiles_text(tiles)
    return {name: value for name, value in row.items() if not isinstance(value, (Mapping, list, tuple))}


def markdown_text(text: str) -> str:
    """Escape a text for Markdown; line ends become spaces."""
    escaped = "".join(f"\\{sign}" if sign in "\\|*_`<>[]#~" else sign for sign in text)
    return " ".join(escaped.split())


def latex_comment(text: str) -> str:
    """Return a text as comments of LaTeX."""
    return "\n".join(f"% {line}".rstrip() for line in text.splitlines())


def _latex_cell(text: str) -> str:
    r"""Escape a cell; one that begins with ``[`` would be an argument of the ``\\`` before it."""
    found = latex_text(text)
    return f"{{}}{found}" if found.startswith(("[", "*")) else found
