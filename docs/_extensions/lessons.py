"""A lesson is a script in cells; here it is cut into them and run, as Jupyter would run its notebook.

What a cell prints is its output, and what its last line is, if that is an expression: the object shows itself as a
picture, a table or a text. A script without cells is one cell.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

__all__ = ["HTML", "PICTURE", "TEXT", "Cell", "Ran", "cells", "lead", "run"]

PICTURE, HTML, TEXT = "image/svg+xml", "text/html", "text/plain"
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


@dataclass(frozen=True)
class Ran:
    """A cell that has been run.

    Attributes
    ----------
    printed : str
        What it printed; empty, or ending with a new line.
    shown : dict of str to str
        How its last line shows itself, by media type; empty if that is no expression, or None.
    """

    cell: Cell
    printed: str
    shown: dict[str, str]


def lead(script: str) -> str:
    """Return the text at the beginning of a script."""
    return ast.get_docstring(ast.parse(script)) or ""


def run(path: Path) -> list[Ran]:
    """Run a script from top to bottom in its folder, cell by cell.

    Raises
    ------
    Exception
        Whatever the script raises; its assertions hold, or there are no results.
    """
    script = path.read_text(encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__"}
    with _at_home(path):
        return [_run(cell, path, space) for cell in cells(script) or [_all_of(script)]]


@contextlib.contextmanager
def _at_home(path: Path) -> Iterator[None]:
    """Let a script find itself where Jupyter would start it: in its folder, without arguments."""
    arguments, places = sys.argv, sys.path
    sys.argv, sys.path = [str(path)], [str(path.parent), *sys.path]
    try:
        with contextlib.chdir(path.parent):
            yield
    finally:
        sys.argv, sys.path = arguments, places


def _run(cell: Cell, path: Path, space: dict[str, Any]) -> Ran:
    tree = ast.parse("\n" * (cell.line - 1) + cell.code, str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, str(path), "exec", dont_inherit=True), space)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(path), "eval", dont_inherit=True), space)
    return Ran(cell, printed.getvalue(), {} if value is None else _shown(value))


def _shown(value: object) -> dict[str, str]:
    """Return the best form that an object has: a picture, or HTML, or its text.

    Only the best: the text of a result may hold the seconds that it took, which are others each time.
    """
    for kind, method in ((PICTURE, "_repr_svg_"), (HTML, "_repr_html_")):
        if hasattr(value, method):
            return {kind: getattr(value, method)()}
    return {TEXT: repr(value)}


def _all_of(script: str) -> Cell:
    """Return a script without cells as one, the text at its beginning left out."""
    end = ast.parse(script).body[0].end_lineno or 0
    code = "\n".join(script.splitlines()[end:])
    return Cell("", code.strip(), end + 1 + len(code) - len(code.lstrip("\n")))
