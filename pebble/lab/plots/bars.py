"""I/O by array: for each schedule a bar of reads and a bar of writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import JsonResult
from pebble.computations.problem import Problem
from pebble.lab.count_row import Row
from pebble.lab.count_table import CountTable
from pebble.lab.plots.canvas import (
    drawn_on,
    legend_beside,
    letter_points,
    note,
    number_axis,
    picture,
    points_high,
    points_wide,
    title,
)
from pebble.lab.plots.styles import fills, on_fill
from pebble.lab.training import count_any_pass
from pebble.program.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FAR = 8.0
"""A schedule that moves more than this many times the least I/O is named, not drawn: it would squeeze the others."""

SIDES = ("reads", "writes")


@dataclass(frozen=True)
class ArrayBars(JsonResult):
    """The numbers of the picture.

    What is left out moves too much to be drawn beside the others.
    """

    report: CountTable
    rows: tuple[Row, ...]
    left_out: tuple[Row, ...]

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        return {
            "plot": "arrays",
            "problem": self.report.problem.to_dict(),
            "M": self.report.M,
            "best_bound": self.report.best_bound[1],
            "schedules": {row.name: row.by_array for row in self.rows},
            "left_out": {row.name: row.io for row in self.left_out},
        }


def array_bars(problem: Problem, M: int, schedules: Iterable[str | Schedule] | None = None) -> ArrayBars:
    """Count I/O by array.

    Parameters
    ----------
    schedules : iterable of str or Schedule, optional
        By default all that fit. Those with more than eight times the least I/O are then only named.

    Examples
    --------
    >>> array_bars(Problem.square(64, 4), 64, ["flash-2"]).rows[0].by_array["Q"]
    {'reads': 256, 'writes': 0}
    """
    report = count_any_pass(problem, M, schedules)
    fitting = [row for row in report.rows if row.io is not None]
    if not fitting:
        raise InvalidInput(f"there is nothing to draw: {report.why_nothing_fits()}")
    least = min(row.io for row in fitting if row.io is not None)
    near = [row for row in fitting if schedules is not None or (row.io or 0) <= FAR * least]
    return ArrayBars(report, tuple(near), tuple(row for row in fitting if row not in near))


def draw_arrays(bars: ArrayBars, ax: Axes | None = None) -> Axes:
    """Draw for each schedule a bar of words read and one of words written."""
    with drawn_on(ax, height=1.9 + 0.55 * len(bars.rows), legend=2) as target:
        widest = max(max(row.reads or 0, row.writes or 0) for row in bars.rows)
        style = fills(name for row in bars.rows for name in row.by_array)
        letters = min(0.8 * letter_points(), 0.36 * points_high(target) / len(bars.rows))
        for place, row in enumerate(bars.rows):
            for side, name in enumerate(SIDES):
                _draw_bar(target, row, name, place + (side - 0.5) * 0.4, style, widest, letters)
        _set_up(bars, target, widest)
    return target


arrays = picture(
    array_bars, draw_arrays, "Draw I/O by array, a bar of reads and one of writes for each schedule."
)


def _draw_bar(
    ax: Axes,
    row: Row,
    side: str,
    height: float,
    style: dict[str, dict[str, Any]],
    widest: int,
    letters: float,
) -> None:
    left = 0
    for name, moved in row.by_array.items():
        if not moved[side]:
            continue
        label = name if name not in ax.get_legend_handles_labels()[1] else None
        ax.barh(height, moved[side], 0.36, left=left, label=label, **style[name])
        # The layout will leave the axes some three quarters of their width, and the bars a part of that.
        if moved[side] > 1.4 * len(name) * letters / (0.5 * points_wide(ax)) * widest:
            middle: dict[str, Any] = {"ha": "center", "va": "center", "color": on_fill(style[name])}
            ax.text(left + moved[side] / 2, height, name, fontsize=letters, **middle)
        left += moved[side]
    total = row.reads if side == "reads" else row.writes
    note(ax, f"{side} {total:,}", (left, height), (3, 0), fontsize=letters, verticalalignment="center")


def _set_up(bars: ArrayBars, ax: Axes, widest: int) -> None:
    names = [f"{row.name}\n({row.chosen})" if row.chosen else row.name for row in bars.rows]
    ax.set_yticks(range(len(bars.rows)), names)
    ax.set_ylim(len(bars.rows) - 0.5, -0.5)
    # Room for the number beside the longest bar; the layout will leave the axes some three quarters of their width.
    number = len(f"writes {widest:,}") * 0.43 * letter_points() + 6
    ax.set_xlim(0, widest / (1 - min(0.6, number / (0.75 * points_wide(ax)))))
    number_axis(ax.xaxis, widest)
    ax.set_xlabel("words moved")
    about = bars.report.problem.describe(), f"M = {bars.report.M:,} words"
    title(ax, "I/O by array", *about)
    legend_beside(ax, handleheight=1.4, title="array")
    if bars.left_out:
        least = min(row.io or 0 for row in bars.rows)
        far = ", ".join(f"{row.name} ({(row.io or 0) / least:,.0f} times the least)" for row in bars.left_out)
        title(ax, "I/O by array", *about, f"not shown: {far}")
