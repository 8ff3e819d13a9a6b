"""A lesson as a Jupyter notebook, with what its cells give; the same bytes every time."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from lessons import Ran, lead

__all__ = ["document", "moved_links", "notebook"]

_LINK = re.compile(r"(\[[^\]]*\]\()([^)#\s]+)")


def notebook(title: str, path: Path, results: list[Ran]) -> str:
    """Return the notebook that lies beside a script.

    Parameters
    ----------
    title : str
        The heading of the lesson's page.
    path : Path
        The script.
    results : list of Ran
        Its cells, run.
    """
    return json.dumps(document(title, path, results), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def document(title: str, path: Path, results: list[Ran]) -> dict[str, Any]:
    """Return a notebook as plain data, in the format 4.5."""
    found = [_prose(f"# {title}\n\n{lead(path.read_text(encoding='utf-8'))}")]
    for ran in results:
        if ran.cell.prose:
            found.append(_prose(moved_links(ran.cell.prose)))
        if ran.cell.code:
            number = 1 + sum(cell["cell_type"] == "code" for cell in found)
            found.append(_code(ran, number))
    for number, cell in enumerate(found):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": found,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def moved_links(prose: str) -> str:
    """Let the links of a lesson, which lead from ``docs/tutorials/``, lead from ``examples/``; lessons to notebooks.

    >>> moved_links("[1](lesson_01_first_game.md), [bounds](../bounds.md), [here](../../examples/tour.py)")
    '[1](lesson_01_first_game.ipynb), [bounds](../docs/bounds.md), [here](tour.py)'
    """
    return _LINK.sub(lambda link: link[1] + _moved(link[2]), prose)


def _moved(target: str) -> str:
    if "://" in target:
        return target
    lesson = re.fullmatch(r"(lesson_\w+)\.md", target)
    if lesson:
        return f"{lesson[1]}.ipynb"
    return posixpath.relpath(posixpath.join("docs/tutorials", target), "examples")


def _prose(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(ran: Ran, number: int) -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if ran.printed:
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(ran.printed)})
    if ran.shown:
        data = {kind: _lines(text) for kind, text in ran.shown.items()}
        outputs.append(
            {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return {
        "cell_type": "code",
        "execution_count": number,
        "metadata": {},
        "outputs": outputs,
        "source": _lines(ran.cell.code),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
