"""Lessons as scripts and Jupyter notebooks: ``python docs/_extensions/notebooks.py`` writes them into ``examples/``."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from lessons import EXAMPLES, Cell, cells
from render import pages

__all__ = ["moved_links", "notebook", "script"]

_LINK = re.compile(r"(\[[^\]]*\]\()([^)#\s]+)")


def script(page: Path) -> str:
    """Return a lesson as a script in cells, its prose in comments."""
    parts = list[str]()
    for cell in _cells(page):
        prose = "\n".join(f"# {line}".rstrip() for line in cell.prose.splitlines())
        parts += [f"# %%\n{prose}", *([cell.code] if cell.code else [])]
    return "\n\n".join(parts) + "\n"


def notebook(page: Path) -> str:
    """Return a lesson as a notebook in the format 4.5, not yet run."""
    found = list[dict[str, Any]]()
    for cell in _cells(page):
        kinds: dict[str, dict[str, Any]] = {
            "markdown": {"source": cell.prose},
            "code": {"source": cell.code, "execution_count": None, "outputs": []},
        }
        found += [
            {"cell_type": kind, "metadata": {}, **rest} for kind, rest in kinds.items() if rest["source"]
        ]
    for number, one in enumerate(found):
        one["id"] = f"cell-{number}"
        one["source"] = one["source"].splitlines(keepends=True)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": found,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cells(page: Path) -> list[Cell]:
    found = cells(page.read_text(encoding="utf-8"))
    moved = [replace(cell, prose=moved_links(cell.prose, page.parent)) for cell in found]
    return [cell for cell in moved if cell.prose or cell.code]


def moved_links(text: str, folder: Path) -> str:
    """Let the links of a page in a folder lead from ``examples/``.

    >>> moved_links("[1](lesson_01.md), [here](../../examples/which_regime.py)", EXAMPLES.parent / "docs" / "tutorials")
    '[1](../docs/tutorials/lesson_01.md), [here](which_regime.py)'
    """

    def moved(link: re.Match[str]) -> str:
        target = link[2] if "://" in link[2] else Path(os.path.relpath(folder / link[2], EXAMPLES)).as_posix()
        return f"{link[1]}{target}"

    return _LINK.sub(moved, text)


def main() -> None:
    """Write all lessons, or the pages that are named."""
    for page in [Path(argument) for argument in sys.argv[1:]] or pages():
        for suffix, made in ((".py", script(page)), (".ipynb", notebook(page))):
            path = EXAMPLES / (page.stem + suffix)
            path.write_text(made, encoding="utf-8", newline="\n")
            print(path.relative_to(EXAMPLES.parent))


if __name__ == "__main__":
    main()
