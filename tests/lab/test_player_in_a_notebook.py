"""The player's page in a cell of a notebook: whole, in a frame that can do nothing to the notebook."""

from __future__ import annotations

from html.parser import HTMLParser

import pebble
from pebble.lab.player import Page


class Frames(HTMLParser):
    """The elements of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def frame(page: Page) -> dict[str, str | None]:
    reader = Frames()
    reader.feed(page._repr_html_())
    ((tag, attributes),) = reader.found
    assert tag == "iframe"
    return attributes


def test_the_frame_holds_the_whole_page() -> None:
    page = pebble.play_dag("pyramid:1", M=3, classics=False)
    found = frame(page)
    assert found["srcdoc"] == page.html
    assert found["title"] == page.title
    assert set((found["sandbox"] or "").split()) == {"allow-scripts", "allow-downloads"}
    assert "width: 100%" in (found["style"] or "")
    assert "src" not in found


def test_a_title_that_would_break_out_does_not() -> None:
    page = Page('"><script>alert(1)</script>', {"watch": {}, "boards": []})
    found = frame(page)
    assert found["title"] == page.title
    assert found["srcdoc"] == page.html
