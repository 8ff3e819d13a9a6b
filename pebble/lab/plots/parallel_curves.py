"""Words that the busiest device receives against the number of devices, and which schedule is best over N and P."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pebble.common.clock import doing, tell
from pebble.common.errors import InvalidInput
from pebble.common.tables import JsonResult
from pebble.lab.plots.canvas import drawn_on, legend_beside, letter_points, log_axes, points_wide, title
from pebble.lab.plots.labels import LineEnd, label_ends, wrapped
from pebble.lab.plots.styles import bound_lines, lines, on_fill
from pebble.program.parallel import SharedProblem, distributed_schedules

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pebble.lab.parallel import Links, ParallelReport


@dataclass(frozen=True)
class ParallelCurves(JsonResult):
    """The numbers of a picture against P.

    Attributes
    ----------
    problems : tuple of SharedProblem
        One for each number of devices.
    schedules : mapping of str to tuple of int or None
        Words that the busiest device receives; None where a schedule does not apply.
    bound : tuple of int or None
        The bound Φ, or in the backward pass D3-total over P; None where it does not apply or says nothing.
    """

    plot = "parallel"
    KEYS = (
        "plot N=first.N d=first.d heads=first.heads kv_heads=first.kv_heads pass=first.pass_name mask=first.mask "
        "layout=first.layout P=Ps received_max=schedules bound"
    )

    problems: tuple[SharedProblem, ...]
    schedules: dict[str, tuple[int | None, ...]]
    bound: tuple[int | None, ...]

    @property
    def first(self) -> SharedProblem:
        """The problem with the first number of devices."""
        return self.problems[0]

    @property
    def Ps(self) -> list[int]:
        """The numbers of devices."""
        return [problem.P for problem in self.problems]


@dataclass(frozen=True)
class ParallelWinners(JsonResult):
    """The numbers of a picture over N and P.

    For each N and P there is the best schedule, and its exposed time over the time of its work; None where there
    are fewer tokens than tiles. ``text`` says of what it is drawn.
    """

    plot = "parallel"
    KEYS = "plot N=Ns P=Ps best exposed_over_work=ratios"

    Ns: tuple[int, ...]
    Ps: tuple[int, ...]
    best: tuple[tuple[str | None, ...], ...]
    ratios: tuple[tuple[float | None, ...], ...]
    text: str


def parallel_curves(
    problems: Iterable[SharedProblem], schedules: Sequence[str] | None = None
) -> ParallelCurves:
    """Count schedules for several numbers of devices; they may differ in P only.

    Examples
    --------
    >>> curves = parallel_curves([SharedProblem(64, 2, P) for P in (2, 4)], ["ring"])
    >>> curves.schedules
    {'ring': (128, 192)}
    """
    from pebble.lab.parallel import parallel

    chosen = tuple(problems)
    if not chosen:
        raise InvalidInput("give at least one number of devices")
    reports = []
    for problem in chosen:
        with doing(f"P = {problem.P:,}"):
            reports.append(parallel(problem, schedules))
    names = dict.fromkeys(row.name for report in reports for row in report.rows)
    received = [{row.name: row.received_max for row in report.rows} for report in reports]
    words = {name: tuple(counts.get(name) for counts in received) for name in names}
    return ParallelCurves(chosen, words, tuple(_bound(report) for report in reports))


def parallel_winners(
    problem: SharedProblem,
    Ns: Iterable[int],
    Ps: Iterable[int],
    links: Links,
    schedules: Sequence[str] | None = None,
) -> ParallelWinners:
    """Find the fastest schedule for several lengths and numbers of devices; of equals, the first.

    The problem gives the heads, the head dimension, the pass, the mask and the layout.

    Examples
    --------
    >>> from pebble import Links
    >>> found = parallel_winners(SharedProblem(64, 2, 2), [64], [2, 4], Links(1e6, 1e9), ["ring", "grid"])
    >>> found.best
    (('ring', 'grid'),)
    """
    lengths, devices = tuple(Ns), tuple(Ps)
    best, ratios = [], []
    for N in lengths:
        cells = [_fastest(problem, N, P, links, schedules) for P in devices]
        best.append(tuple(name for name, _ in cells))
        ratios.append(tuple(ratio for _, ratio in cells))
    text = problem.describe().replace(f"N = {problem.N:,}, ", "").replace(f"on {problem.P:,} devices, ", "")
    return ParallelWinners(lengths, devices, tuple(best), tuple(ratios), text)


def draw_parallel(curves: ParallelCurves, ax: Axes | None = None) -> Axes:
    """Draw words against P, and the bound; schedules that receive the same are one line."""
    same: dict[tuple[int | None, ...], list[str]] = {}
    for name, words in curves.schedules.items():
        if any(words):
            same.setdefault(words, []).append(name)
    with drawn_on(ax) as target:
        Ps, styles, ends = curves.Ps, _styles(), list[LineEnd]()
        drawn = [(words, names, styles[names[0]]) for words, names in same.items()]
        drawn.append((curves.bound, ["lower bound"], bound_lines(["bound"])["bound"]))
        for words, names, style in drawn:
            here = [(P, count) for P, count in zip(Ps, words, strict=True) if count]
            if here:
                label = ", ".join(names)
                (line,) = target.plot(*zip(*here, strict=True), label=label, clip_on=False, **style)
                ends.append(LineEnd(*here[-1], wrapped(label), line.get_color()))
        log_axes(target)
        if len(Ps) > 1:
            target.set_xlim(Ps[0], Ps[-1])
        target.set_xticks(Ps, [f"{P:,}" for P in Ps])
        target.set_xticks([], minor=True)
        target.set_xlabel("devices, P")
        target.set_ylabel("words that the busiest device receives")
        about = curves.first.describe().replace(f" on {Ps[0]:,} devices,", "")
        title(target, "Attention on several devices", about)
        label_ends(target, ends)
    return target


def draw_winners(winners: ParallelWinners, ax: Axes | None = None) -> Axes:
    """Draw which schedule is fastest over N and P, with exposed time over the time of the work in each cell."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    styles = _styles()
    there = {name for row in winners.best for name in row if name}
    names = [name for name in styles if name in there]
    if not names:
        raise InvalidInput("no schedule applies anywhere in this range: use more tokens or fewer devices")
    with drawn_on(ax) as target:
        cells = [[names.index(name) if name else -1 for name in row] for row in winners.best]
        colours: list[Any] = [_shade(styles[name]["color"], place) for place, name in enumerate(names)]
        target.pcolormesh(
            cells,
            cmap=ListedColormap(["white", *colours]),
            vmin=-1.5,
            vmax=len(names) - 0.5,
            edgecolors="white",
        )
        named = points_wide(target) > 0.6 * letter_points() * max(map(len, names)) * len(winners.Ps)
        for y, row in enumerate(winners.ratios):
            for x, ratio in enumerate(row):
                best = winners.best[y][x]
                text = "–" if ratio is None else f"{best}\n{ratio:.2g}" if named else f"{ratio:.2g}"
                ink = on_fill({"facecolor": colours[cells[y][x]] if best else "#ffffff"})
                target.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize="small", color=ink)
        target.set_xticks([x + 0.5 for x in range(len(winners.Ps))], [f"{P:,}" for P in winners.Ps])
        target.set_yticks([y + 0.5 for y in range(len(winners.Ns))], [f"{N:,}" for N in winners.Ns])
        target.set_xlabel("devices, P")
        target.set_ylabel("tokens, N")
        title(target, "Fastest schedule; numbers: exposed wire time ÷ arithmetic time", winners.text)
        legend_beside(target, [Patch(color=colour) for colour in colours], names)
    return target


def _styles() -> dict[str, dict[str, Any]]:
    """Return how to draw each schedule for several devices, the same in every picture."""
    names = [schedule.name for schedule in distributed_schedules()]
    return lines(names, names)


def _shade(colour: Any, place: int) -> tuple[float, float, float]:
    """Return a paler colour, and in every other place a much paler one: neighbours differ in lightness too."""
    from matplotlib.colors import to_rgb

    share = 0.7 if place % 2 else 0.25
    red, green, blue = (share * part + 1 - share for part in to_rgb(colour))
    return red, green, blue


def _bound(report: ParallelReport) -> int | None:
    """Return what some device receives at least if all do equal work."""
    known = {bound.name: int(bound.value) for bound in report.bounds}
    words = known.get("Phi", -(-known.get("D3-total", 0) // report.problem.P))
    return words or None


def _fastest(
    problem: SharedProblem, N: int, P: int, links: Links, schedules: Sequence[str] | None
) -> tuple[str | None, float | None]:
    """Return the fastest schedule for a length and a number of devices, and its times' ratio."""
    tell(f"N = {N:,}, P = {P:,}")
    from pebble.lab.parallel.comparing import fastest

    try:
        best = fastest(replace(problem, N=N, P=P), schedules, links)
    except InvalidInput:
        return None, None
    if best is None or best.wire is None:
        return None, None
    return best.name, best.wire.exposed_seconds / best.wire.arithmetic_seconds
