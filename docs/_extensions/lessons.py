"""A lesson is a script in cells; its page is the prose, the code, and what each cell prints when it is run.

A script without cells is one cell.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

__all__ = ["Cell", "cells", "expand", "page"]

_PLACE = re.compile(r"^```\{lesson\} (\S+)\n```$", re.MULTILINE)
_MARK = "# %%"


@dataclass(frozen=True)
class Cell:
    """Prose in Markdown, then code.

    Attributes
    ----------
    line : int
        Line of the script on which the code begins, from 1.
    """

    prose: str
    code: str
    line: int


def cells(script: str) -> list[Cell]:
    """Cut a script at its lines ``# %%``; the comment that follows such a line is the cell's prose."""
    lines, found = script.splitlines(), list[Cell]()
    starts = [number for number, line in enumerate(lines) if line == _MARK]
    for start, end in pairwise([*starts, len(lines)]):
        code = start + 1
        while code < end and lines[code].startswith("#"):
            code += 1
        prose = "\n".join(line[2:] for line in lines[start + 1 : code])
        while code < end and not lines[code].strip():
            code += 1
        found.append(Cell(prose, "\n".join(lines[code:end]).rstrip(), code + 1))
    return found


def page(path: Path) -> str:
    """Run a lesson from top to bottom and return its page in Markdown.

    Raises
    ------
    Exception
        Whatever the lesson raises; its assertions hold, or there is no page.
    """
    script = path.read_text(encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    parts = [ast.get_docstring(ast.parse(script)) or ""]
    for cell in cells(script) or [_all_of(script)]:
        printed = _run(cell, path, space)
        parts.append(cell.prose)
        if cell.code:
            parts.append(_fence("python", cell.code))
        if printed:
            parts.append(_fence("text", printed, "output"))
    return "\n\n".join(part for part in parts if part) + "\n"


def expand(text: str, folder: Path) -> str:
    """Put the page of a lesson where a text has a block ``{lesson} PATH``, the path relative to a folder."""
    return _PLACE.sub(lambda place: page((folder / place[1]).resolve()), text)


def _all_of(script: str) -> Cell:
    """Return a script without cells as one, the text at its beginning left out."""
    end = ast.parse(script).body[0].end_lineno or 0
    code = "\n".join(script.splitlines()[end:])
    return Cell("", code.strip(), end + 1 + len(code) - len(code.lstrip("\n")))


def _run(cell: Cell, path: Path, space: dict[str, Any]) -> str:
    """Run the code of one cell and return what it prints."""
    padded = "\n" * (cell.line - 1) + cell.code
    arguments, sys.argv = sys.argv, [str(path)]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(padded, str(path), "exec", dont_inherit=True), space)
    finally:
        sys.argv = arguments
    return printed.getvalue().rstrip()


def _fence(language: str, text: str, style: str = "") -> str:
    fence = "`" * 4
    option = f":class: {style}\n\n" if style else ""
    return f"{fence}{{code-block}} {language}\n{option}{text}\n{fence}"
