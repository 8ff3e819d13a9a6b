"""No page needs the network: nothing that a browser fetches by itself may lie on another machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

__all__ = ["fetched_from_elsewhere"]

_ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]*)", re.IGNORECASE)
_LOADED = frozenset({"src", "srcset", "data", "poster"})


class _Finder(HTMLParser):
    """Collect what a page makes a browser fetch; links that a reader may follow are not fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        for name, value in attrs:
            loaded = name in _LOADED or (tag in ("link", "image", "use") and name in ("href", "xlink:href"))
            if loaded and value and _ELSEWHERE.match(value):
                self.found.append(f"<{tag} {name}={value}>")
            if name == "style" and value:
                self.found += _CSS.findall(value)


def fetched_from_elsewhere(folder: Path) -> Iterator[str]:
    """Yield what pages, styles and pictures under a folder would fetch from the network."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".html", ".svg", ".css"):
            continue
        text = path.read_text(encoding="utf-8")
        found = _CSS.findall(text) if path.suffix != ".html" else []
        if path.suffix != ".css":
            finder = _Finder()
            finder.feed(text)
            found += finder.found
        yield from (f"{path.relative_to(folder)}: {what}" for what in found)
