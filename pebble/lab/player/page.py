"""The page as one HTML file: its scripts, its style and the document it shows."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, ClassVar

from pebble.common.files import atomic_writer
from pebble.common.whole_numbers import singular

SCRIPTS = (
    *("rules.js", "links.js", "tape.js", "labels.js", "elements.js", "stepper.js", "board.js", "panels.js"),
    *("watch.js", "practice.js", "address.js", "main.js"),
)
"""The parts of the page's script, in this order."""

_STYLES = ("player.css", "board.css", "small.css")


@dataclass(frozen=True)
class Page:
    """A page to watch a pebbling on and to play.

    Attributes
    ----------
    document : dict
        Everything the page shows, as plain data: ``watch`` is the pebbling that is stepped through, ``further``
        are others to choose, ``boards`` are the DAGs to play on.
    """

    template: ClassVar[str] = "page.html"
    unit: ClassVar[str] = "Move"
    scripts: ClassVar[tuple[str, ...]] = SCRIPTS
    styles: ClassVar[tuple[str, ...]] = _STYLES

    title: str
    document: dict[str, Any] = field(repr=False)

    @property
    def html(self) -> str:
        """The page as text; it refers to nothing outside itself, and its content policy lets it load nothing."""
        script = "\n".join(_read(name) for name in self.scripts)
        style = "\n".join(_read(name) for name in self.styles)
        parts = {
            "policy": f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
            "base-uri 'none'; form-action 'none'",
            "title": html.escape(self.title),
            "heading": html.escape(self.title.replace(" = ", "\u00a0=\u00a0")),
            "style": style,
            "document": embedded({"version": 1, "title": self.title, **self.document}),
            "script": script,
            "unit": self.unit,
        }
        return _filled(_read(self.template), parts)

    def _repr_html_(self) -> str:
        """Return the page in a frame; what it may do there is to run its own script and offer files."""
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: 700px; border: 0" srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def summary(self) -> str:
        """Return what there is to watch and to play on, in one line."""
        totals, boards = self.document["watch"]["totals"], len(self.document["boards"])
        return singular(
            f"{self.title}; {totals['moves']:,} moves, {totals['reads'] + totals['writes']:,} I/O; "
            f"{boards} DAGs to play on"
        )

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the page, whole or not at all, and return its length in bytes."""
        data = self.html.encode()
        with atomic_writer(path, "wb") as stream:
            stream.write(data)
        return len(data)


def embedded(document: Any) -> str:
    r"""Return JSON that is safe inside a script element, whatever texts it holds.

    >>> embedded(["</script><!--"])
    '["\\u003c/script\\u003e\\u003c!--"]'
    """
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _filled(text: str, parts: dict[str, str]) -> str:
    """Put parts, or files that are templates themselves, in the place of their names between ``@@``."""
    pieces = text.split("@@")
    for place in range(1, len(pieces), 2):
        name = pieces[place]
        pieces[place] = parts[name] if name in parts else _filled(_read(name), parts)
    return "".join(pieces)


def _read(name: str) -> str:
    """Return the text of a file of this folder, or of one beside it: ``explorer/page.html``."""
    folder, _, file = name.rpartition("/")
    return resources.files(f"pebble.lab.{folder or 'player'}").joinpath(file).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return what a content security policy calls an inline text that is allowed."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
