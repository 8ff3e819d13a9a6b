"""A heat map of the optimality gap, least I/O ÷ best proved bound, over M/d² and N/d."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, SupportsIndex

from pebble.common.clock import doing
from pebble.common.errors import InvalidInput
from pebble.common.tables import JsonResult
from pebble.computations.problem import Problem
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.plots.canvas import drawn_on, legend_beside, picture, title, white_around
from pebble.lab.plots.varying import but_length, length_name, memories, problems_of
from pebble.lab.training import count_any_pass, offered_names
from pebble.program.schedule import Schedule, fitting_each

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh


NUMBERED_CELLS = 200
"""Up to this many cells, each shows its number, and there is no colour scale."""
FEW_CELLS = 40
"""Up to this many cells, the numbers are larger, and each cell has labels on the axes."""


@dataclass(frozen=True)
class Gap(JsonResult):
    """The numbers of the picture.

    There is a row for each problem, by rising length, and a column for each M: the least I/O divided by the
    greatest proved bound, and the schedule that has it; None where nothing fits.
    """

    plot = "gap"
    KEYS = "plot problems M=Ms schedules ratios best"

    problems: tuple[Problem, ...]
    Ms: tuple[int, ...]
    ratios: tuple[tuple[float | None, ...], ...]
    best: tuple[tuple[str | None, ...], ...]
    schedules: tuple[str, ...]


def gaps(
    problems: Problem | Iterable[Problem],
    M: SupportsIndex | Iterable[SupportsIndex],
    schedules: Iterable[str | Schedule] | None = ("best",),
) -> Gap:
    """Count verified I/O over the best proved bound; where that is 1, a schedule is proved to be optimal.

    Parameters
    ----------
    problems : Problem or iterable of Problem
        They may differ in their length only; one row each.
    M : int or iterable of int
        Words of fast memory; one column each.
    schedules : iterable of str or Schedule, optional
        Whose least I/O is taken; ``best`` by default, None for all.

    Examples
    --------
    >>> found = gaps(Problem.square(4096, 64), [25_000])
    >>> round(found.ratios[0][0], 3), found.best
    (1.07, (('flash-2-mixed',),))
    """
    rows, columns = problems_of(problems), memories(M)
    chosen = None if schedules is None else list(schedules)
    cells: list[tuple[float | None, str | None]] = []
    for problem, size in product(rows, columns):
        place = f"{len(cells) + 1} of {len(rows) * len(columns)}"
        with doing(f"{place}: {problem.describe()}, M = {size:,}"):
            cells.append(_cell(problem, size, chosen))
    by_row = [cells[at : at + len(columns)] for at in range(0, len(cells), len(columns))]
    ratios = tuple(tuple(ratio for ratio, _ in row) for row in by_row)
    best = tuple(tuple(name for _, name in row) for row in by_row)
    names = tuple(one if isinstance(one, str) else one.name for one in chosen or offered_names(rows[0]))
    return Gap(rows, columns, ratios, best, names)


def _cell(
    problem: Problem, M: int, schedules: list[str | Schedule] | None
) -> tuple[float | None, str | None]:
    """Count the schedule with the least I/O: of one pass only that one, which a search of all their tiles tells."""
    if problem.pass_name != "both":
        asked = asked_schedules(schedules, problem)
        found = zip(fitting_each(asked, problem, M), asked, strict=True)
        words = [(one.words, schedule) for one, schedule in found if one and not isinstance(one, Exception)]
        if not words:
            return None, None
        schedules = [min(words, key=lambda pair: pair[0])[1]]
    report = count_any_pass(problem, M, schedules)
    fitting_rows = [(row.io, row.chosen or row.name) for row in report.rows if row.io is not None]
    if not fitting_rows:
        return None, None
    io, name = min(fitting_rows, key=lambda pair: pair[0])
    return io / report.best_bound[1], name


def draw_gap(found: Gap, ax: Axes | None = None) -> Axes:
    """Draw a heat map, and lines at M = d² and M = N·d, where fast memory could hold one whole matrix."""
    counts = [ratio for row in found.ratios for ratio in row if ratio is not None]
    if not counts:
        raise InvalidInput("no schedule fits anywhere in this range: give larger sizes of fast memory (M)")
    d = found.problems[0].d
    x = [size / d**2 for size in found.Ms]
    y = [problem.Nk / d for problem in found.problems]
    with drawn_on(ax) as target:
        mesh = _draw_cells(target, x, y, found, max(counts))
        if len(x) * len(y) > NUMBERED_CELLS:
            target.figure.colorbar(mesh, ax=target, label="least I/O ÷ best proved bound")
        _set_up(found, target, x, y)
    return target


gap = picture(gaps, draw_gap, "Draw the optimality gap over M/d² and N/d.")


def _draw_cells(ax: Axes, x: list[float], y: list[float], found: Gap, highest: float) -> QuadMesh:
    import numpy as np

    cells = np.array([[math.nan if r is None else r for r in row] for row in found.ratios])
    ax.set_facecolor("white")
    mesh = ax.pcolormesh(
        _edges(x),
        _edges(y),
        np.ma.masked_invalid(cells),
        cmap="cividis_r",
        vmin=1.0,
        vmax=max(highest, 1.01),
        edgecolors="white",
        linewidth=0.4,
    )
    if cells.size <= NUMBERED_CELLS:
        _write_numbers(ax, x, y, found.ratios, mesh)
    return mesh


def _write_numbers(
    ax: Axes, x: list[float], y: list[float], ratios: Sequence[Sequence[float | None]], mesh: QuadMesh
) -> None:
    import numpy as np

    size = "small" if len(x) * len(y) <= FEW_CELLS else "xx-small"
    for place_y, row in zip(y, ratios, strict=True):
        for place_x, ratio in zip(x, row, strict=True):
            under: Any = (1, 1, 1) if ratio is None else mesh.to_rgba(np.array([ratio]))[0]
            text, colour = (
                "–" if ratio is None else f"{ratio:.2f}",
                "black" if sum(under[:3]) > 1.4 else "white",
            )
            # On the colour of its cell, to be readable where a line runs behind it.
            style: dict[str, Any] = {"ha": "center", "va": "center", "path_effects": white_around(under)}
            ax.text(place_x, place_y, text, fontsize=size, color=colour, zorder=5, **style)


def _edges(centres: list[float]) -> list[float]:
    """Return the borders of cells around their centres, on a logarithmic scale."""
    if len(centres) == 1:
        return [centres[0] / math.sqrt(2), centres[0] * math.sqrt(2)]
    inner = [math.sqrt(a * b) for a, b in pairwise(centres)]
    return [centres[0] ** 2 / inner[0], *inner, centres[-1] ** 2 / inner[-1]]


def _set_up(found: Gap, ax: Axes, x: list[float], y: list[float]) -> None:
    ax.set_xscale("log")
    ax.set_yscale("log")
    horizontal, vertical = _edges(x), _edges(y)
    ax.set_xlim(horizontal[0], horizontal[-1])
    ax.set_ylim(vertical[0], vertical[-1])
    for axis, counted in ((ax.xaxis, x), (ax.yaxis, y)):
        if len(counted) == 1 or len(x) * len(y) <= FEW_CELLS:
            # A cell has a width; what is beside its middle was not counted.
            axis.set_ticks(counted, [f"{place:,.4g}" for place in counted])
            axis.set_ticks([], minor=True)
    name = length_name(found.problems)
    ax.set_xlabel("words of fast memory ÷ d²")
    ax.set_ylabel(f"{'length' if name == 'N' else 'keys'} {name} ÷ d")
    least = "least I/O" if len(found.schedules) > 4 else f"I/O of {' or '.join(found.schedules)}"
    title(ax, f"{least} ÷ best proved bound", but_length(found.problems[0]))
    _mark(ax, horizontal, vertical)


def _mark(ax: Axes, horizontal: list[float], vertical: list[float]) -> None:
    """Mark M = d² and M = N·d, where they can be seen."""
    style: dict[str, Any] = {"color": "black", "linewidth": 1.2, "zorder": 3}
    if horizontal[0] < 1 < horizontal[-1]:
        ax.axvline(1, linestyle=(0, (2, 2)), label="M = d²", **style)
    low, high = max(horizontal[0], vertical[0]), min(horizontal[-1], vertical[-1])
    if len(vertical) == 2:
        only = math.sqrt(vertical[0] * vertical[1])
        if horizontal[0] < only < horizontal[-1]:
            ax.axvline(only, linestyle="-.", label="M = N·d", **style)
    elif low < high:
        ax.plot([low, high], [low, high], linestyle="-.", label="M = N·d", **style)
    if ax.get_legend_handles_labels()[0]:
        legend_beside(ax, below=True)
