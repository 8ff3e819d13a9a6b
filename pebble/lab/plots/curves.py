"""I/O against the size of fast memory, or against the length: every schedule and every proved bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import JsonResult
from pebble.computations.problem import Problem
from pebble.lab.plots.canvas import drawn_on, note, title
from pebble.lab.plots.labels import LineEnd, label_ends
from pebble.lab.plots.styles import bound_lines, lines
from pebble.lab.plots.varying import but_length, length_name, memories, problems_of
from pebble.lab.training import count_any_pass

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pebble.lab.count_table import CountTable
    from pebble.program.schedule import Schedule

__all__ = ["IoCurves", "draw_io", "io", "io_curves"]


@dataclass(frozen=True)
class IoCurves(JsonResult):
    """The numbers of the picture.

    Attributes
    ----------
    against : {"M", "N"}
        What varies.
    problems : tuple of Problem
        As many as there are points, or one.
    Ms : tuple of int
        Likewise.
    reports : tuple of CountTable
        One for each point.
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
    *,
    progress: Callable[[str], None] | None = None,
) -> IoCurves:
    """Count the points of :func:`io`; takes the same parameters.

    Parameters
    ----------
    progress : callable, optional
        Called with a line before each point is counted.

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
            if progress is not None:
                place = f"{len(reports) + 1} of {len(problems) * len(Ms)}"
                progress(f"{place}: M = {size:,}, {one.describe()}")
            reports.append(count_any_pass(one, size, chosen))
    against = "N" if len(problems) > 1 else "M"
    return IoCurves(against, problems, Ms, tuple(reports))


def io(
    problem: Problem | Iterable[Problem],
    M: SupportsIndex | Iterable[SupportsIndex],
    schedules: Iterable[str | Schedule] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw I/O against the size of fast memory, or against the length.

    Every point is a verified count. The shaded area is below the best proved bound: no schedule can be there.
    Against M a vertical line marks d², where the large-cache regime begins.

    Parameters
    ----------
    problem : Problem or iterable of Problem
        One problem, or several that differ in their length.
    M : int or iterable of int
        Words of fast memory; several if there is one problem.
    schedules : iterable of str or Schedule, optional
        By default all that serve the pass. One that fits nowhere is not drawn.
    ax : Axes, optional
        Where to draw; by default new axes on a figure of their own, without a display.

    Returns
    -------
    Axes
        Write them to a file with :func:`pebble.lab.plots.save`.
    """
    return draw_io(io_curves(problem, M, schedules), ax)


def draw_io(curves: IoCurves, ax: Axes | None = None) -> Axes:
    """Draw numbers that have been counted; InvalidInput if no schedule fits anywhere."""
    if not any(row.fits for report in curves.reports for row in report.rows):
        raise InvalidInput(f"there is nothing to draw: {curves.reports[-1].why_nothing_fits()}")
    with drawn_on(ax) as target:
        _set_up(curves, target)
        ends = [*_draw_bounds(curves, target), *_draw_schedules(curves, target)]
        _limit(curves, target)
        if curves.against == "M":
            _mark_crossover(curves, target)
        label_ends(target, ends)
        found: Axes = target
    return found


def _set_up(curves: IoCurves, ax: Axes) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylabel("I/O (words read and written)")
    problem = curves.problems[0]
    if curves.against == "M":
        ax.set_xlabel("fast memory M (words)")
        title(ax, "I/O against fast memory", problem.describe())
        return
    name = length_name(curves.problems)
    ax.set_xlabel(f"{name} ({'queries and keys' if name == 'N' else 'keys'})")
    M = curves.Ms[0]
    title(ax, "I/O against length", but_length(problem), f"M = {M:,} words", f"M/d² = {M / problem.d**2:.3g}")


def _draw_schedules(curves: IoCurves, ax: Axes) -> list[LineEnd]:
    found = {name: values for name, values in curves.schedules.items() if any(v is not None for v in values)}
    ends = []
    for name, style in lines(found).items():
        points = [(x, y) for x, y in zip(curves.values, found[name], strict=True) if y is not None]
        every = max(1, len(points) // 8)
        # Lines that lie on each other have their markers at different places.
        offset = list(found).index(name) % every
        ax.plot(
            [x for x, _ in points],
            [y for _, y in points],
            label=name,
            linewidth=2.2 if name == "best" else 1.2,
            markersize=4.5,
            markevery=(min(offset, len(points) - 1), every),
            **style,
        )
        ends.append(LineEnd(*points[-1], name, style["color"], bold=name == "best"))
    return sorted(ends, key=lambda end: end.text != "best")


def _draw_bounds(curves: IoCurves, ax: Axes) -> list[LineEnd]:
    x, best, style = curves.values, curves.best_bound, bound_lines(curves.bounds)
    for name, values in curves.bounds.items():
        # Far below the best one a bound says nothing; it would only stretch the picture.
        near = [n for n, value in enumerate(values) if value is not None and value >= 0.5 * best[n]]
        if not near:
            continue
        found = [float(value) for value in (values[n] for n in near) if value is not None]
        ax.plot([x[n] for n in near], found, label=name, **style[name])
        leading = [n for n in near if values[n] == best[n]]
        # Where it is the best one; a bound that never is has its name at its end.
        place = leading[len(leading) // 2] if leading else near[-1]
        left = curves.against == "M" and place > 0
        note(
            ax,
            name,
            (x[place], values[place] or 1),
            (-2, -4) if left else (5, -5),
            fontsize=7.5,
            fontstyle="italic",
            color="#333333",
            horizontalalignment="right" if left else "left",
            verticalalignment="top",
            annotation_clip=True,
        )
    ax.plot(x, best, color="#444444", linewidth=1.6, label="best proved bound")
    ax.fill_between(x, best, 1, facecolor="#dddddd", edgecolor="none", zorder=0)
    return [LineEnd(x[-1], best[-1], "best proved bound", "#444444", bold=True)]


def _limit(curves: IoCurves, ax: Axes) -> None:
    """Set the limits: a little room around all that is drawn."""
    counts = [value for values in curves.schedules.values() for value in values if value is not None]
    low, high = min(curves.best_bound), max([*counts, *curves.best_bound])
    ax.set_ylim(low / 1.6, high * 1.4)
    first, last = curves.values[0], curves.values[-1]
    ax.set_xlim((first, last) if first < last else (first / 2, last * 2))


def _mark_crossover(curves: IoCurves, ax: Axes) -> None:
    d = curves.problems[0].d
    low, high = ax.get_xlim()
    if low <= d * d <= high:
        ax.axvline(d * d, color="#444444", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
        at_top: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "verticalalignment": "top"}
        note(ax, f"M = d² = {d * d:,}", (d * d, 1), (3, -3), fontsize=8, **at_top)
