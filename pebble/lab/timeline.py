"""One run of a schedule over time: what fast memory holds, and the words moved so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput, PebbleError
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.lab.pebblings import Pebbling, moves
from pebble.program.counting.plain import Machine
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles

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
    arrays = pebbling.family.arrays
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
