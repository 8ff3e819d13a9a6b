"""Occupancy: what fast memory holds during one run, and the words moved so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput, PebbleError
from pebble.common.plain import plain
from pebble.common.tables import JsonResult, tiles_text
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.lab.pebblings import Pebbling, moves
from pebble.lab.plots.canvas import drawn_on, is_narrow, legend_beside, note, number_axis, picture, title
from pebble.lab.plots.styles import fills
from pebble.program.counting.plain import Machine
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOVE_LIMIT = 200_000
"""Up to this many loads, stores and computations, a run is followed move by move."""
STEP_LIMIT = 400_000
"""A longer run is followed operation by operation, up to this many."""

_LOAD, _STORE, _COMPUTE, _DELETE = range(4)


@dataclass(frozen=True)
class Timeline:
    """One run, sample by sample; columns of equal length.

    Attributes
    ----------
    resolution : {"moves", "steps"}
        Whether there is a sample after every load, store and computation of one word, or after every operation
        of the program on a box of words. The first sample is the start and the last one the end.
    time : ndarray of int64
        Loads, stores and computations of one word so far; deletions take no time.
    held : dict of str to ndarray of int64
        Words in fast memory at that moment, by array.
    highest : ndarray of int64
        The most words in fast memory at any moment since the sample before.
    reads, writes : ndarray of int64
        Words loaded and stored so far.
    """

    schedule: str
    problem: Problem
    M: int
    tiles: Mapping[str, int]
    resolution: str
    time: NDArray[np.int64]
    held: dict[str, NDArray[np.int64]]
    highest: NDArray[np.int64]
    reads: NDArray[np.int64]
    writes: NDArray[np.int64]

    @property
    def peak(self) -> int:
        """The most words that were ever in fast memory."""
        return int(self.highest.max())

    @property
    def io(self) -> int:
        """Words moved in the whole run."""
        return int(self.reads[-1] + self.writes[-1])

    @property
    def occupied(self) -> NDArray[np.int64]:
        """Words in fast memory at each sample."""
        total: NDArray[np.int64] = np.array(list(self.held.values())).sum(axis=0)
        return total


def timeline(
    schedule: str | Schedule,
    problem: Problem,
    M: int | None = None,
    tiles: Tiles | str | None = None,
    *,
    resolution: str | None = None,
) -> Timeline:
    """Follow one run of a schedule from the first move to the last.

    Parameters
    ----------
    schedule, problem, M, tiles
        As for :func:`pebble.moves`.
    resolution : {"moves", "steps"}, optional
        By default moves for runs of at most 200,000 of them, else steps. Both are exact; moves show the words
        of one operation one by one.

    Notes
    -----
    The run is executed in full, never by induction; cost: 1 µs a move, or 20 µs an operation of the program.

    Examples
    --------
    >>> seen = timeline("flash-2", Problem.square(4, 2), M=16)
    >>> seen.io, seen.peak, int(seen.time[-1])
    (48, 14, 152)
    """
    pebbling = moves(schedule, problem, M, tiles)
    if resolution is None:
        resolution = "moves" if pebbling.io + pebbling.computes <= MOVE_LIMIT else "steps"
    if resolution not in ("moves", "steps"):
        raise InvalidInput(f"resolution is 'moves' or 'steps', not {resolution!r}")
    columns = _by_moves(pebbling) if resolution == "moves" else _by_steps(pebbling)
    name = schedule if isinstance(schedule, str) else schedule.name
    found = Timeline(name, problem, pebbling.M, dict(pebbling.tiles), resolution, *columns)
    if (found.io, found.peak) != (pebbling.io, pebbling.peak):
        raise PebbleError(
            f"{name}: followed {resolution} by {resolution} it moves {found.io} words with a peak of {found.peak}, "
            f"and the machine counts {pebbling.io} and {pebbling.peak}; please report this"
        )
    return found


_Columns = tuple[
    "NDArray[np.int64]",
    dict[str, "NDArray[np.int64]"],
    "NDArray[np.int64]",
    "NDArray[np.int64]",
    "NDArray[np.int64]",
]


def _by_moves(pebbling: Pebbling) -> _Columns:
    total = pebbling.io + pebbling.computes
    if total > 10 * MOVE_LIMIT:
        raise InvalidInput(f"{total:,} moves are too many to follow one by one; use resolution 'steps'")
    chunks = list(pebbling)
    op = np.concatenate([part for part, _ in chunks])
    vertex = np.concatenate([part for _, part in chunks])
    change = _changes(op, vertex, pebbling.family)
    keep = op != _DELETE
    arrays = pebbling.family.own_arrays
    starts = np.array([pebbling.family.offset(array.name) for array in arrays])
    owner = np.searchsorted(starts, vertex, side="right") - 1
    held = {
        array.name: _samples(np.where(owner == number, change, 0), keep)
        for number, array in enumerate(arrays)
    }
    time, reads, writes = (
        _samples(which.astype(np.int64), keep) for which in (keep, op == _LOAD, op == _STORE)
    )
    return time, held, _samples(change, keep), reads, writes


def _changes(op: NDArray[np.int8], vertex: NDArray[np.int64], family: Family) -> NDArray[np.int64]:
    """Return by how many words each move changes what is in fast memory."""
    red = bytearray(family.n_vertices)
    change = np.zeros(len(op), dtype=np.int64)
    for place, (action, v) in enumerate(zip(op.tolist(), vertex.tolist(), strict=True)):
        if action == _DELETE:
            change[place] = -red[v]
            red[v] = 0
        elif action != _STORE:
            change[place] = 1 - red[v]
            red[v] = 1
    return change


def _samples(change: NDArray[np.int64], keep: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the running sum at the start, after every move but deletions, and at the end."""
    total = np.cumsum(change)
    return np.concatenate([[0], total[keep], total[-1:]])


def _row(machine: Machine) -> tuple[int, ...]:
    """Return the time, the most words during the last operation, the words moved so far, and what is held."""
    reads, writes, computes = (
        sum(machine.counts[action].values()) for action in ("load", "store", "compute")
    )
    return (reads + writes + computes, machine.top, reads, writes, *machine.held.values())


def _by_steps(pebbling: Pebbling) -> _Columns:
    names = [array.name for array in pebbling.family.arrays]
    rows = [(0,) * (4 + len(names))]
    try:
        run(
            pebbling.program,
            pebbling.family,
            pebbling.M,
            induction=False,
            observe=lambda machine: rows.append(_row(machine)),
            step_limit=STEP_LIMIT,
        )
    except InvalidInput as error:
        raise InvalidInput(
            f"the run takes more than {STEP_LIMIT:,} operations, too many to follow; use a smaller "
            "problem, or whole tiles (such as tiles literal) instead of streamed ones"
        ) from error
    columns = np.array(rows, dtype=np.int64).T
    held = {name: columns[4 + number] for number, name in enumerate(names)}
    return columns[0], held, columns[1], columns[2], columns[3]


STRETCHES = 240
"""About how many stretches of time a long run is cut into; one sample of each is drawn."""


@dataclass(frozen=True)
class Occupancy(JsonResult):
    """The numbers of the picture: all samples of a short run; of a long one, the fullest of each stretch of time.

    ``drawn`` are the samples of the run that are drawn; ``lowest`` has for each of them the fewest words in fast
    memory during its stretch of time.
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
    run = timeline(schedule, problem, M, tiles, resolution=resolution)
    return Occupancy(run, *_chosen(run))


def _chosen(run: Timeline) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the samples to draw, both ends of the run among them, and the fewest words around each."""
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
