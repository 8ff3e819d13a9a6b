"""Names at the right ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.spacing import spread
from pebble.lab.plots.canvas import letter_points, note, white_around

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, in data coordinates, and what to write beside it."""

    x: float
    y: float
    text: str
    colour: Any
    bold: bool = False


def wrapped(names: str, letters: int = 20) -> str:
    """Break names separated by commas into lines of at most ``letters`` characters.

    >>> print(wrapped("all-gather, ring, usp, pass-q"))
    all-gather, ring,
    usp, pass-q
    """
    return "\n".join(wrap(names, letters, break_on_hyphens=False))


def _is_free_above(ax: Axes, end: LineEnd) -> bool:
    """Tell whether the nearest line that goes on beyond this end is below it."""
    paths = [np.asarray(line.get_xydata(), dtype=float).T for line in ax.lines]
    going_on = [(x, y) for x, y in paths if x[0] <= end.x < x[-1]]
    points = [(end.x, end.y), *((end.x, float(np.interp(end.x, x, y))) for x, y in going_on)]
    here, *others = ax.transData.transform(points)[:, 1]
    return bool(others) and min(others, key=lambda y: abs(float(y - here))) < here


def label_ends(ax: Axes, ends: list[LineEnd]) -> None:
    """Write the names to the right of the axes, each joined to the end of its line.

    A line that ends earlier has its name at its end. Set the limits and scales of the axes first; the layout makes
    room for the names.
    """
    right, size = ax.get_xlim()[1], 0.85 * letter_points()
    there = [end for end in ends if end.x >= 0.999 * right]
    for end in ends:
        if end not in there:
            white = {"color": end.colour, "path_effects": white_around()}
            up = 4 if _is_free_above(ax, end) else -9
            note(ax, end.text, (end.x, end.y), (5, up), fontsize=size, **white)
    if not there:
        return
    height = ax.get_window_extent().height * 72 / ax.figure.get_dpi()
    points = ax.transData.transform([(end.x, end.y) for end in there])
    heights = [float(y) for _, y in ax.transAxes.inverted().transform(points)]
    order = sorted(range(len(there)), key=lambda number: heights[number])
    # A name takes a place for each of its lines, and is written in the middle of them.
    lines = [number for number in order for _ in there[number].text.split("\n")]
    gap = 1.3 * size / max(height * 0.8, 1)
    apart = spread([heights[number] for number in lines], gap)
    apart = [max(place, 0.02 + number * gap) for number, place in enumerate(apart)]  # not below the axis
    for number, end in enumerate(there):
        own = [place for place, which in zip(apart, lines, strict=True) if which == number]
        style: dict[str, Any] = {"fontweight": "bold" if end.bold else "normal", "annotation_clip": False}
        ax.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(1.05, sum(own) / len(own)),
            textcoords="axes fraction",
            fontsize=size,
            color=end.colour,
            verticalalignment="center",
            arrowprops={"arrowstyle": "-", "color": end.colour, "linewidth": 0.6, "relpos": (0, 0.5)},
            **style,
        )
