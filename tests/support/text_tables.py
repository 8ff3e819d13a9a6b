"""Tables of cases in text files: a line is a case, its columns are apart by `` | ``."""

from __future__ import annotations

import ast
import re
from pathlib import Path

__all__ = ["lines_of", "rows_of"]

_ESCAPE = re.compile(r"\\(?:n|r|t|f|v|\\|x[0-9a-f]{2}|u[0-9a-f]{4})")


def lines_of(path: Path, comment: str = "#") -> list[str]:
    """Return the lines of a table that are neither empty nor comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith(comment)]


def rows_of(path: Path, part: str | None = None) -> list[list[str]]:
    r"""Return the columns of each line but those that begin with ``##``; ``\n``, ``\u00a0`` and the like are read.

    Parameters
    ----------
    path : Path
    part : str, optional
        A heading ``[part]`` in the file, of which the lines are asked for.
    """
    found, heading = [], None
    for line in lines_of(path, "##"):
        if re.fullmatch(r"\[\w+\]", line):
            heading = line[1:-1]
        elif heading == part:
            columns = re.split(r" \| ?", line)
            found.append([_ESCAPE.sub(lambda one: ast.literal_eval(f"'{one[0]}'"), text) for text in columns])
    return found
