"""Schedules of loop nests by columns: what depends on itself, such as a factorization, at any size."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np

from pebble.computations.nests.points import TooManyPoints
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves
from pebble.solvers.nests.element_times import Inexact, Parameters
from pebble.solvers.nests.stream_axes import StreamAxes, stream_axes
from pebble.solvers.nests.stream_columns import Column, StreamColumns
from pebble.solvers.nests.stream_moves import stream_moves

__all__ = ["StreamPart", "StreamSchedule", "has_columns", "schedule_columns"]

_MOST_CELLS, _MOST_COLUMNS = 150_000_000, 20_000
"""Elements of all columns that a count may look at, and columns: some ten seconds."""
_MOST_STEPS = 1_000
"""So many steps are looked at for whether a sum goes on in one of the fullest."""
_MOST_TOGETHER = 5
"""So many statements are tried in the same columns where they need not be."""


@dataclass(frozen=True)
class StreamPart:
    """Some statements, computed column by column.

    Attributes
    ----------
    axes : StreamAxes
    sizes : mapping of str to int
        Of the tiles.
    starts : mapping of str to int
        Where the first tiles begin.
    reads, writes, peak : int
    """

    axes: StreamAxes
    sizes: Mapping[str, int]
    starts: Mapping[str, int]
    reads: int
    writes: int
    peak: int


@dataclass(frozen=True)
class StreamSchedule:
    """The parts of a loop nest, one after the other.

    Attributes
    ----------
    nest : LoopNest
    parts : tuple of StreamPart
    """

    nest: LoopNest
    parts: tuple[StreamPart, ...]

    @property
    def reads(self) -> int:
        """Words loaded."""
        return sum(part.reads for part in self.parts)

    @property
    def writes(self) -> int:
        """Words stored."""
        return sum(part.writes for part in self.parts)

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes

    @property
    def peak(self) -> int:
        """Most words in fast memory at any time."""
        return max(part.peak for part in self.parts)

    def __str__(self) -> str:
        return "\n".join(_text(self.nest, part) for part in self.parts)

    def moves(self) -> Iterator[Moves]:
        """Yield the moves of the elementary game on the nest's DAG, made anew each time."""
        return stream_moves(self.nest, [(part.axes, part.sizes, part.starts) for part in self.parts])


def has_columns(nest: LoopNest) -> bool:
    """Whether there are axes along which a nest can be computed in columns."""
    return any(all(_first(nest, numbers) for numbers in division) for division in _divisions(nest))


def _first(nest: LoopNest, numbers: Sequence[int]) -> bool:
    return next(stream_axes(nest, numbers), None) is not None


def schedule_columns(
    nest: LoopNest, M: int, *, progress: Callable[[str], None] | None = None
) -> StreamSchedule:
    """Find axes and tile sizes, and count what the columns move.

    Parameters
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    progress : callable, optional
        Called with a line of text now and then.

    Raises
    ------
    TooManyPoints
        If the nest has no such axes, no column fits, or columns are too large to be counted.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> text = "S[i,j] += L[i,k]*X[k,j] for k < i; X[i,j] = (B[i,j] - S[i,j])/L[i,i]"
    >>> found = schedule_columns(loop_nest(text, {"i": 200, "j": 100, "k": 199}, ["X"]), 1000)
    >>> found.io, found.peak
    (183500, 961)
    """
    for division in _divisions(nest):
        parts: list[StreamPart] = []
        for numbers in division:
            part = _part(nest, numbers, M, progress)
            if part is None:
                break
            parts.append(part)
        else:
            return StreamSchedule(nest, tuple(parts))
    raise TooManyPoints(
        "vertices and edges are too many to be scheduled one by one, and no columns of the nest are known that fit in "
        f"{M} words and are few enough to be counted; choose smaller extents"
    )


def _part(
    nest: LoopNest, numbers: Sequence[int], M: int, progress: Callable[[str], None] | None
) -> StreamPart | None:
    """Return columns of some statements, along the first axes that will do; None if there are none."""
    for axes in stream_axes(nest, numbers):
        try:
            columns = StreamColumns(nest, axes)
        except Inexact:
            continue
        # Tiles of targets take the square of their side, so that no sides are much larger than this one.
        if not _countable(columns, _sized(_extents(columns), isqrt(M))):
            continue
        sizes = _largest(columns, M)
        if sizes is None or not _countable(columns, sizes):
            continue
        tried = [sizes, *_oblong(columns, sizes, M)]
        if progress is not None:
            progress(f"counting some {len(tried) * columns.number(sizes):,} columns")
        found = [part for one in tried if (part := _counted(columns, one, M)) is not None]
        if found:
            return min(found, key=lambda part: part.reads + part.writes)
    return None


def _largest(columns: StreamColumns, M: int) -> dict[str, int] | None:
    """Return the largest tiles that fit in the columns that are looked at, of equal sides; None if none do."""
    extents = _extents(columns)
    most, low, high = max(extents.values(), default=1), 0, 1
    while _fits(columns, _sized(extents, high), M - columns.adds):
        low, high = high, 2 * high
        if low >= most:
            return _sized(extents, low)
    while low + 1 < high:
        middle = (low + high) // 2
        fits = _fits(columns, _sized(extents, middle), M - columns.adds)
        low, high = (middle, high) if fits else (low, middle)
    return _sized(extents, low) if low else None


def _oblong(columns: StreamColumns, sizes: Mapping[str, int], M: int) -> list[dict[str, int]]:
    """Return tiles of two axes whose sides are as 11 to 9 or 9 to 11, where counting is cheap."""
    if len(sizes) != 2 or not _countable(columns, sizes, _MOST_CELLS // 4):
        return []
    found = []
    extents = _extents(columns)
    for parts in ((11, 9), (9, 11)):
        for more in (2, 0, -2):
            sides = {
                name: (size + more) * part // 10
                for (name, size), part in zip(sizes.items(), parts, strict=True)
            }
            if all(1 <= side <= extents[name] for name, side in sides.items()) and _fits(
                columns, sides, M - columns.adds
            ):
                found.append(sides)
                break
    return found


def _extents(columns: StreamColumns) -> dict[str, int]:
    return {name: high - low + 1 for name, (low, high) in columns.ranges.items()}


def _sized(extents: Mapping[str, int], side: int) -> dict[str, int]:
    return {name: min(side, extent) for name, extent in extents.items()}


def _samples(columns: StreamColumns, sizes: Mapping[str, int]) -> Iterator[Parameters]:
    """Yield some columns: those at the ends of the axes, next to them, and in between."""
    numbers = [columns.tiles(name, sizes) for name in columns.axes.tiled]
    some = [sorted({n // 2, max(n - 2, 0), n - 1, 0}, reverse=True) for n in numbers]
    for tiles in itertools.product(*some):
        yield columns.column(sizes, tiles)


def _countable(columns: StreamColumns, sizes: Mapping[str, int], most: int = _MOST_CELLS) -> bool:
    """Whether all columns are so few and so small that they can be counted in seconds."""
    number = columns.number(sizes)
    cells = (columns.cells(at) for at in _samples(columns, sizes))
    return number <= _MOST_COLUMNS and number * max(cells) <= most


def _fits(columns: StreamColumns, sizes: Mapping[str, int], room: int) -> bool:
    return all(columns.count(at).room <= room for at in _samples(columns, sizes))


def _counted(columns: StreamColumns, sizes: Mapping[str, int], M: int) -> StreamPart | None:
    """Count all columns; tiles are made smaller while some column does not fit."""
    while True:
        every = [(at, columns.count(at)) for at in columns.columns(sizes)]
        peak = _peak(columns, every)
        if peak is not None and peak <= M:
            reads, writes = (sum(one.reads for _, one in every), sum(one.writes for _, one in every))
            starts = {name: low for name, (low, _) in columns.ranges.items()}
            return StreamPart(columns.axes, dict(sizes), starts, reads, writes, peak)
        if all(size == 1 for size in sizes.values()):
            return None
        sizes = {name: max(1, size - 1) for name, size in sizes.items()}


def _peak(columns: StreamColumns, every: Sequence[tuple[Parameters, Column]]) -> int | None:
    """Return the most words that are in fast memory; None if that is not known.

    A sum that goes on takes one word more for a moment. That matters where all words of a fullest step are there.
    """
    room = max(one.room for _, one in every)
    if not columns.adds:
        return room
    steps = [(at, step) for at, one in every if one.room == room for step in one.fullest]
    if any(columns.passes_on(at, step) for at, step in steps[:_MOST_STEPS]):
        return room + 1
    return room if len(steps) <= _MOST_STEPS else None


def _divisions(nest: LoopNest) -> Iterator[list[list[int]]]:
    """Yield the statements in parts that can be computed one after the other, and whole."""
    groups = _groups(nest)
    joined: list[list[int]] = []
    rank = 0
    for group in groups:
        if joined and (not rank or rank < max(len(nest.statements[at].indices) for at in group)):
            joined[-1] = sorted([*joined[-1], *group])
        else:
            joined.append(group)
        rank = max(len(nest.statements[at].indices) for at in joined[-1])
    yield joined
    if len(joined) > 1 and len(nest.statements) <= _MOST_TOGETHER:
        yield [list(range(len(nest.statements)))]


def _groups(nest: LoopNest) -> list[list[int]]:
    """Return the statements in an order of computation; those of arrays that depend on each other in one group."""
    numbers = range(len(nest.statements))
    reaches = np.eye(len(numbers), dtype=np.bool_)
    for after in numbers:
        statement = nest.statements[after]
        for before in numbers:
            array = nest.statements[before].target.array
            reaches[before, after] |= any(access.array == array for access in statement.reads)
            if array == statement.target.array:
                reaches[before, after] = reaches[after, before] = True
    for middle in numbers:
        reaches |= reaches[:, [middle]] & reaches[[middle], :]
    together = {tuple(np.flatnonzero(reaches[at] & reaches[:, at]).tolist()) for at in numbers}
    # What reaches more comes first; of two that do not reach each other, the one that stands first.
    return sorted(map(list, together), key=lambda group: (-int(reaches[group[0]].sum()), group))


def _text(nest: LoopNest, part: StreamPart) -> str:
    """Return the loops as text, and where statements that lack an index stand."""
    axes = part.axes
    computed = ", ".join(dict.fromkeys(nest.statements[at].target.array for at in axes.numbers))
    lines = [f"# {computed}"]
    for at, place in zip(axes.numbers, axes.places, strict=True):
        statement = nest.statements[at]
        there = [
            f"{name} = {-place[name] if name in axes.backward else place[name]}"
            for name in dict.fromkeys((*axes.tiled, axes.stream, axes.row))
            if name not in statement.indices
        ]
        if there:
            lines.append(f"# {statement.target} at {', '.join(there)}")
    loops = [f"for {name} in tiles of {part.sizes[name]}" for name in axes.tiled]
    for name in dict.fromkeys((axes.stream, axes.row)):
        loops.append(f"for each {name} (one {name})" if name in axes.tiled else f"for each {name}")
    for depth, (name, text) in enumerate(zip((*axes.tiled, axes.stream, axes.row), loops, strict=False)):
        lines.append(f"{'    ' * depth}{text}{', backwards' if name in axes.backward else ''}:")
    steps = [
        "load what is read and not there",
        f"compute {computed}",
        "store what is an output or read in another tile, and delete it, when this tile needs it no longer",
    ]
    return "\n".join([*lines, *(f"{'    ' * len(loops)}{step}" for step in steps)])
