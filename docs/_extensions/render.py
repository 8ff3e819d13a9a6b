"""The lessons for readers: pages, their pictures, and notebooks, all made by running the scripts in ``examples/``.

``python docs/_extensions/render.py`` writes what is not as it should be; given pages, it looks at those alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import lesson_pages
import notebooks
from lessons import Ran

__all__ = ["files", "pages", "stale"]

DOCS = Path(__file__).resolve().parents[1]
_LESSON = "lesson_"


def pages() -> list[Path]:
    """Return the pages that show scripts."""
    found = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
    return [path for path in found if lesson_pages.scripts(path.read_text(encoding="utf-8"), path.parent)]


def files(page: Path) -> dict[Path, str]:
    """Run the scripts of a page; return the page, its pictures and the notebooks of its lessons as they should be."""
    text, results = page.read_text(encoding="utf-8"), dict[Path, list[Ran]]()
    expanded, pictures = lesson_pages.expand(text, page.parent, results)
    title = text.partition("\n")[0].removeprefix("# ")
    made = {
        path.with_suffix(".ipynb"): notebooks.notebook(title, path, ran)
        for path, ran in results.items()
        if path.stem.startswith(_LESSON)
    }
    return {page: expanded, **pictures, **made}


def stale(page: Path) -> dict[Path, str | None]:
    """Return what should be otherwise, with the text it should have; None for a picture that should not be there."""
    wanted = files(page)
    stems = [path.stem for path in lesson_pages.scripts(page.read_text(encoding="utf-8"), page.parent)]
    there = {path for stem in stems for path in lesson_pages.PICTURES.glob(f"{stem}-*.svg")}
    found: dict[Path, str | None] = dict.fromkeys(sorted(there - set(wanted)))
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
