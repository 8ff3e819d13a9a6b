"""The roofline of a device, and schedules on it at their arithmetic intensity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.units import scaled
from pebble.lab.plots.canvas import (
    drawn_on,
    legend_beside,
    letter_points,
    log_axes,
    note,
    picture,
    title,
    white_around,
)
from pebble.lab.plots.labels import wrapped
from pebble.lab.plots.roofline_points import RooflinePoint, RooflinePoints, roofline_points
from pebble.lab.plots.styles import lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_roofline(found: RooflinePoints, ax: Axes | None = None) -> Axes:
    """Draw each schedule on the roof at its FLOP per byte."""
    with drawn_on(ax, legend=len(found.points) + 2) as target:
        _draw_roof(found, target)
        _draw_points(found, target)
        _set_up(found, target)
    return target


roofline = picture(
    roofline_points, draw_roofline, "Draw the arithmetic intensity of schedules on a device's roofline."
)


def _draw_roof(found: RooflinePoints, ax: Axes) -> None:
    places = [found.ridge, *(point.intensity for point in found.points)]
    low, high = min(places) / 3, max(*places, found.bound_intensity) * 2
    ax.set_xlim(low, high)
    ax.set_ylim(low * found.bandwidth / 1.5, found.peak * 2.5)
    log_axes(ax)
    ax.plot([low, found.ridge, high], [low * found.bandwidth, found.peak, found.peak], color="black")
    note(ax, f"peak {scaled(found.peak)}FLOP/s", (low, found.peak), (4, 4))
    ax.plot([low, found.ridge], [found.peak] * 2, color="black", linewidth=0.6, linestyle=":")
    name, place = f"{found.boundary} {scaled(found.bandwidth)}B/s", low * (found.ridge / low) ** 0.3
    note(ax, name, (place, place * found.bandwidth), (5, -5), va="top", path_effects=white_around())
    for place, text, style in (
        (found.ridge, f"ridge: {found.ridge:,.0f}", ":"),
        (found.bound_intensity, f"proved bound, nothing\ncomputed twice: {found.bound_intensity:,.0f}", "--"),
    ):
        ax.axvline(place, color="#555555", linewidth=0.9, linestyle=style, zorder=0, label=text)


def _draw_points(found: RooflinePoints, ax: Axes) -> None:
    """Draw a mark for each intensity; schedules that share it to three digits are one."""
    style = lines(point.schedule for point in found.points)
    same: dict[str, list[RooflinePoint]] = {}
    for point in sorted(found.points, key=lambda one: one.intensity):
        again = f", arithmetic × {point.repeated:.2f}" if point.repeated > 1 else ""
        same.setdefault(f"{point.intensity:,.3g}{again}", []).append(point)
    for label, points in same.items():
        first, own = points[0], style[points[0].schedule]
        names = ", ".join(point.schedule for point in points)
        ax.plot(
            [first.intensity],
            [first.attainable],
            linestyle="none",
            marker=own["marker"],
            color=own["color"],
            markeredgecolor="white",
            markersize=0.9 * letter_points(),
            zorder=3,
            label=wrapped(f"{names}: {label}", 28),
        )


def _set_up(found: RooflinePoints, ax: Axes) -> None:
    ax.set_xlabel("FLOP per byte moved")
    ax.set_ylabel("attainable FLOP per second")
    about = [found.problem.describe(), f"M = {found.M:,} words ({found.level})"]
    if found.left_out:
        about.append(
            f"not drawn, since their tiles leave half of L2 or more free: {', '.join(found.left_out)}"
        )
    title(ax, f"Roofline of {found.device.title}, {found.dtype}", *about)
    legend_beside(ax, title="FLOP per byte")
