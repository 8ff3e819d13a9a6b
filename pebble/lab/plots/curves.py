"""I/O against the size of fast memory, or against the length: every schedule and every proved bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

from pebble.common.clock import doing
from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import JsonResult
from pebble.computations.problem import Problem
from pebble.lab.count_table import CountTable
from pebble.lab.plots.canvas import drawn_on, letter_points, log_axes, note, picture, title, white_around
from pebble.lab.plots.labels import LineEnd, label_ends
from pebble.lab.plots.styles import bound_lines, lines
from pebble.lab.plots.varying import but_length, length_name, memories, problems_of
from pebble.lab.training import count_any_pass
from pebble.program.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class IoCurves(JsonResult):
    """The numbers of the picture.

    What varies is M or N; there is a report for each point, and as many problems or sizes of fast memory, or one.
    """

    plot = "io"
    KEYS = "plot against points schedules bounds"

    against: str
    problems: tuple[Problem, ...]
    Ms: tuple[int, ...]
    reports: tuple[CountTable, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """Where the points are: words of fast memory, or keys."""
        return self.Ms if self.against == "M" else tuple(problem.Nk for problem in self.problems)

    @property
    def schedules(self) -> dict[str, tuple[int | None, ...]]:
        """I/O of each schedule at each point, in words; None where it does not fit."""
        names = [row.name for row in self.reports[0].rows]
        return {name: tuple(report[name].io for report in self.reports) for name in names}

    @property
    def bounds(self) -> dict[str, tuple[int | float | None, ...]]:
        """Each proved bound at each point, in words; None where it does not apply."""
        found = [report.proved_bounds for report in self.reports]
        names = dict.fromkeys(name for values in found for name in values)
        return {name: tuple(values.get(name) for values in found) for name in names}

    @property
    def best_bound(self) -> tuple[int | float, ...]:
        """The greatest proved bound at each point."""
        return tuple(report.best_bound[1] for report in self.reports)

    @property
    def points(self) -> list[dict[str, Any]]:
        """What each point is about, as plain data."""
        return [plain(report, "problem M") | {"best_bound": report.best_bound[1]} for report in self.reports]


def io_curves(
    problem: Problem | Iterable[Problem],
    M: SupportsIndex | Iterable[SupportsIndex],
    schedules: Iterable[str | Schedule] | None = None,
) -> IoCurves:
    """Count I/O against the size of fast memory, or against the length; every point is a verified count.

    Parameters
    ----------
    problem : Problem or iterable of Problem
        One problem, or several that differ in their length.
    M : int or iterable of int
        Words of fast memory; several if there is one problem.
    schedules : iterable of str or Schedule, optional
        By default all that serve the pass. One that fits nowhere is not drawn.

    Examples
    --------
    >>> curves = io_curves(Problem.square(64, 4), [16, 64], ["flash-2"])
    >>> curves.schedules["flash-2"], curves.best_bound
    ((33280, 6144), (12494, 4160))
    """
    problems, Ms = problems_of(problem), memories(M)
    if len(problems) > 1 and len(Ms) > 1:
        raise InvalidInput("give several values for M or for the length, not both; gap shows both")
    chosen = None if schedules is None else list(schedules)
    reports: list[CountTable] = []
    for one in problems:
        for size in Ms:
            place = f"{len(reports) + 1} of {len(problems) * len(Ms)}"
            with doing(f"{place}: M = {size:,}, {one.describe()}"):
                reports.append(count_any_pass(one, size, chosen))
    against = "N" if len(problems) > 1 else "M"
    return IoCurves(against, problems, Ms, tuple(reports))


def draw_io(curves: IoCurves, ax: Axes | None = None) -> Axes:
    """Draw I/O, shaded the area below the best proved bound, where no schedule can be, and a line at M = d²."""
    if not any(row.fits for report in curves.reports for row in report.rows):
        raise InvalidInput(f"there is nothing to draw: {curves.reports[-1].why_nothing_fits()}")
    with drawn_on(ax) as target:
        _set_up(curves, target)
        _limit(curves, target)
        ends = [*_draw_bounds(curves, target), *_draw_schedules(curves, target)]
        if curves.against == "M":
            _mark_crossover(curves, target)
        label_ends(target, ends)
    return target


io = picture(io_curves, draw_io, "Draw I/O against the size of fast memory, or against the length.")


def _set_up(curves: IoCurves, ax: Axes) -> None:
    ax.set_ylabel("words read and written")
    problem = curves.problems[0]
    if curves.against == "M":
        ax.set_xlabel("words of fast memory, M")
        title(ax, "I/O against fast memory", problem.describe())
        return
    name = length_name(curves.problems)
    ax.set_xlabel(f"{'queries and keys' if name == 'N' else 'keys'}, {name}")
    M = curves.Ms[0]
    title(ax, "I/O against length", but_length(problem), f"M = {M:,} words", f"M/d² = {M / problem.d**2:.3g}")


def _draw_schedules(curves: IoCurves, ax: Axes) -> list[LineEnd]:
    found = {name: values for name, values in curves.schedules.items() if any(v is not None for v in values)}
    ends = []
    for name, style in lines(found).items():
        points = [(x, y) for x, y in zip(curves.values, found[name], strict=True) if y is not None]
        every = max(1, len(points) // 8)
        # Lines that lie on each other have their markers at different places.
        offset = min(list(found).index(name) % every, len(points) - 1)
        (line,) = ax.plot(*zip(*points, strict=True), label=name, markevery=(offset, every), **style)
        line.set(clip_on=False, zorder=3, linewidth=line.get_linewidth() * (1.7 if name == "best" else 1))
        ends.append(LineEnd(*points[-1], name, style["color"], bold=name == "best"))
    return sorted(ends, key=lambda end: end.text != "best")


def _draw_bounds(curves: IoCurves, ax: Axes) -> list[LineEnd]:
    """Draw the bounds that are the best one somewhere, as far as they say something, with their names."""
    x, best, style = curves.values, curves.best_bound, bound_lines(curves.bounds)
    ax.fill_between(x, best, 1, facecolor="#dddddd", edgecolor="none", zorder=0)
    ax.plot(x, best, color="#444444", label="best proved bound")
    rows: list[tuple[float, float]] = []
    for name, values in curves.bounds.items():
        leading = [n for n, value in enumerate(values) if value == best[n]]
        if not leading:
            continue
        near = [n for n, value in enumerate(values) if value is not None and value >= 0.5 * best[n]]
        ax.plot([x[n] for n in near], [float(values[n] or 1) for n in near], label=name, **style[name])
        place = leading[len(leading) // 2]
        side = "left" if not place or curves.against == "N" else "center" if place < len(x) - 1 else "right"
        left, y = ax.transData.transform((x[place], float(best[place])))
        step = 1.2 * 0.8 * letter_points() * ax.figure.get_dpi() / 72
        wide = 0.6 * len(name) * step
        while any(abs(left - other) < 2 * wide and abs(y - taken) < step for other, taken in rows):
            y -= step / 4
        rows.append((left, y))
        down = (y - ax.transData.transform((1, float(best[place])))[1]) * 72 / ax.figure.get_dpi()
        style_of: dict[str, Any] = {"ha": side, "va": "top", "fontstyle": "italic", "color": "#333333"}
        style_of["path_effects"] = white_around("#dddddd")
        across = {"left": 6, "center": 0, "right": -3}[side]
        note(ax, name, (x[place], float(best[place])), (across, down - 4), **style_of)
    return [LineEnd(x[-1], best[-1], "best proved bound", "#444444", bold=True)]


def _limit(curves: IoCurves, ax: Axes) -> None:
    """Set the limits: a little room around all that is drawn."""
    counts = [value for values in curves.schedules.values() for value in values if value is not None]
    low, high = min(curves.best_bound), max([*counts, *curves.best_bound])
    ax.set_ylim(low / 3, high * 1.4)
    first, last = curves.values[0], curves.values[-1]
    ax.set_xlim((first, last) if first < last else (first / 2, last * 2))
    log_axes(ax)


def _mark_crossover(curves: IoCurves, ax: Axes) -> None:
    d = curves.problems[0].d
    low, high = ax.get_xlim()
    if low <= d * d <= high:
        ax.axvline(d * d, color="#444444", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
        at_top: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "path_effects": white_around()}
        note(ax, f"M = d² = {d * d:,}", (d * d, 1), (3, -3), verticalalignment="top", **at_top)
