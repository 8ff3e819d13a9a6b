"""Occupancy: what fast memory holds during one run, and the words moved so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pebble.common.errors import InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import JsonResult, tiles_text
from pebble.computations.problem import Problem
from pebble.lab.plots.canvas import drawn_on, is_narrow, legend_beside, note, number_axis, picture, title
from pebble.lab.plots.styles import fills
from pebble.program.schedule import Schedule, Tiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pebble.lab.timeline import Timeline

STRETCHES = 240
"""About how many stretches of time a long run is cut into; one sample of each is drawn."""


@dataclass(frozen=True)
class Occupancy(JsonResult):
    """The numbers of the picture: all samples of a short run; of a long one, the fullest of each stretch of time.

    Attributes
    ----------
    run : Timeline
        Every sample.
    drawn : tuple of int
        Which of them are drawn.
    lowest : tuple of int
        For each of them, the fewest words in fast memory during its stretch of time.
    """

    plot = "occupancy"
    KEYS = (
        "plot schedule=run.schedule problem=run.problem M=run.M tiles=run.tiles resolution=run.resolution "
        "peak=run.peak io=run.io"
    )

    run: Timeline
    drawn: tuple[int, ...]
    lowest: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Whether every sample is drawn."""
        return len(self.drawn) == len(self.run.time)

    def column(self, name: str) -> list[int]:
        """Return a column of the run at the samples drawn: ``time``, ``highest``, ``reads`` or ``writes``."""
        column = getattr(self.run, name)
        return [int(column[number]) for number in self.drawn]

    @property
    def held(self) -> dict[str, list[int]]:
        """Words in fast memory at the samples drawn, by array; arrays that are never there are left out."""
        return {
            name: [int(column[number]) for number in self.drawn]
            for name, column in self.run.held.items()
            if column.any()
        }

    def content(self) -> dict[str, Any]:
        """Return the plain data, all but the schema version."""
        columns = {name: self.column(name) for name in ("time", "highest", "reads", "writes")}
        return super().content() | {"samples": len(self.run.time), **columns} | plain(self, "lowest held")


def occupancy_of(
    schedule: str | Schedule,
    problem: Problem,
    M: int | None = None,
    tiles: Tiles | str | None = None,
    *,
    resolution: str | None = None,
) -> Occupancy:
    """Follow one run of a schedule.

    Time is the number of loads, stores and computations of single words. Runs of up to 200,000 of these are
    followed move by move, longer ones operation by operation. Either way the peak and the I/O are those of the
    verified count.

    Parameters
    ----------
    schedule, problem, M, tiles
        As for :func:`pebble.moves`.
    """
    from pebble.lab.timeline import timeline  # which takes a while to import

    run = timeline(schedule, problem, M, tiles, resolution=resolution)
    return Occupancy(run, *_chosen(run))


def _chosen(run: Timeline) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the samples to draw, both ends of the run among them, and the fewest words around each."""
    import numpy as np

    occupied, count = run.occupied, len(run.time)
    if count <= 5 * STRETCHES:
        return tuple(range(count)), tuple(occupied.tolist())
    stretch = run.time * STRETCHES // (int(run.time[-1]) + 1)
    starts = np.flatnonzero(np.diff(stretch, prepend=-1)).tolist()
    found = {0: 0, count - 1: int(occupied[-1])}
    held = np.array(list(run.held.values()))
    for start, end in zip(starts, [*starts[1:], count], strict=True):
        highest = run.highest[start:end]
        fullest = start + np.flatnonzero(highest == highest.max())
        # Of several the one with most of the last arrays, so that stretches that do the same look the same.
        chosen = int(fullest[np.lexsort(held[:, fullest])[-1]])
        found.setdefault(chosen, int(occupied[start:end].min()))
    return tuple(sorted(found)), tuple(found[number] for number in sorted(found))


def draw_occupancy(found: Occupancy, ax: tuple[Axes, Axes] | None = None) -> tuple[Axes, Axes]:
    """Draw what fast memory holds on the first of a pair of axes, and on the second the words moved so far."""
    if ax is not None and not (isinstance(ax, (tuple, list)) and len(ax) == 2):
        raise InvalidInput("occupancy draws two pictures: give a pair of axes, memory first")
    with drawn_on(ax, height=6.0, rows=2, legend=5) as pair:
        memory, traffic = cast("tuple[Axes, Axes]", pair)
        _draw_memory(found, memory)
        _draw_traffic(found, traffic)
        _explain(memory, traffic)
        run = found.run
        tiles = f" with {tiles_text(run.tiles)}" if run.tiles else ""
        about = run.problem.single.describe(), f"M = {run.M:,} words"
        title(memory, f"One run of {run.schedule}{tiles}", *about)
    return memory, traffic


occupancy = picture(
    occupancy_of, draw_occupancy, "Draw what fast memory holds during one run, and the words moved."
)


def _draw_memory(found: Occupancy, ax: Axes) -> None:
    time, held, M = found.column("time"), found.held, found.run.M
    top_name = "in use" if found.whole and found.run.resolution == "moves" else "most in use"
    bottom = [0] * len(time)
    for name, style in fills(held).items():
        top = [a + b for a, b in zip(bottom, held[name], strict=True)]
        ax.fill_between(time, bottom, top, label=name, step="post", **{**style, "linewidth": 0})
        bottom = top
    ax.step(time, found.column("highest"), where="post", color="black", linewidth=0.8, label=top_name)
    if not found.whole:
        dots: dict[str, Any] = {"color": "black", "linewidth": 0.8, "linestyle": ":"}
        ax.step(time, found.lowest, where="post", label="least in use", **dots)
    ax.axhline(M, color="black", linewidth=1, linestyle=(0, (4, 2)))
    at_right: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
    note(ax, f"M = {M:,}; peak {found.run.peak:,}", (1, M), (0, 2), **at_right)
    ax.set_ylim(0, M * 1.2)
    number_axis(ax.yaxis, M)
    ax.set_xlim(0, max(time[-1], 1))
    ax.set_ylabel("words in use")


def _explain(memory: Axes, traffic: Axes) -> None:
    """Write the legends: what is on top comes first; one for both below narrow axes."""
    (shades, names), (lines, counts) = (ax.get_legend_handles_labels() for ax in (memory, traffic))
    if is_narrow(traffic):
        legend_beside(traffic, shades[::-1] + lines, names[::-1] + counts)
    else:
        legend_beside(memory, shades[::-1], names[::-1], handleheight=1.4)
        legend_beside(traffic)


def _draw_traffic(found: Occupancy, ax: Axes) -> None:
    time, reads, writes = (found.column(name) for name in ("time", "reads", "writes"))
    both = [a + b for a, b in zip(reads, writes, strict=True)]
    styles: tuple[tuple[str, list[int], dict[str, Any]], ...] = (
        ("I/O", both, {"linestyle": "-", "color": "black"}),
        ("reads", reads, {"linestyle": "--", "color": "#0072b2"}),
        ("writes", writes, {"linestyle": ":", "color": "#d55e00"}),
    )
    for name, values, style in styles:
        ax.plot(time, values, label=f"{name}: {values[-1]:,}", **style)
    ax.set_ylim(0, max(both[-1], 1) * 1.05)
    number_axis(ax.yaxis, both[-1])
    number_axis(ax.xaxis, time[-1])
    ax.set_xlabel("time: loads, stores and computations of a word")
    ax.set_ylabel("words moved so far")
