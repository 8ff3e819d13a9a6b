"""A lesson as a page in Markdown that reads as well on a code host as in the built documentation.

A page names a script between two comments, ``<!-- run PATH -->`` and ``<!-- end of PATH -->``; what stands between them
is written by ``python docs/_extensions/render.py``: the prose, the code, and what each cell prints and shows.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from lessons import HTML, PICTURE, TEXT, Ran, lead, run

__all__ = ["PICTURES", "expand", "markdown", "scripts"]

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
_PLACE = re.compile(r"^<!-- run (\S+) -->\n.*?^<!-- end of \1 -->$", re.MULTILINE | re.DOTALL)


def scripts(text: str, folder: Path) -> list[Path]:
    """Return the scripts that a page in a folder names."""
    return [(folder / found[1]).resolve() for found in _PLACE.finditer(text)]


def expand(text: str, folder: Path, results: dict[Path, list[Ran]]) -> tuple[str, dict[Path, str]]:
    """Return a page as it should be, and its pictures by their places.

    Parameters
    ----------
    text : str
    folder : Path
        Where the page is.
    results : dict of Path to list of Ran
        What the scripts gave; those that are missing are run.
    """
    pictures: dict[Path, str] = {}

    def written(place: re.Match[str]) -> str:
        path = (folder / place[1]).resolve()
        if path not in results:
            results[path] = run(path)
        body = markdown(path, results[path], folder, pictures)
        return f"<!-- run {place[1]} -->\n{body}\n<!-- end of {place[1]} -->"

    return _PLACE.sub(written, text), pictures


def markdown(path: Path, results: list[Ran], folder: Path, pictures: dict[Path, str]) -> str:
    """Return a script that has been run as Markdown; its pictures are added to those given."""
    parts = [lead(path.read_text(encoding="utf-8"))]
    for ran in results:
        parts += [ran.cell.prose, _fenced("python", ran.cell.code), _fenced("text", ran.printed.rstrip())]
        if PICTURE in ran.shown:
            before = sum(one.stem.startswith(f"{path.stem}-") for one in pictures)
            place = PICTURES / f"{path.stem}-{before + 1}.svg"
            pictures[place] = ran.shown[PICTURE] + "\n"
            parts.append(f"![{_description(ran.shown[PICTURE])}]({_from(folder, place)})")
        parts += [ran.shown.get(HTML, ""), _fenced("text", ran.shown.get(TEXT, ""))]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def _fenced(language: str, text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}" if text else ""


def _from(folder: Path, place: Path) -> str:
    return Path(os.path.relpath(place, folder)).as_posix()


def _description(svg: str) -> str:
    """Return the title of a picture as the text in its place."""
    found = re.search("<title>(.*?)</title>", svg, re.DOTALL)
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", found[1]) if found else ""
