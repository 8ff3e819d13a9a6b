"""A lesson is a page whose blocks of Python are cells; here it is cut into them and run, as Jupyter would run them.

What a cell prints is its output, and what its last line is, if that is an expression: the object shows itself as a
picture, a table or a text. All that stands behind the cell on its page. A script is one cell.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["EXAMPLES", "HTML", "PICTURE", "TEXT", "Cell", "Ran", "cells", "run"]

PICTURE, HTML, TEXT = "image/svg+xml", "text/html", "text/plain"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
"""Where scripts and cells are run, and where lessons become scripts and notebooks."""
_CODE = re.compile(r"^(`{3,})python\n(?!>>> )(.*?)\n\1\n", re.MULTILINE | re.DOTALL)
_RESULTS = re.compile(
    r"""(?:\n(?:
        (?P<fence>`{3,})text\n.*?\n(?P=fence)
        | !\[[^\n]*\]\(\S*pictures/\S+\)
        | <(?:p|pre|table)>.*?</(?:p|pre|table)>(?=\n(?:\n|\Z))
    )\n)*""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Cell:
    """Prose in Markdown, then code.

    Attributes
    ----------
    line : int
        Line of the page on which the code begins, from 1.
    """

    prose: str
    code: str
    line: int


def cells(page: str) -> list[Cell]:
    """Cut a page at its blocks of Python, without what they give; examples for doctest are prose."""
    found, end = list[Cell](), 0
    for block in _CODE.finditer(page):
        line = 1 + page.count("\n", 0, block.start(2))
        found.append(Cell(page[end : block.start()].strip("\n"), block[2], line))
        results = _RESULTS.match(page, block.end())
        end = block.end() if results is None else results.end()
    return [*found, Cell(page[end:].strip("\n"), "", 1)]


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


def run(path: Path) -> list[Ran]:
    """Run a page or a script from top to bottom, cell by cell.

    Raises
    ------
    Exception
        Whatever a cell raises; its assertions hold, or there are no results.
    """
    text = path.read_text(encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__"}
    with _at_home(path):
        return [
            _run(cell, path, space) for cell in ([_all_of(text)] if path.suffix == ".py" else cells(text))
        ]


@contextlib.contextmanager
def _at_home(path: Path) -> Iterator[None]:
    """Let code find itself where Jupyter would start it: among the examples, without arguments."""
    arguments, places = sys.argv, sys.path
    sys.argv, sys.path = [str(path)], [str(EXAMPLES), *sys.path]
    try:
        with contextlib.chdir(EXAMPLES):
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
    """Return a script as one cell, the text at its beginning as its prose."""
    tree = ast.parse(script)
    end = tree.body[0].end_lineno or 0
    code = "\n".join(script.splitlines()[end:])
    return Cell(ast.get_docstring(tree) or "", code.strip(), end + 1 + len(code) - len(code.lstrip("\n")))
