"""The Sphinx side: pages are run while they are read, and the finished site is looked through."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import indices
import lesson_pages
import offline
import picture
import render
import transcripts
from sphinx.errors import ExtensionError
from sphinx.util import logging

from pebble.lab.player import first_page

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup"]

_EMPTY_END = re.compile(r"\n+\n```$", re.MULTILINE)
"""The empty line that ends a block of Python examples for the sake of doctest."""

_LOG = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension."""
    app.connect("builder-inited", _draw)
    app.connect("source-read", _read)
    indices.connect(app)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _draw(app: Sphinx) -> None:
    """Draw the pictures before any page asks for them."""
    picture.write(Path(app.srcdir) / "pictures")


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    """Run what a page shows; a difference is a warning, and a warning is an error."""
    path = Path(str(app.env.doc2path(name)))
    text = source[0]
    with tempfile.TemporaryDirectory() as folder:
        faults = [
            *transcripts.console_faults(text, Path(folder)),
            *transcripts.python_faults(text, str(path)),
        ]
    for fault in [*faults, *_stale(path, text)]:
        _LOG.warning("%s", fault, location=name)
    source[0] = _EMPTY_END.sub("\n```", text)


def _stale(path: Path, text: str) -> list[str]:
    """Run the scripts that a page shows; say which of the page, its pictures and notebooks are not what comes."""
    if not lesson_pages.scripts(text, path.parent):
        return []
    try:
        found = render.stale(path)
    except Exception as error:
        raise ExtensionError(f"{path.name}: the script failed: {error!r}", error) from error
    return [f"{file.name} is not up to date: python docs/_extensions/render.py" for file in found]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    """Add the page that plays, and refuse a site that would ask another machine for anything."""
    if exception is None and app.builder.format == "html":
        first_page().write(Path(app.outdir) / "player.html")
        found = list(offline.fetched_from_elsewhere(Path(app.outdir)))
        if found:
            raise ExtensionError("pages fetch from the network:\n" + "\n".join(found))
