"""Places of a convolution: every tap takes from all outputs the pixel that is the same step away."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pebble.graph.components import joined
from pebble.solvers.heuristic.cone_steps import ConeSteps
from pebble.solvers.heuristic.convolution_taps import Taps, possible_taps

__all__ = ["Convolution", "found_convolution"]

_ABSENT = -1
_MOST_DIMENSIONS = 3
_LARGEST = {1: 16, 2: 6, 3: 3}
"""Sides of a kernel less one that are looked for in so many dimensions."""
_SAMPLES = 12
"""Places around which it is looked how the paths of two taps meet."""


@dataclass(frozen=True)
class Convolution:
    """The axes of a convolution as columns, one place for each vertex, -1 where there is none.

    Attributes
    ----------
    outputs : list of array of int64
        Filters, then images, then the axes of an image; those of more than one place. Of the place of an output.
    channels : list of array of int64
        One column, or none if all taps meet: the groups of taps that share pixels.
    channel_first : bool
        Whether the sums go through a channel before they begin the next.
    pixels, taps : list of array of int64
        The place of the pixel that a step takes, and its place in the kernel, one column for each axis of an image.
    """

    outputs: list[NDArray[np.int64]]
    channels: list[NDArray[np.int64]]
    pixels: list[NDArray[np.int64]]
    taps: list[NDArray[np.int64]]
    channel_first: bool

    @property
    def columns(self) -> list[NDArray[np.int64]]:
        """All columns, in the order of the attributes."""
        return [*self.outputs, *self.channels, *self.pixels, *self.taps]


def found_convolution(steps: ConeSteps, vertices: int) -> Convolution | None:
    """Return the axes of the convolution behind most steps of a graph; None if there is none.

    Parameters
    ----------
    steps : ConeSteps
    vertices : int
        Vertices of the graph.

    Notes
    -----
    Where the paths of two taps from one place of the output meet those of two others, the sums of their steps
    are equal. The solutions of these equations in small whole numbers are the axes of the kernel; places
    follow from tap to tap. Stride, channels, filters and padding are allowed; the numbers of vertices mean nothing.
    Costs O(U log U) for U uses.
    """
    for taps in possible_taps(steps):
        groups = taps.groups
        if len(np.unique(groups)) == taps.many:
            continue
        axes = _axes(taps, groups)
        if not axes:
            continue
        groups, shifts = _with_strides(taps, groups, np.array(axes, dtype=np.int64).T)
        places = _places(taps, shifts)
        if places is not None:
            return _columns(steps, taps, groups, shifts, places, vertices)
    return None


def _axes(taps: Taps, groups: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the place of each tap on each axis of the kernel, the axis that the steps go along slowest first."""
    null = _null_space(_equations(taps), groups)
    dimensions = null.shape[1]
    if not 1 <= dimensions <= _MOST_DIMENSIONS:
        return []
    free: list[int] = []
    for tap in range(taps.many):
        if np.linalg.matrix_rank(null[[*free, tap]], tol=1e-6) > len(free):
            free.append(tap)
    extend = null @ np.linalg.inv(null[free])
    largest = _LARGEST[dimensions]
    values = np.array(list(product(range(-largest, largest + 1), repeat=dimensions)))
    solutions = values @ extend.T
    whole = np.round(solutions)
    fits = (np.abs(solutions - whole).max(axis=1) < 1e-6) & np.any(whole != 0, axis=1)
    small = sorted(
        (_from_zero(one, groups) for one in whole[fits].astype(np.int64)),
        key=lambda one: (one.max(), one.sum(), one.tolist()),
    )
    chosen: list[NDArray[np.int64]] = []
    for one in small:
        if np.linalg.matrix_rank(_centred(np.array([*chosen, one]), groups)) > len(chosen):
            chosen.append(one)
    if len(chosen) < dimensions:
        return []
    along = [float(np.sum(_centred(one[None], groups)[0] * taps.when)) for one in chosen]
    turned = [one if x >= 0 else _from_zero(-one, groups) for one, x in zip(chosen, along, strict=True)]
    return [turned[at] for at in sorted(range(dimensions), key=lambda at: -abs(along[at]))]


def _from_zero(one: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    least = np.full(int(groups.max()) + 1, one.max())
    np.minimum.at(least, groups, one)
    moved: NDArray[np.int64] = one - least[groups]
    return moved


def _centred(rows: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return rows less their mean in each group, as groups may be moved against each other."""
    many = np.bincount(groups)
    return np.array([row - (np.bincount(groups, weights=row) / many)[groups] for row in rows])


def _equations(taps: Taps) -> NDArray[np.float64]:
    """Return the Gram matrix of all equations a − b + c − d = 0 around some places.

    From the place x tap a leads to a pixel, tap b back from it to y; tap d leads from x, tap c from y to one pixel.
    """
    place, tap, pixel = taps.triples
    by_place: list[list[tuple[int, int]]] = [[] for _ in range(taps.places)]
    by_pixel: list[list[tuple[int, int]]] = [[] for _ in range(len(taps.pixels))]
    for x, a, v in zip(place.tolist(), tap.tolist(), pixel.tolist(), strict=True):
        by_place[x].append((a, v))
        by_pixel[v].append((a, x))
    busy = sorted(range(taps.places), key=lambda x: -sum(len(by_pixel[v]) for _, v in by_place[x]))
    gram = np.zeros((taps.many, taps.many))
    for x in busy[:_SAMPLES]:
        meets: dict[int, list[tuple[int, int]]] = {}
        for a, v in by_place[x]:
            for b, y in by_pixel[v]:
                if y != x:
                    meets.setdefault(y, []).append((a, b))
        for (a, b), *others in meets.values():
            for d, c in others:
                row = np.zeros(taps.many)
                for at, sign in ((a, 1), (b, -1), (c, 1), (d, -1)):
                    row[at] += sign
                used = np.flatnonzero(row)
                gram[np.ix_(used, used)] += np.outer(row[used], row[used])
    return gram


def _null_space(gram: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a basis of the solutions in which the first tap of each group is at 0, one column each."""
    first = np.unique(groups, return_index=True)[1]
    rest = np.setdiff1d(np.arange(len(groups)), first)
    size, vectors = np.linalg.eigh(gram[np.ix_(rest, rest)])
    basis = vectors[:, size < 1e-6]
    null = np.zeros((len(groups), basis.shape[1]))
    null[rest] = basis
    return null


def _with_strides(
    taps: Taps, groups: NDArray[np.int64], shifts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the channels and the shifts where a stride keeps taps of one channel from meeting.

    With stride s only every s-th tap of a row meets another. If the sums go along the kernel in order, the number of
    a tap is u·row + column, and tells how the groups of a channel interleave. Which of the first two terms of a
    sum comes first need not be known.
    """
    order = np.argsort(taps.when, kind="stable")
    first: NDArray[np.int64] = np.unique(groups, return_index=True)[1]
    for begin in (order[:2], order[1::-1]):
        rank = np.empty(taps.many, dtype=np.int64)
        rank[[*begin, *order[2:]]] = np.arange(taps.many)
        fit = np.linalg.lstsq(_centred(shifts.T, groups).T, _centred(rank[None], groups)[0])[0]
        slopes = np.array(np.round(fit), dtype=np.int64)
        base: NDArray[np.int64] = rank - (shifts * slopes).sum(axis=1)
        of_group = base[first]
        stride = int(slopes[-1])
        if stride < 2 or np.any(slopes % stride) or not np.array_equal(base, of_group[groups]):
            continue
        channel, offset = _offsets(of_group, stride, slopes // stride)
        if len(np.unique(np.column_stack([channel, offset]), axis=0)) == (
            int(channel.max()) + 1
        ) * stride ** len(slopes):
            return channel[groups], stride * shifts + offset[groups]
    return groups, shifts


def _offsets(
    base: NDArray[np.int64], stride: int, units: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return channel and offset of groups whose first taps have these numbers, if a step on an axis adds its unit."""
    rows = np.unique(base // units[0], return_inverse=True)[1]
    inner = [base // units[axis] % (units[axis - 1] // units[axis]) for axis in range(1, len(units))]
    return rows // stride, np.column_stack([rows % stride, *inner])


def _places(taps: Taps, shifts: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return component and place of each place of the output; None if some pixels contradict.

    The places of outputs and pixels follow from each other, in rounds over all uses.
    """
    place, tap, pixel = taps.triples
    nodes = taps.places + len(taps.pixels)
    component = joined(np.arange(nodes), place, taps.places + pixel)
    known = np.zeros(nodes, dtype=np.bool_)
    at = np.zeros((nodes, shifts.shape[1]), dtype=np.int64)
    known[np.unique(component)] = True
    pixel = taps.places + pixel
    while not known.all():
        before = int(known.sum())
        for tail, head, sign in ((place, pixel, 1), (pixel, place, -1)):
            new = known[tail] & ~known[head]
            at[head[new]] = at[tail[new]] + sign * shifts[tap[new]]
            known[head[new]] = True
        if int(known.sum()) == before:
            return None
    if not np.array_equal(at[pixel], at[place] + shifts[tap]):
        return None
    for one in np.unique(component):
        members = component == one
        at[members] -= at[np.flatnonzero(members[: taps.places])].min(axis=0)
    names = np.unique(component[: taps.places], return_inverse=True)[1]
    return np.column_stack([names, at[: taps.places]])


def _columns(
    steps: ConeSteps,
    taps: Taps,
    groups: NDArray[np.int64],
    shifts: NDArray[np.int64],
    places: NDArray[np.int64],
    vertices: int,
) -> Convolution:
    cones = len(steps.root)
    width = int(steps.step.max()) + 2
    inside = np.flatnonzero((steps.of >= 0) & (steps.step >= 0))
    cell = steps.of[inside] * width + steps.step[inside]

    def by_cone(values: NDArray[np.int64]) -> NDArray[np.int64]:
        of_cone = np.full(cones, _ABSENT, dtype=np.int64)
        of_cone[taps.cone] = np.unique(values, return_inverse=True)[1]
        return np.where(steps.of >= 0, of_cone[steps.of], _ABSENT)

    def by_step(values: NDArray[np.int64]) -> NDArray[np.int64]:
        table = np.full(cones * width, _ABSENT, dtype=np.int64)
        table[taps.cone * width + taps.position] = values
        column = np.full(vertices, _ABSENT, dtype=np.int64)
        column[inside] = table[cell]
        return column

    outputs = [by_cone(values) for values in (_filters(taps, cones), *places[taps.place].T)]
    axes = range(shifts.shape[1])
    pixels = [by_step(places[taps.place, 1 + axis] + shifts[taps.tap, axis]) for axis in axes]
    least, most = ([op(taps.when[groups == group]) for group in np.unique(groups)] for op in (np.min, np.max))
    return Convolution(
        [column for column in outputs if column.max() > 0],
        [by_step(groups[taps.tap])] if groups.max() else [],
        pixels,
        [by_step(shifts[taps.tap, axis]) for axis in axes],
        all(end < begin for end, begin in zip(most[:-1], least[1:], strict=True)),
    )


def _filters(taps: Taps, cones: int) -> NDArray[np.int64]:
    """Return for each use the number of its cone's filter: cones that use the same weights."""
    if taps.weight is None:
        return np.zeros(len(taps.cone), dtype=np.int64)
    weight = np.unique(taps.weight, return_inverse=True)[1]
    labels = joined(np.arange(cones + int(weight.max()) + 1), taps.cone, cones + weight)
    return np.unique(labels[taps.cone], return_inverse=True)[1]
