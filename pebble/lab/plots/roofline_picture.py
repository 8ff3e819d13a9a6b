"""The roofline of a device, and schedules on it at their arithmetic intensity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.common.plain import PlainRow
from pebble.common.tables import JsonResult
from pebble.common.units import bytes_per_word, scaled
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.count_row import Price, Row
from pebble.lab.hardware import Device
from pebble.lab.hardware import device as device_of
from pebble.lab.hardware.device import canonical_dtype
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
from pebble.lab.plots.styles import lines
from pebble.lab.training import count_any_pass
from pebble.lab.work import is_product
from pebble.program.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class RooflinePoint(PlainRow):
    """One schedule.

    Attributes
    ----------
    io, moved, flops : int
        Words and bytes moved, and FLOP of the matrix products executed, for all heads and batch elements.
    repeated : float
        FLOP executed divided by those needed: 1 if nothing is computed twice.
    attainable : float
        FLOP per second that the roofline allows.
    """

    KEYS = "schedule tiles io bytes=moved flops repeated intensity attainable"

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
class RooflinePoints(JsonResult):
    """The numbers of the picture.

    Attributes
    ----------
    M : int
        Words of fast memory of one kernel instance.
    bandwidth, peak : float
        Bytes and FLOP per second of the whole device.
    boundary : str
        The boundary that the bytes cross.
    left_out : tuple of str
        Schedules whose bytes cross a different boundary, see :meth:`pebble.lab.hardware.Device.boundary`.
    bound_intensity : float
        FLOP per byte of a schedule that moves no more than the proved bound and computes nothing twice.
    """

    plot = "roofline"
    KEYS = """plot problem device=device.key dtype level M bandwidth peak boundary left_out bound_intensity
        schedules=points"""

    problem: Problem
    device: Device
    dtype: str
    level: str
    M: int
    bandwidth: float
    peak: int
    boundary: str
    points: tuple[RooflinePoint, ...]
    bound_intensity: float
    left_out: tuple[str, ...] = ()

    @property
    def ridge(self) -> float:
        """FLOP per byte from which on arithmetic is the limit."""
        return self.peak / self.bandwidth


def roofline_points(
    problem: Problem,
    device: str | Device,
    dtype: str = "bfloat16",
    level: str | None = None,
    schedules: Iterable[str | Schedule] | None = None,
) -> RooflinePoints:
    """Count bytes and FLOP: those of the matrix products that a schedule executes, repeated ones included.

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

    Examples
    --------
    >>> found = roofline_points(Problem.square(4096, 128), "a100", schedules=["flash-2"])
    >>> found.points[0].io, round(found.points[0].intensity)
    (14680064, 293)
    """
    if problem.pass_name not in ("forward", "backward"):
        raise InvalidInput(f"draw the forward and the backward pass separately, not {problem.pass_name!r}")
    one = device_of(device) if isinstance(device, str) else device
    dtype = canonical_dtype(dtype)
    crossing, peak = one.boundary(level), one.flops(dtype)
    if crossing.bandwidth is None or peak is None:
        raise InvalidInput(
            f"{one.key} has no sourced peak for {dtype}, so there is no roofline"
            if peak is None
            else f"{one.key}: there is no roofline, because the bandwidth of {crossing.name} is not "
            f"known; set it with --bandwidth {crossing.level}=RATE"
        )
    M = one.words(dtype, level)
    asked = None if schedules is None else list(schedules)
    report = count_any_pass(problem, M, asked).priced(Price(dtype, one, level))
    needed, roof = _needed_work(problem), (crossing.bandwidth, peak)
    fitting = [row for row in report.rows if row.fits]
    own = {row.name for row in fitting if row.boundary == crossing.name}
    points = tuple(
        _point(schedule, row, needed, roof, problem)
        for schedule, row in zip(asked_schedules(asked, problem), report.rows, strict=True)
        if row.name in own
    )
    left_out = tuple(row.name for row in fitting if row.name not in own)
    if not points:
        inner = f"all tiles leave half of L2 or more to other words, so what crosses {crossing.name} is not counted"
        raise InvalidInput(f"there is nothing to draw: {inner if left_out else report.why_nothing_fits()}")
    limit = needed / (report.best_bound[1] * bytes_per_word(dtype))
    return RooflinePoints(
        problem, one, dtype, level or one.level, M, *roof, crossing.name, points, limit, left_out
    )


def _point(
    schedule: Schedule, row: Row, needed: int, roof: tuple[float, int], problem: Problem
) -> RooflinePoint:
    assert row.tiles is not None
    assert row.io is not None
    assert row.bytes is not None
    assert row.flops is not None
    bandwidth, peak = roof
    return RooflinePoint(
        schedule=row.name,
        tiles=row.tiles,
        io=row.io,
        moved=row.bytes,
        flops=row.flops,
        repeated=row.flops / needed,
        attainable=min(peak, row.flops / row.bytes * bandwidth),
    )


def _needed_work(problem: Problem) -> int:
    """FLOP of the matrix products if nothing is computed twice."""
    family = family_of(problem)
    return 2 * problem.copies * sum(family.size(a.name) for a in family.arrays if is_product(a, family))


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
