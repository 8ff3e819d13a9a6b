"""Pictures as SVG: elements, texts that are safe in XML, a frame that is legible on light and on dark pages."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from html import escape
from types import MappingProxyType

LIGHT = {
    "panel": "#ffffff",
    "ink": "#171b22",
    "quiet": "#525c6b",
    "line": "#cfd6e0",
    "edge": "#a3aebd",
    "red": "#c2281f",
    "on-red": "#ffffff",
    "blue": "#1657c7",
    "blue-tint": "#e4edfb",
    "spent": "#dfe3ea",
    "glow": "#f2b705",
}
DARK = {
    "panel": "#171c24",
    "ink": "#e9edf3",
    "quiet": "#a5b0c0",
    "line": "#353f4d",
    "edge": "#5b687a",
    "red": "#c9392f",
    "on-red": "#ffffff",
    "blue": "#6ea8ff",
    "blue-tint": "#172a47",
    "spent": "#2c3541",
    "glow": "#f4c430",
}
"""Colours by what they mean; close to those of the player's page."""

_LINE, _MARGIN, _LETTER = 20, 16, 6.9
_FRAME = {
    ".frame": "fill: @panel; stroke: @line",
    ".caption": "font: 13px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: @ink",
}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    r"""Return a text that may stand in XML, in an element or in quotes; a letter that XML forbids becomes ``\ufffd``.

    >>> xml_text('a<b & "c"')
    'a&lt;b &amp; &quot;c&quot;'
    """
    return escape(_NOT_XML.sub("\ufffd", text))


def element(tag: str, attributes: Mapping[str, str | float], inner: str = "") -> str:
    """Return an element; texts inside it are the caller's to escape, attributes are escaped here.

    >>> element("circle", {"r": 1.50, "class": "dot"})
    '<circle r="1.5" class="dot"/>'
    """
    written = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>"


def _attribute(value: str | float) -> str:
    return xml_text(value) if isinstance(value, str) else f"{round(value, 1):g}"


def style_sheet(rules: Mapping[str, str]) -> str:
    """Return a style sheet for light pages, and after it what differs on dark ones; ``@red`` is a colour by its name.

    Every rule is for pictures of this package only, for a notebook may put them into a page of its own.

    >>> style_sheet({".frame": "fill: @panel"})  # doctest: +ELLIPSIS
    '<style>.pebble-picture .frame { fill: #ffffff } @media (prefers-color-scheme: dark) { ... }</style>'
    """
    colours = {name: "; ".join(one for one in text.split("; ") if "@" in one) for name, text in rules.items()}
    dark = {name: text for name, text in colours.items() if text}
    return f"<style>{_coloured(rules, LIGHT)} @media (prefers-color-scheme: dark) {{ {_coloured(dark, DARK)} }}</style>"


def _coloured(rules: Mapping[str, str], colours: Mapping[str, str]) -> str:
    written = " ".join(f".pebble-picture {name} {{ {declarations} }}" for name, declarations in rules.items())
    return re.sub(r"@([\w-]+)", lambda name: colours[name[1]], written)


def frame(
    title: str,
    drawing: str,
    size: tuple[float, float],
    lines: Iterable[str] = (),
    rules: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a whole picture: a drawing on a panel, and lines of text below it.

    Parameters
    ----------
    title : str
        What the picture shows, for those who do not see it.
    drawing : str
        Elements, from the origin.
    size : tuple of float
        Width and height of the drawing, in pixels.
    rules : mapping of str to str
        Style of the drawing: declarations by selector, as for :func:`style_sheet`.
    """
    width, height = size
    texts = list(lines)
    across = max([width, *(len(text) * _LETTER + 2 * _MARGIN for text in texts)])
    down = height + (_LINE * len(texts) + _MARGIN if texts else 0)
    captions = "".join(
        element(
            "text",
            {"class": "caption", "x": _MARGIN, "y": height + _LINE * (number + 0.75)},
            xml_text(text),
        )
        for number, text in enumerate(texts)
    )
    panel = element(
        "rect", {"class": "frame", "x": 0.5, "y": 0.5, "width": across - 1, "height": down - 1, "rx": 8}
    )
    moved = element("g", {"transform": f"translate({_attribute((across - width) / 2)} 0)"}, drawing)
    return element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "pebble-picture",
            "viewBox": f"0 0 {_attribute(across)} {_attribute(down)}",
            "width": across,
            "height": down,
            "role": "img",
        },
        f"<title>{xml_text(title)}</title>" + style_sheet({**_FRAME, **rules}) + panel + moved + captions,
    )


def card(title: str, lines: Iterable[str]) -> str:
    """Return a picture that consists of lines of text: what is said of a thing too large to be drawn."""
    return frame(title, "", (0, _MARGIN), lines)


def as_image(svg: str, description: str) -> str:
    """Return a picture as an element of HTML whose style cannot touch the page around it."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{xml_text(description)}" src="data:image/svg+xml;base64,{data}"/>'
