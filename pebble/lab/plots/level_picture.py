"""Words at every boundary between memory levels: what schedules move, and what no program can beat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import JsonResult, tiles_text
from pebble.common.units import seconds_text
from pebble.computations.problem import Problem
from pebble.lab.level_counts import Boundary, LevelReport, LevelRow, count_levels
from pebble.lab.plots.canvas import drawn_on, legend_beside, log_axes, note, picture, title
from pebble.program.hierarchy import Hierarchy
from pebble.program.schedule.level_schedule import LevelSchedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS: dict[str, dict[str, Any]] = {
    "reads": {"marker": ">", "color": "#0072b2", "fillstyle": "none"},
    "writes": {"marker": "<", "color": "#d55e00", "fillstyle": "none"},
    "io": {"marker": "o", "color": "#000000"},
}
_BESIDE = 1.6
"""How much farther than the numbers the axis goes at either end, on a logarithmic scale."""


@dataclass(frozen=True)
class LevelPoints(JsonResult):
    """The numbers of the picture.

    The rows are the schedules that fit.
    """

    report: LevelReport
    rows: tuple[LevelRow, ...]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        names = self.report.hierarchy.boundaries
        return {
            "plot": "levels",
            "problem": self.report.problem.to_dict(),
            "hierarchy": self.report.hierarchy.kind,
            "schedules": {
                row.name: {
                    "tiles": row.tiles,
                    "boundaries": [
                        {"boundary": name, **one.to_dict(), "seconds": self.report.seconds(one)}
                        for name, one in zip(names, row.boundaries, strict=True)
                    ],
                }
                for row in self.rows
            },
        }


def level_points(
    problem: Problem,
    hierarchy: Hierarchy,
    schedules: Iterable[str | LevelSchedule] | None = None,
    *,
    bandwidths: tuple[float | None, ...] | None = None,
    bytes_per_word: int | None = None,
) -> LevelPoints:
    """Count the words at every boundary between memory levels; parameters as in :func:`pebble.count_levels`.

    >>> from pebble.program import Hierarchy
    >>> found = level_points(Problem.square(40, 3), Hierarchy((43, 140)))
    >>> [one.io for one in found.rows[0].boundaries]
    [3480, 1200]
    """
    report = count_levels(problem, hierarchy, schedules, bandwidths=bandwidths, bytes_per_word=bytes_per_word)
    rows = tuple(row for row in report.rows if row.fits)
    if not rows:
        raise InvalidInput(f"there is nothing to draw: {report.why_nothing_fits()}")
    return LevelPoints(report, rows)


def draw_levels(points: LevelPoints, ax: Axes | None = None) -> Axes:
    """Draw numbers that have been counted."""
    report = points.report
    names = report.hierarchy.boundaries
    labels: list[str] = []
    counts: list[Boundary] = []
    heads = [f"{row.name}, {tiles_text(row.tiles or {})}" for row in points.rows]
    for row, head in zip(points.rows, heads, strict=True):
        for name, one in zip(names, row.boundaries, strict=True):
            first = f"{head}\n" if one.level == 1 and len(heads) > 1 else ""
            labels.append(f"{first}{name}\nof {one.capacity:,} words")
            counts.append(one)
    with drawn_on(ax, height=2.2 + 0.75 * len(counts), legend=4) as target:
        for place, one in enumerate(counts):
            _draw_boundary(target, report, one, place)
        values = [number for one in counts for number in (one.reads, one.writes, one.io, one.bound) if number]
        target.set_xlim(min(values) / _BESIDE, max(values) * _BESIDE**2)
        log_axes(target, "x")
        target.set_yticks(range(len(counts)), labels)
        target.set_ylim(len(counts) - 0.5, -0.5)
        target.set_xlabel("words moved")
        about = (
            report.problem.describe(),
            f"{report.hierarchy.kind} levels",
            *(heads if len(heads) == 1 else ()),
        )
        title(target, "I/O by memory level", *about)
        legend_beside(target)
    return target


levels = picture(
    level_points, draw_levels, "Draw the words at every boundary between memory levels, with the bound."
)


def _draw_boundary(ax: Axes, report: LevelReport, one: Boundary, place: int) -> None:
    """Draw one boundary: the words that move, and shaded those that no program can do with."""
    first = place == 0
    ax.fill_betweenx(
        [place - 0.3, place + 0.3],
        1,
        float(one.bound),
        facecolor="#dddddd",
        edgecolor="#666666",
        label="below the proved bound" if first else None,
    )
    for name, style in _MARKS.items():
        if words := getattr(one, name):
            label = name.replace("io", "I/O") if first else None
            ax.plot([words], [place], linestyle="none", label=label, **style)
    seconds = report.seconds(one)
    time = "" if seconds is None else f", {seconds_text(seconds)}"
    at_right: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right"}
    note(ax, f"I/O is {one.ratio:.3f} × the bound{time}", (1, place - 0.3), (0, 3), **at_right)
