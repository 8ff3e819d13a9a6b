"""Pages with the results of their cells, as they read well on a code host and in the built documentation.

``python docs/_extensions/render.py`` runs the lessons and the page about notebooks, and writes what is not as it should
be; given pages, it looks at those alone.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from lessons import HTML, PICTURE, TEXT, Ran, run

__all__ = ["PICTURES", "markdown", "pages", "stale"]

DOCS = Path(__file__).resolve().parents[1]
PICTURES = DOCS / "pictures"


def pages() -> list[Path]:
    """Return the pages whose blocks of Python are cells."""
    return [*sorted(DOCS.glob("tutorials/lesson_*.md")), DOCS / "notebooks.md"]


def markdown(path: Path, results: list[Ran], pictures: dict[Path, str]) -> str:
    """Return a page or script that has been run as Markdown; its pictures are added to those given."""
    parts = list[str]()
    for ran in results:
        parts += [ran.cell.prose, _fenced("python", ran.cell.code), _fenced("text", ran.printed.rstrip())]
        if PICTURE in ran.shown:
            place = PICTURES / f"{path.stem}-{len(pictures) + 1}.svg"
            pictures[place] = ran.shown[PICTURE] + "\n"
            link = Path(os.path.relpath(place, path.parent)).as_posix()
            parts.append(f"![{_description(ran.shown[PICTURE])}]({link})")
        parts += [ran.shown.get(HTML, ""), _fenced("text", ran.shown.get(TEXT, ""))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _fenced(language: str, text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}" if text else ""


def _description(svg: str) -> str:
    """Return the title of a picture as the text in its place."""
    found = re.search("<title>(.*?)</title>", svg, re.DOTALL)
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", found[1]) if found else ""


def stale(page: Path) -> dict[Path, str | None]:
    """Run a page; return what should be otherwise, with the text it should have.

    That is None for a picture that should not be there.
    """
    pictures = dict[Path, str]()
    wanted = {page: markdown(page, run(page), pictures), **pictures}
    there = set(PICTURES.glob(f"{page.stem}-*.svg")) - set(pictures)
    found: dict[Path, str | None] = dict.fromkeys(sorted(there))
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            found[path] = text
    return found


def main() -> None:
    """Bring all pages up to date, or those that are named."""
    for page in [Path(argument).resolve() for argument in sys.argv[1:]] or pages():
        for path, text in stale(page).items():
            print(path.relative_to(DOCS.parent), "" if text is not None else "(removed)")
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
