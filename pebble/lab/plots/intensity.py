"""Arithmetic intensity of schedules against the roofline of a device."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.units import bytes_per_word
from pebble.computations.problem import Problem
from pebble.lab.plots.canvas import drawn_on, title
from pebble.lab.plots.counting import best_bound_of, counted
from pebble.lab.plots.styles import lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pebble.lab.count import Row
    from pebble.lab.hardware import Device
    from pebble.program.schedule import Schedule

__all__ = ["RooflinePoint", "RooflinePoints", "draw_roofline", "roofline", "roofline_points"]


@dataclass(frozen=True)
class RooflinePoint:
    """One schedule.

    Attributes
    ----------
    schedule : str
    tiles : dict of str to int
    io, moved, flops : int
        Words and bytes moved, and FLOP of the matrix products executed, for all heads and batch elements.
    repeated : float
        FLOP executed divided by those needed: 1 if nothing is computed twice.
    attainable : float
        FLOP per second that the roofline allows.
    """

    schedule: str
    tiles: dict[str, int]
    io: int
    moved: int
    flops: int
    repeated: float
    attainable: float

    @property
    def intensity(self) -> float:
        """FLOP for each byte moved."""
        return self.flops / self.moved


@dataclass(frozen=True)
class RooflinePoints:
    """The numbers of the picture.

    Attributes
    ----------
    problem : Problem
    device : Device
    dtype : str
    level : str
    M : int
        Words of fast memory of one kernel instance.
    bandwidth, peak : int
        Bytes and FLOP per second of the whole device.
    points : tuple of RooflinePoint
    bound_intensity : float
        FLOP per byte of a schedule that moves no more than the proved bound and computes nothing twice.
    """

    problem: Problem
    device: Device
    dtype: str
    level: str
    M: int
    bandwidth: int
    peak: int
    points: tuple[RooflinePoint, ...]
    bound_intensity: float

    @property
    def ridge(self) -> float:
        """FLOP per byte from which on arithmetic is the limit."""
        return self.peak / self.bandwidth

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON."""
        return {
            "schema_version": 1,
            "plot": "roofline",
            "problem": self.problem.to_dict(),
            "device": self.device.key,
            "dtype": self.dtype,
            "level": self.level,
            "M": self.M,
            "bandwidth": self.bandwidth,
            "peak": self.peak,
            "bound_intensity": self.bound_intensity,
            "schedules": [
                {
                    "schedule": point.schedule,
                    "tiles": dict(point.tiles),
                    "io": point.io,
                    "bytes": point.moved,
                    "flops": point.flops,
                    "repeated": point.repeated,
                    "intensity": point.intensity,
                    "attainable": point.attainable,
                }
                for point in self.points
            ],
        }


def roofline_points(
    problem: Problem,
    device: str | Device,
    dtype: str = "bfloat16",
    level: str | None = None,
    schedules: Iterable[str | Schedule] | None = None,
) -> RooflinePoints:
    """Count the points of :func:`roofline`; takes the same parameters.

    Examples
    --------
    >>> found = roofline_points(Problem.square(4096, 128), "h100", schedules=["flash-2"])
    >>> found.points[0].io, round(found.points[0].intensity)
    (11534336, 372)
    """
    from pebble.lab.hardware import device as device_of
    from pebble.lab.hardware.device import canonical_dtype

    if problem.pass_name not in ("forward", "backward"):
        raise InvalidInput(f"draw the forward and the backward pass one by one, not {problem.pass_name!r}")
    one = device_of(device) if isinstance(device, str) else device
    dtype = canonical_dtype(dtype)
    bandwidth, peak = one.bandwidth, one.flops(dtype)
    if bandwidth is None or peak is None:
        missing = "bandwidth" if bandwidth is None else f"peak for {dtype}"
        raise InvalidInput(f"{one.key}: no sourced figure for its {missing}, so it has no roofline here")
    M = one.words(dtype, level)
    chosen = None if schedules is None else list(schedules)
    report = counted(problem, M, chosen)
    needed, roof = _needed_work(problem), (bandwidth, peak)
    points = tuple(
        _point(schedule, row, dtype, needed, roof, problem)
        for schedule, row in zip(_schedules(problem, chosen), report.rows, strict=True)
        if row.fits
    )
    if not points:
        raise InvalidInput(f"there is nothing to draw: {report.why_nothing_fits()}")
    limit = needed / (best_bound_of(report) * bytes_per_word(dtype))
    return RooflinePoints(problem, one, dtype, level or one.level, M, bandwidth, peak, points, limit)


def _schedules(problem: Problem, chosen: list[str | Schedule] | None) -> list[Schedule]:
    from pebble.program.schedule import get, offered

    if chosen is None:
        return offered(problem)
    return [get(one, problem.pass_name) if isinstance(one, str) else one for one in chosen]


def _point(
    schedule: Schedule, row: Row, dtype: str, needed: int, roof: tuple[int, int], problem: Problem
) -> RooflinePoint:
    from pebble.lab.plan.roofline import flops, moved_bytes

    assert row.tiles is not None
    assert row.io is not None
    run = schedule.measure(problem, row.tiles)
    work, moved = flops(run) * problem.copies, moved_bytes(run, dtype, None) * problem.copies
    bandwidth, peak = roof
    return RooflinePoint(
        schedule=row.name,
        tiles=row.tiles,
        io=row.io,
        moved=moved,
        flops=work,
        repeated=work / needed,
        attainable=min(peak, work / moved * bandwidth),
    )


def _needed_work(problem: Problem) -> int:
    """FLOP of the matrix products if nothing is computed twice."""
    from pebble.computations.registry import family_of
    from pebble.lab.plan.constraints import is_product

    family = family_of(problem)
    return 2 * problem.copies * sum(family.size(a.name) for a in family.arrays if is_product(a, family))


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

    Raises
    ------
    InvalidInput
        For unknown names, a device without figures for bandwidth or peak, or without matplotlib.
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
    ax.annotate(
        f"peak {_rate(found.peak)}FLOP/s",
        xy=(low, found.peak),
        xytext=(4, 4),
        textcoords="offset points",
        fontsize=8,
    )
    ax.plot([low, found.ridge], [found.peak] * 2, color="black", linewidth=0.6, linestyle=":")
    ax.annotate(
        f"{_rate(found.bandwidth)}B/s",
        xy=(low, low * found.bandwidth),
        xytext=(16, 4),
        textcoords="offset points",
        fontsize=8,
    )
    for place, text, style in (
        (found.ridge, f"ridge {found.ridge:,.0f}", ":"),
        (found.bound_intensity, f"proved bound {found.bound_intensity:,.0f}, nothing computed twice", "--"),
    ):
        ax.axvline(place, color="#555555", linewidth=0.9, linestyle=style, zorder=0)
        ax.annotate(
            text,
            xy=(place, 0),
            xycoords=("data", "axes fraction"),
            xytext=(-3, 4),
            textcoords="offset points",
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
    )
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        frameon=False,
        fontsize=8,
        title="FLOP per byte",
        markerscale=0.8,
    )
