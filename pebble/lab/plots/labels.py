"""Names at the right ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.spacing import spread
from pebble.lab.plots.canvas import note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LineEnd", "label_ends"]


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, in data coordinates, and what to write beside it."""

    x: float
    y: float
    text: str
    colour: str
    bold: bool = False


def label_ends(ax: Axes, ends: list[LineEnd], size: float = 8.0) -> None:
    """Write the names to the right of the axes, each joined to the end of its line.

    A line that ends earlier has its name at its end. Set the limits and scales of the axes first; the layout makes
    room for the names.
    """
    right = ax.get_xlim()[1]
    for end in ends:
        if end.x < 0.999 * right:
            _label_inside(ax, end, size)
    there = [end for end in ends if end.x >= 0.999 * right]
    if not there:
        return
    height = ax.get_window_extent().height * 72 / ax.figure.get_dpi()
    points = ax.transData.transform([(end.x, end.y) for end in there])
    heights = [float(y) for _, y in ax.transAxes.inverted().transform(points)]
    order = sorted(range(len(there)), key=lambda number: heights[number])
    apart = spread([heights[number] for number in order], 1.45 * size / max(height * 0.85, 1))
    places = dict(zip(order, apart, strict=True))
    for number, end in enumerate(there):
        ax.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(1.045, places[number]),
            textcoords="axes fraction",
            fontsize=size,
            color=end.colour,
            fontweight="bold" if end.bold else "normal",
            verticalalignment="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": end.colour,
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 3,
                "relpos": (0, 0.5),
            },
        )


def _label_inside(ax: Axes, end: LineEnd, size: float) -> None:
    from matplotlib.patheffects import withStroke

    white = [withStroke(linewidth=2.5, foreground="white")]
    note(ax, end.text, (end.x, end.y), (5, -9), fontsize=size, color=end.colour, path_effects=white)
