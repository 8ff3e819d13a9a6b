"""What the columns of a loop nest move: elements and steps counted as sets, no point by itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import check_time
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.points import affine_values, points_of
from pebble.computations.nests.statement import Access, LoopNest
from pebble.lower_bounds.nests.affine_set import AffineSet, domain, image_above
from pebble.solvers.nests.element_times import (
    FAR,
    Box,
    ElementTimes,
    Parameters,
    reached,
    reached_set,
    step_of,
    time_of,
)
from pebble.solvers.nests.stream_axes import StreamAxes

__all__ = ["Column", "StreamColumns"]


@dataclass(frozen=True)
class Column:
    """What one column moves.

    Attributes
    ----------
    reads, writes : int
        Words loaded and stored.
    room : int
        Words in fast memory at the end of the step that holds most, before any is deleted.
    fullest : tuple of (int, int)
        All such steps: their places on both axes.
    """

    reads: int
    writes: int
    room: int
    fullest: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Use:
    """An access of a statement in a column: what it reaches, and whether it computes that."""

    times: ElementTimes
    computes: bool


class StreamColumns:
    """Counts of all columns for given axes.

    Parameters
    ----------
    nest : LoopNest
    axes : StreamAxes

    Raises
    ------
    Inexact
        If some set of elements is not known exactly.
    """

    def __init__(self, nest: LoopNest, axes: StreamAxes) -> None:
        self.nest, self.axes = nest, axes
        self.uses: dict[str, list[_Use]] = {}
        self.later: dict[str, list[tuple[AffineSet, tuple[AffineSet, ...]]]] = {}
        self.read: dict[str, list[tuple[AffineSet, tuple[AffineSet, ...]]]] = {}
        self.adds = any(nest.statements[at].adds for at in axes.numbers)
        for at, place in zip(axes.numbers, axes.places, strict=True):
            statement = nest.statements[at]
            points = domain(nest, statement).where(*self._inside(place))
            for access in (*statement.reads, statement.target):
                times = ElementTimes.of(points, access, place[axes.stream], place[axes.row])
                self.uses.setdefault(access.array, []).append(_Use(times, access is statement.target))
        computed = {nest.statements[at].target.array for at in axes.numbers}
        for name in computed - set(nest.outputs):
            self._find_readers(name)
        self.ranges = {name: self._range(name) for name in axes.tiled}

    def _inside(self, place: Mapping[str, Affine]) -> Iterator[Affine]:
        for name in self.axes.tiled:
            yield place[name] - Affine.index(f"low {name}")
            yield Affine.index(f"high {name}") - place[name]

    def _find_readers(self, name: str) -> None:
        """Note who reads an array: anywhere, and outside the column that computes it."""
        self.read[name], self.later[name] = [], []
        places = dict(zip(self.axes.numbers, self.axes.places, strict=True))
        for at, statement in enumerate(self.nest.statements):
            points = domain(self.nest, statement)
            for access in statement.reads:
                if access.array != name:
                    continue
                anywhere = reached_set(points, access)
                self.read[name].append(anywhere)
                if at not in places:
                    self.later[name].append(anywhere)
                    continue
                for axis in self.axes.tiled:
                    beyond = places[at][axis] - Affine.index(f"high {axis}") - 1
                    self.later[name].append(reached_set(points.where(beyond), access))

    def _range(self, axis: str) -> tuple[int, int]:
        """Return the first and the last place of any point on an axis."""
        ends = []
        for at, place in zip(self.axes.numbers, self.axes.places, strict=True):
            found = image_above(domain(self.nest, self.nest.statements[at]), Access("", (place[axis],)))
            low, high = found.range_of("0")
            if low <= high:
                ends.append((low, high))
        return min(low for low, _ in ends), max(high for _, high in ends)

    def tiles(self, name: str, sizes: Mapping[str, int]) -> int:
        """Return how many tiles there are along an axis."""
        low, high = self.ranges[name]
        return -(-(high - low + 1) // sizes[name])

    def number(self, sizes: Mapping[str, int]) -> int:
        """Return how many columns there are."""
        return prod(self.tiles(name, sizes) for name in self.axes.tiled)

    def column(self, sizes: Mapping[str, int], tiles: Sequence[int]) -> Parameters:
        """Return the ends of the tiles of a column, given by the numbers of its tiles."""
        found = {}
        for name, at in zip(self.axes.tiled, tiles, strict=True):
            low, high = self.ranges[name]
            found[f"low {name}"] = low + at * sizes[name]
            found[f"high {name}"] = min(low + (at + 1) * sizes[name] - 1, high)
        return found

    def columns(self, sizes: Mapping[str, int]) -> Iterator[Parameters]:
        """Yield the ends of the tiles of each column, in the order in which they are computed."""
        for tiles in itertools.product(*(range(self.tiles(name, sizes)) for name in self.axes.tiled)):
            yield self.column(sizes, tiles)

    def cells(self, at: Parameters) -> int:
        """Return how many cells of arrays a count of a column looks at."""
        boxes = (use.times.box(at) for uses in self.uses.values() for use in uses)
        return sum(prod(high - low + 1 for low, high in box) for box in boxes if box is not None)

    def count(self, at: Parameters) -> Column:
        """Count one column."""
        reads = writes = 0
        begins, ends = [], []
        for name, uses in self.uses.items():
            times = _merged(uses, at)
            if times is None:
                continue
            box, there, made, first, last = times
            reads += int(np.count_nonzero(there & ~made))
            writes += self._stored(name, box, made, at)
            begins.append(first[there])
            ends.append(last[there])
        if not sum(map(len, begins)):
            return Column(0, 0, 0, ())
        return Column(reads, writes, *_fullest(np.concatenate(begins), np.concatenate(ends)))

    def _stored(self, name: str, box: Box, made: NDArray[np.bool_], at: Parameters) -> int:
        """Return how many of the elements computed in a column are outputs, or read elsewhere."""
        if name in self.nest.outputs or not made.any():
            return int(np.count_nonzero(made))
        read, later = np.zeros_like(made), np.zeros_like(made)
        for one in self.read[name]:
            read |= reached(one, box, at)
        for one in self.later[name]:
            later |= reached(one, box, at)
        return int(np.count_nonzero(made & (later | ~read)))

    def passes_on(self, at: Parameters, step: tuple[int, int]) -> bool:
        """Whether a sum goes on in a step when all words of the step are in fast memory, and so needs one more."""
        points = []
        for number in range(len(self.axes.numbers)):
            points += self._points(number, at, step)
        begun: set[tuple[str, int]] = set()
        goes_on = False
        for _, adds, element, old in sorted(points):
            if old or element in begun:
                goes_on = goes_on or adds
            else:
                begun.add(element)
                goes_on = False
        return goes_on

    def _points(
        self, number: int, at: Parameters, step: tuple[int, int]
    ) -> list[tuple[tuple[int, ...], bool, tuple[str, int], bool]]:
        """Return the points of a statement in a step: when, whether in a sum, what element, and if that was begun."""
        statement, place = self.nest.statements[self.axes.numbers[number]], self.axes.places[number]
        here = [_with(one, at) for one in self._inside(place)]
        for axis, value in zip((self.axes.stream, self.axes.row), step, strict=True):
            here += [place[axis] - value, -place[axis] + value]
        points = points_of(replace(statement, conditions=(*statement.conditions, *here)), self.nest.extents)
        merged = _merged(self.uses[statement.target.array], at)
        if merged is None or not len(points):
            return []
        box, _, _, first, _ = merged
        flat = np.zeros(len(points), dtype=np.int64)
        for one, (low, high) in zip(statement.target.places, box, strict=True):
            flat = flat * (high - low + 1) + affine_values(one, statement.indices, points) - low
        old = first.ravel()[flat] < time_of(*step)
        when = [affine_values(place[axis], statement.indices, points) for axis in self.axes.rest]
        ranked = np.stack([np.full(len(points), self.axes.ranks[number]), *when], axis=1)
        return [
            (tuple(key), statement.adds, (statement.target.array, element), begun)
            for key, element, begun in zip(ranked.tolist(), flat.tolist(), old.tolist(), strict=True)
        ]


def _with(expression: Affine, at: Parameters) -> Affine:
    """Return an expression with numbers in place of parameters."""
    known = sum(factor * at[name] for name, factor in expression.terms if name in at)
    return Affine(tuple(one for one in expression.terms if one[0] not in at), expression.constant + known)


_Merged = tuple[Box, "NDArray[np.bool_]", "NDArray[np.bool_]", "NDArray[np.int64]", "NDArray[np.int64]"]
"""A box of an array: which elements are reached, which of them computed, the times of the first and the last step."""


def _merged(uses: Sequence[_Use], at: Parameters) -> _Merged | None:
    """Return what all accesses of an array reach together; None if nothing."""
    boxes = [(use, box) for use in uses if (box := use.times.box(at)) is not None]
    if not boxes:
        return None
    sides = zip(*(box for _, box in boxes), strict=True)
    whole = tuple((min(low for low, _ in side), max(high for _, high in side)) for side in sides)
    shape = tuple(high - low + 1 for low, high in whole)
    there, made = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    first, last = np.full(shape, time_of(FAR, 0)), np.full(shape, -time_of(FAR, 0))
    for use, box in boxes:
        check_time()
        part = tuple(
            slice(low - begin, high - begin + 1) for (low, high), (begin, _) in zip(box, whole, strict=True)
        )
        here, begins, ends = use.times.within(box, at)
        there[part] |= here
        if use.computes:
            made[part] |= here
        first[part] = np.where(here, np.minimum(first[part], begins), first[part])
        last[part] = np.where(here, np.maximum(last[part], ends), last[part])
    return whole, there, made, first, last


def _fullest(begins: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return how many intervals overlap at most, and in which steps they do where one of them begins."""
    begins, ends = np.sort(begins), np.sort(ends)
    room = np.searchsorted(begins, begins, side="right") - np.searchsorted(ends, begins, side="left")
    most = int(room.max())
    return most, tuple(map(step_of, np.unique(begins[room == most]).tolist()))
