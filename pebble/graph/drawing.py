"""A small DAG as a picture: vertices in layers, inputs below, their pebbles, and words beside them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from types import MappingProxyType

from pebble.common.spacing import spread
from pebble.common.svg import card, element, frame, xml_text
from pebble.graph.any_dag import AnyDag

_SWEEPS = 8


@dataclass(frozen=True)
class Layout:
    """Places of the vertices.

    Attributes
    ----------
    layer : tuple of int
        For each vertex; 0 is the lowest. Every edge leads upwards.
    x : tuple of float
        For each vertex, from 0; neighbours in a layer are at least 1 apart.
    """

    layer: tuple[int, ...]
    x: tuple[float, ...]

    @property
    def width(self) -> float:
        """Distance of the leftmost and the rightmost vertex."""
        return max(self.x)


def layered_layout(dag: AnyDag, *, inputs_lowest: bool = False) -> Layout:
    """Place the vertices of a DAG in layers.

    The layer of a computed vertex is the length of the longest path to it; an input lies just below the first vertex
    that uses it. Inside a layer, the order and the coordinates follow the means of the neighbours.

    Parameters
    ----------
    dag : AnyDag
        Small enough to be drawn: the cost is some milliseconds for a thousand vertices.
    inputs_lowest : bool
        Whether all inputs lie in layer 0 instead.

    Examples
    --------
    >>> from pebble.computations.classic_dags import pyramid
    >>> layered_layout(pyramid(2))
    Layout(layer=(0, 0, 0, 1, 1, 2), x=(0.0, 1.0, 2.0, 0.5, 1.5, 1.0))
    """
    below = [dag.predecessors_of(v).tolist() for v in range(dag.n_vertices)]
    above: list[list[int]] = [[] for _ in below]
    for v, row in enumerate(below):
        for p in row:
            above[p].append(v)
    layer = _layers(below, above, inputs_lowest)
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for v, at in enumerate(layer):
        rows[at].append(v)
    x = [0.0] * len(below)
    for row in rows:
        for place, v in enumerate(row):
            x[v] = place - (len(row) - 1) / 2
    for sweep in range(_SWEEPS):
        up = sweep % 2 == 0
        for row in rows if up else reversed(rows):
            _arrange(row, x, below if up else above, above if up else below)
    _settle(rows, x, below, above)
    least = min(x)
    return Layout(tuple(layer), tuple(round(place - least, 2) for place in x))


def _layers(below: list[list[int]], above: list[list[int]], inputs_lowest: bool) -> list[int]:
    layer = [0] * len(below)
    for v in TopologicalSorter(dict(enumerate(below))).static_order():
        layer[v] = 1 + max((layer[p] for p in below[v]), default=-1)
    for v, row in enumerate(below):
        if not row and above[v] and not inputs_lowest:
            layer[v] = min(layer[w] for w in above[v]) - 1
    return layer


def _arrange(row: list[int], x: list[float], first: list[list[int]], second: list[list[int]]) -> None:
    """Order a layer by the means of the neighbours on one side; where there are none, on the other side."""
    wanted = {v: _mean(first[v] or second[v], x, x[v]) for v in row}
    row.sort(key=lambda v: (wanted[v], x[v], v))
    for v, place in zip(row, spread([wanted[v] for v in row]), strict=True):
        x[v] = place


def _settle(rows: list[list[int]], x: list[float], below: list[list[int]], above: list[list[int]]) -> None:
    """Move the vertices between their neighbours on both sides; the order stays."""
    for _ in range(_SWEEPS):
        for row in rows:
            wanted = [_mean(below[v] + above[v], x, x[v]) for v in row]
            for v, place in zip(row, spread(wanted), strict=True):
                x[v] = place


def _mean(vertices: list[int], x: list[float], otherwise: float) -> float:
    return sum(x[v] for v in vertices) / len(vertices) if vertices else otherwise


MOST_VERTICES = 64
"""A larger DAG is described, not drawn."""

_ACROSS, _UP, _MARGIN = 62, 66, 38
_NOTE, _LETTER, _SMALL = 11, 6.1, 5.2
_CODE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_STYLE = {
    ".edge": "fill: none; stroke: @edge; stroke-width: 1.2",
    ".halo": "fill: @glow; opacity: 0.6",
    ".body": "fill: @panel; stroke: @quiet; stroke-width: 1.5",
    ".rim": "fill: none; stroke: @quiet; stroke-width: 1.5",
    ".blue .body": "fill: @blue-tint; stroke: @blue; stroke-width: 2.5",
    ".red .body": "fill: @red; stroke: @red; stroke-width: 2",
    ".red.blue .body": "stroke: @blue; stroke-width: 3",
    ".name": f"font: 700 13px {_CODE}; text-anchor: middle; fill: @ink",
    ".index": f"font: 9px {_CODE}; text-anchor: middle; fill: @ink",
    ".red .name": "fill: @on-red",
    ".red .index": "fill: @on-red",
    ".small": "font-size: 8.5px",
    ".note": f"font: 10px {_CODE}; text-anchor: middle; fill: @ink",
    ".behind": "fill: @panel",
    ".red-pebble": "fill: @red; stroke: @panel; stroke-width: 2",
    ".blue-pebble": "fill: @blue; stroke: @panel; stroke-width: 2",
}


def is_drawn(dag: AnyDag) -> bool:
    """Tell whether a DAG is small enough to be drawn."""
    return dag.n_vertices <= MOST_VERTICES


def dag_svg(dag: AnyDag, about: str) -> str:
    """Return the picture of a DAG without pebbles, or what is said about one that is too large."""
    lines = [repr(dag)]
    if not is_drawn(dag):
        return card(repr(dag), [*lines, about, not_drawn(dag)])
    return drawing_svg(dag, repr(dag), lines)


def not_drawn(dag: AnyDag) -> str:
    """Return the sentence that stands in place of a drawing."""
    return f"not drawn: {dag.n_vertices:,} vertices, and a drawing has at most {MOST_VERTICES}"


def drawing_svg(
    dag: AnyDag,
    title: str,
    lines: Iterable[str],
    red: Container[int] = (),
    blue: Container[int] = (),
    notes: Mapping[int, Sequence[str]] = MappingProxyType({}),
    lit: Container[int] = (),
) -> str:
    """Draw a DAG with pebbles.

    Parameters
    ----------
    dag : AnyDag
        Of at most :data:`MOST_VERTICES` vertices; the time of the layout grows with the edges.
    title : str
        What the picture shows, in one line.
    lines : iterable of str
        Text below the drawing.
    red, blue : container of int
        Which vertices carry a pebble.
    notes : mapping of int to sequence of str
        Words below a vertex, at most three lines of eight letters.
    lit : container of int
        Which vertices stand out.
    """
    layout = layered_layout(dag)
    top, up = max(layout.layer), _UP + _NOTE * max(map(len, notes.values()), default=0)
    places = [
        (_MARGIN + x * _ACROSS, _MARGIN + (top - layer) * up)
        for x, layer in zip(layout.x, layout.layer, strict=True)
    ]
    edges = "".join(
        _edge(places[p], places[v], layout.layer[v] - layout.layer[p] == 1)
        for v in range(dag.n_vertices)
        for p in dag.predecessors_of(v).tolist()
    )
    inputs, outputs = set(dag.inputs.tolist()), set(dag.outputs.tolist())
    vertices = "".join(
        _vertex(
            dag.name(v), place, _classes(v, red, blue), v in inputs, v in outputs, v in lit, notes.get(v, ())
        )
        for v, place in enumerate(places)
    )
    lowest = max((len(notes.get(v, ())) for v, layer in enumerate(layout.layer) if layer == 0), default=0)
    size = layout.width * _ACROSS + 2 * _MARGIN, top * up + 2 * _MARGIN + _NOTE * lowest
    return frame(title, edges + vertices, size, lines, _STYLE)


def _classes(v: int, red: Container[int], blue: Container[int]) -> str:
    return " ".join(["vertex"] + ["red"] * (v in red) + ["blue"] * (v in blue))


def _edge(start: tuple[float, float], end: tuple[float, float], near: bool) -> str:
    """Return an edge: straight to the next layer, bent where it passes one, around what lies in between."""
    (x0, y0), (x1, y1) = start, end
    bend = (y0 - y1) * 0.42
    curve = f"C{x0:.1f} {y0 - bend:.1f} {x1:.1f} {y1 + bend:.1f} {x1:.1f} {y1:.1f}"
    line = f"L{x1:.1f} {y1:.1f}" if near else curve
    return element("path", {"class": "edge", "d": f"M{x0:.1f} {y0:.1f}{line}"})


def _vertex(
    name: str,
    place: tuple[float, float],
    classes: str,
    is_input: bool,
    is_output: bool,
    is_lit: bool,
    notes: Sequence[str],
) -> str:
    letter, index = _split(name)
    half = max(17, (len(letter) * _SMALL + 6) / 2) if len(letter) > 3 else 17
    corner = half / 3 if is_input else 17
    parts = [element("title", {}, xml_text(name))]
    parts += [_outline("halo", half + 8, 25, corner + 8)] * is_lit
    parts += [_outline("rim", half + 4, 21, corner + 4)] * is_output
    parts += [_outline("body", half, 17, corner), *_name(letter, index)]
    if "red" in classes.split():
        parts.append(element("circle", {"class": "red-pebble", "cx": 3 - half, "cy": -14, "r": 7}))
    if "blue" in classes.split():
        parts.append(element("path", {"class": "blue-pebble", "d": f"M{half - 3:.1f} -23l9 9l-9 9l-9 -9z"}))
    parts += [part for number, note in enumerate(notes) for part in _note(note, number)]
    moved = {"class": classes, "transform": f"translate({place[0]:.1f} {place[1]:.1f})"}
    return element("g", moved, "".join(parts))


def _outline(style: str, wide: float, high: float, corner: float) -> str:
    """Return a body or what is around it: round for what is computed, with corners for an input."""
    place: dict[str, str | float] = {"x": -wide, "y": -high, "width": 2 * wide, "height": 2 * high}
    return element("rect", {"class": style, "rx": corner, **place})


def _split(name: str) -> tuple[str, str]:
    """Cut a name for a narrow place: what stands before the bracket, and the indices."""
    match = re.fullmatch(r"([^\[\]]+)\[([^\[\]]+)\]", name)
    letter, index = match.groups() if match else (name, "")
    return _short(letter, 10), _short(index, 7)


def _name(letter: str, index: str) -> list[str]:
    """Return the indices under what stands before the bracket."""
    style = "name small" if len(letter) > 3 else "name"
    shown = [element("text", {"class": style, "y": -1.5 if index else 4}, xml_text(letter))]
    if index:
        style = "index small" if len(index) > 5 else "index"
        shown.append(element("text", {"class": style, "y": 9.5}, xml_text(index)))
    return shown


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _note(note: str, number: int) -> list[str]:
    """Return a word below a vertex, on a ground of its own, for edges pass there."""
    middle, wide = 33 + _NOTE * number, _LETTER * len(note) + 4
    ground: dict[str, str | float] = {
        "class": "behind",
        "x": -wide / 2,
        "y": middle - 5.5,
        "width": wide,
        "height": _NOTE,
    }
    word = element("text", {"class": "note", "y": middle + 3.5}, xml_text(note))
    return [element("rect", ground), word]
