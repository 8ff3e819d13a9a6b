"""Names at the right end of lines, moved apart where they would lie on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LineEnd", "label_ends", "spread"]


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, in data coordinates, and what to write beside it."""

    x: float
    y: float
    text: str
    colour: str
    bold: bool = False


def spread(places: list[float], gap: float) -> list[float]:
    """Move places apart, so that each is at least ``gap`` from the next; the order is kept, and so is the middle.

    Examples
    --------
    >>> [round(place, 2) for place in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(places)), key=lambda number: places[number])
    groups: list[tuple[float, int]] = []
    for number in order:
        middle, size = places[number], 1
        while groups and groups[-1][0] + gap * (groups[-1][1] + size) / 2 > middle + 1e-12:
            other, count = groups.pop()
            middle = (other * count + middle * size) / (count + size)
            size += count
        groups.append((middle, size))
    moved = [middle + gap * (place - (size - 1) / 2) for middle, size in groups for place in range(size)]
    return [moved[order.index(number)] for number in range(len(places))]


def label_ends(ax: Axes, ends: list[LineEnd], size: float = 8.0) -> None:
    """Write the names to the right of the axes, each joined to the end of its line.

    Of lines that end before, the name stands at their end. The limits and scales of the axes must have been set;
    the axes' layout makes room for the names.
    """
    right = ax.get_xlim()[1]
    there = [end for end in ends if end.x >= 0.999 * right]
    for end in ends:
        if end not in there:
            _label_inside(ax, end, size)
    if not there:
        return
    height = ax.get_window_extent().height * 72 / ax.figure.get_dpi()
    points = ax.transData.transform([(end.x, end.y) for end in there])
    inside = ax.transAxes.inverted().transform(points)
    places = spread([float(y) for _, y in inside], 1.45 * size / max(height * 0.85, 1))
    for end, place in zip(there, places, strict=True):
        ax.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(1.045, place),
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

    ax.annotate(
        end.text,
        xy=(end.x, end.y),
        xytext=(5, -9),
        textcoords="offset points",
        fontsize=size,
        color=end.colour,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )
