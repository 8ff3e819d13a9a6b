"""The Sphinx side: pages are run while they are read, and the finished site is looked through."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import indices
import offline
import picture
import render
import slides
import transcripts
from lessons import run
from sphinx.errors import ExtensionError
from sphinx.util import logging

from pebble.computations.problem import Problem
from pebble.lab.explorer import explore
from pebble.lab.player import first_page
from pebble.lab.player.devices_page import play_devices
from pebble.lab.player.documents import race
from pebble.program.parallel import SharedProblem

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["setup"]

_EXAMPLE = re.compile(r"^\[\S+\]\((\.\./examples/\S+\.py)\)$", re.MULTILINE)
"""A line that is nothing but a link to an example."""

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
    """Run what a page shows. A difference or failure is a warning that names the page; the other pages are built."""
    path = Path(str(app.env.doc2path(name)))
    text = source[0]
    faults: list[str] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            faults += transcripts.console_faults(text, Path(folder))
        faults += transcripts.python_faults(text, str(path))
    except Exception as error:
        faults.append(f"the page cannot be run: {error!r}")

    def with_results(link: re.Match[str]) -> str:
        example = (path.parent / link[1]).resolve()
        try:
            return f"{link[0]}\n\n{render.markdown(example, run(example), {})}"
        except Exception as error:
            faults.append(f"{example.name} failed: {error!r}")
            return link[0]

    source[0] = _EXAMPLE.sub(with_results, text)
    for fault in [*faults, *_stale(path)]:
        _LOG.warning("%s", fault, location=name)


def _stale(path: Path) -> list[str]:
    """Run the cells of a page; list what has changed, or the cell's error."""
    try:
        found = render.stale(path) if path in render.pages() else {}
    except Exception as error:
        return [f"a cell failed: {error!r}"]
    return [f"{file.name} is not up to date: python docs/_extensions/render.py" for file in found]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    """Add what is played, explored and taught with, and refuse a site that would ask another machine for anything."""
    if exception is None and app.builder.format == "html":
        first_page().write(Path(app.outdir) / "player.html")
        race(["naive", "standard", "flash-2"], Problem.square(2, 1), 8).write(Path(app.outdir) / "race.html")
        play_devices(SharedProblem(8, 2, 4), "ring").write(Path(app.outdir) / "ring.html")
        explore().write(Path(app.outdir) / "explorer.html")
        slides.write(app)
        found = list(offline.fetched_from_elsewhere(Path(app.outdir)))
        if found:
            raise ExtensionError("pages fetch from the network:\n" + "\n".join(found))
