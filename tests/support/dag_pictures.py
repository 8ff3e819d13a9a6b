"""What a picture of a DAG shows, read back from its SVG."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Seen:
    """A vertex in a picture."""

    classes: set[str]
    place: tuple[float, float]
    marks: set[str]
    notes: list[str] = field(default_factory=list)


@dataclass
class Picture:
    """A picture that has been read; vertices by name."""

    title: str
    vertices: dict[str, Seen]
    edges: int
    lines: list[str]


def read_picture(svg: str) -> Picture:
    """Parse a picture; it must be well-formed."""
    root = ElementTree.fromstring(svg)
    vertices = {}
    for group in root.iter(f"{_SVG}g"):
        if "vertex" in group.get("class", "").split():
            name = group.findtext(f"{_SVG}title")
            assert name is not None
            assert name not in vertices
            x, y = group.attrib["transform"].removeprefix("translate(").removesuffix(")").split()
            notes = [one.text or "" for one in group if one.get("class") == "note"]
            marks = {one.get("class", "") for one in group}
            vertices[name] = Seen(set(group.attrib["class"].split()), (float(x), float(y)), marks, notes)
    edges = sum(one.get("class") == "edge" for one in root.iter())
    lines = [one.text or "" for one in root if one.get("class") == "caption"]
    return Picture(root.findtext(f"{_SVG}title") or "", vertices, edges, lines)
