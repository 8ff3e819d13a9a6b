"""The roofline of a device, and schedules on it at their arithmetic intensity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pebble.computations.problem import Problem
from pebble.lab.plots.canvas import drawn_on, legend_beside, note, title
from pebble.lab.plots.roofline_points import RooflinePoints, roofline_points
from pebble.lab.plots.styles import lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pebble.lab.hardware import Device
    from pebble.program.schedule import Schedule

__all__ = ["draw_roofline", "roofline"]


def roofline(
    problem: Problem,
    device: str | Device,
    dtype: str = "bfloat16",
    level: str | None = None,
    schedules: Iterable[str | Schedule] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the arithmetic intensity of schedules against the roofline of a device.

    Each schedule stands on the roof at its FLOP per byte: bytes are its verified count with the device's fast
    memory, FLOP those of the matrix products that it executes, repeated ones included.

    Parameters
    ----------
    problem : Problem
        Forward or backward.
    device : str or Device
        Its fast memory is M.
    dtype : str
        What a word is.
    level : {"smem", "smem+regs", "l2"}, optional
        What of the device is fast memory.
    schedules : iterable of str or Schedule, optional
        By default all that fit.
    ax : Axes, optional
        Where to draw; by default new axes on a figure of their own, without a display.

    Returns
    -------
    Axes
    """
    return draw_roofline(roofline_points(problem, device, dtype, level, schedules), ax)


def draw_roofline(found: RooflinePoints, ax: Axes | None = None) -> Axes:
    """Draw numbers that have been counted."""
    with drawn_on(ax) as target:
        low, high = _span(found)
        _draw_roof(found, target, low, high)
        _draw_points(found, target)
        _set_up(found, target)
        axes: Axes = target
    return axes


def _span(found: RooflinePoints) -> tuple[float, float]:
    places = [point.intensity for point in found.points]
    return min(*places, found.ridge) / 3, max(*places, found.ridge, found.bound_intensity) * 2


def _draw_roof(found: RooflinePoints, ax: Axes, low: float, high: float) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(low * found.bandwidth / 1.5, found.peak * 2.5)
    ax.plot(
        [low, found.ridge, high],
        [low * found.bandwidth, found.peak, found.peak],
        color="black",
        linewidth=1.8,
    )
    note(ax, f"peak {_rate(found.peak)}FLOP/s", (low, found.peak), (4, 4), fontsize=8)
    ax.plot([low, found.ridge], [found.peak] * 2, color="black", linewidth=0.6, linestyle=":")
    note(
        ax, f"{found.boundary} {_rate(found.bandwidth)}B/s", (low, low * found.bandwidth), (16, 4), fontsize=8
    )
    for place, text, style in (
        (found.ridge, f"ridge {found.ridge:,.0f}", ":"),
        (found.bound_intensity, f"proved bound {found.bound_intensity:,.0f}, nothing computed twice", "--"),
    ):
        ax.axvline(place, color="#555555", linewidth=0.9, linestyle=style, zorder=0)
        note(
            ax,
            text,
            (place, 0),
            (-3, 4),
            xycoords=("data", "axes fraction"),
            fontsize=8,
            rotation=90,
            color="#333333",
            horizontalalignment="right",
            verticalalignment="bottom",
        )


def _draw_points(found: RooflinePoints, ax: Axes) -> None:
    style = lines(point.schedule for point in found.points)
    for point in sorted(found.points, key=lambda one: one.intensity):
        own = style[point.schedule]
        # The best one is one of the others: a ring around it.
        ring = point.schedule == "best"
        again = f", arithmetic × {point.repeated:.2f}" if point.repeated > 1 else ""
        ax.plot(
            [point.intensity],
            [point.attainable],
            linestyle="none",
            marker=own["marker"],
            color=own["color"],
            markerfacecolor="none" if ring else own["color"],
            markeredgecolor="black" if ring else "white",
            markeredgewidth=1.2 if ring else 0.6,
            markersize=14 if ring else 8,
            label=f"{point.schedule}: {point.intensity:,.3g}{again}",
        )


def _rate(value: float) -> str:
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G")):
        if value >= size:
            return f"{value / size:,.3g} {prefix}"
    return f"{value:,.3g} "


def _set_up(found: RooflinePoints, ax: Axes) -> None:
    ax.set_xlabel("arithmetic intensity (FLOP per byte moved)")
    ax.set_ylabel("attainable (FLOP per second)")
    title(
        ax,
        f"Roofline of {found.device.title}, {found.dtype}",
        found.problem.describe(),
        f"M = {found.M:,} words ({found.level})",
        *(
            [f"not drawn, as L2 keeps more than they do: {', '.join(found.left_out)}"]
            if found.left_out
            else []
        ),
    )
    legend_beside(ax, title="FLOP per byte", markerscale=0.8)
