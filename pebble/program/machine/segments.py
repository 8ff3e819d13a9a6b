"""Segments of a loop under a band that falls apart, as of packed sequences: one stands for all that are alike.

A segment is some parts of the mask, of which none shares a query or a key with another, and whose ends are ends of
tiles too. Inside of it nothing is seen of what is outside; docs/induction.md proves it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.bodies import nodes_in
from pebble.program.nodes import Loop, Operation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.computations.masks.staircase import Staircase
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Interval, Node

    Whole = NDArray[np.int64]

__all__ = [
    "SegmentRun",
    "grids_of_segments",
    "is_without_places",
    "outlines",
    "periods",
    "segment_runs",
    "segment_runs_of_loops",
]

_FEWEST = 4
_MOST_IN_PERIOD = 24
"""Segments whose order may repeat."""
_FEWEST_PERIODS = 3


class SegmentRun(NamedTuple):
    """Successive segments that are alike.

    Attributes
    ----------
    lines, partners : (int, int)
        Of the first of them, on the loop's axis and on the mask's other one.
    times : int
        How many they are.
    kind : Hashable
        The same for runs whose segments are alike; None for one that stands for no other.
    apart : bool
        Whether each segment has partners of its own; if not, all have the same.
    """

    lines: Interval
    partners: Interval
    times: int
    kind: Hashable
    apart: bool = True

    def places(self, number: int, times: int = 1) -> tuple[Interval, Interval]:
        """Lines and partners of some successive segments, from one on."""
        found = []
        for (start, stop), moves in ((self.lines, True), (self.partners, self.apart)):
            first = start + moves * number * (stop - start)
            found.append((first, first + (moves * (times - 1) + 1) * (stop - start)))
        return found[0], found[1]


def grids_of_segments(family: Family, node: Loop, body: Body) -> frozenset[int] | None:
    """Return the tiles of the loops over the mask's other axis in a loop's body; None if it has no segments.

    Parameters
    ----------
    family : Family
        Under a mask.
    node : Loop
        With no loop over an axis of the mask around it.
    body : Body
        What is known of its body.
    """
    mask, other = family.mask, OTHER_AXIS[node.axis]
    inside = list(nodes_in(node.body))
    if (
        not isinstance(mask, BandMask)
        or not all(mask.all_present(axis) for axis in family.masked_axes)
        or body.reach is None
        or not is_without_places(family, node, body)
    ):
        return None
    return frozenset(inner.tile for inner in inside if isinstance(inner, Loop) and inner.axis == other)


def is_without_places(family: Family, node: Loop, body: Body) -> bool:
    """Whether nothing in a loop's body is about a place of the mask's axes that is given, or about none at all."""
    return not any(_has_place(inner, family) for inner in nodes_in(node.body)) and all(
        _has_lines(family, name) for name in body.used
    )


def _has_place(node: Node, family: Family) -> bool:
    """Whether a node is about a part of an axis of the mask that is given by its place."""
    if isinstance(node, Operation):
        return any(axis in family.masked_axes for axis, _, _ in node.at)
    return isinstance(node, Loop) and node.axis in family.masked_axes and (node.start, node.stop) != (0, None)


def _has_lines(family: Family, name: str) -> bool:
    """Whether an array with a chain over one axis of the mask has the other one as its index."""
    array = family[name]
    return array.chain not in family.masked_axes or OTHER_AXIS[array.chain] in array.axes


def segment_runs(
    mask: BandMask, axis: str, whole: Interval, tile: int, grids: frozenset[int]
) -> list[SegmentRun]:
    """Cut a loop into runs of segments; none if there are few of them. The first and the last stand for no other.

    Parameters
    ----------
    mask : BandMask
        Every line has a pair.
    axis : str
        The loop's.
    whole : (int, int)
        What it runs over.
    tile : int
        Its tiles.
    grids : frozenset of int
        The tiles of loops over the other axis.

    Examples
    --------
    >>> from pebble.computations.masks import document_mask
    >>> for run in segment_runs(document_mask([3, 2, 1, 3, 3, 3, 3, 1]), "i", (0, 19), 1, frozenset([3])):
    ...     print(run.lines, run.partners, run.times, run.kind is None)
    (0, 3) (0, 3) 1 True
    (3, 6) (3, 6) 1 False
    (6, 9) (6, 9) 4 False
    (18, 19) (18, 19) 1 True
    """
    own, other = (np.array(mask.separations(one), dtype=np.int64) for one in (axis, OTHER_AXIS[axis]))
    clean = (whole[0] < own) & (own < whole[1]) & ((own - whole[0]) % tile == 0)
    return _runs(mask, axis, whole, _on_grids(own[clean], other[clean], grids))


def segment_runs_of_loops(
    mask: BandMask, axis: str, loops: Sequence[Loop], grids: frozenset[int]
) -> list[SegmentRun]:
    """Cut loops that follow on each other into runs of segments, as :func:`segment_runs` does one loop.

    Parameters
    ----------
    mask : BandMask
    axis : str
    loops : sequence of Loop
        Each begins where the one before stops; they have one body.
    grids : frozenset of int
    """
    begins = [loop.start for loop in loops]
    last = loops[-1].stop
    whole = begins[0], mask.extents[axis] if last is None else last
    own, other = (np.array(mask.separations(one), dtype=np.int64) for one in (axis, OTHER_AXIS[axis]))
    clean = np.isin(own, begins[1:])
    lines, partners = _on_grids(own[clean], other[clean], grids)
    at = [bisect_left(begins, place) for place in lines.tolist()]
    tiles = [
        tuple((loop.start - begins[first], loop.tile) for loop in loops[first:behind])
        for first, behind in pairwise(at)
    ]
    return _runs(mask, axis, whole, (lines, partners), tiles)


def _on_grids(lines: Whole, partners: Whole, grids: frozenset[int]) -> tuple[Whole, Whole]:
    """Return the places at which tiles of all loops over the other axis end."""
    clean = np.ones(len(lines), dtype=bool)
    for grid in grids:
        clean &= partners % grid == 0
    return lines[clean], partners[clean]


def _runs(
    mask: BandMask,
    axis: str,
    whole: Interval,
    cuts: tuple[Whole, Whole],
    tiles: Sequence[Hashable] | None = None,
) -> list[SegmentRun]:
    """Return the runs of segments between some cuts; ``tiles`` says what else must be alike in those of a kind."""
    lines, partners = cuts
    if len(lines) < _FEWEST:
        return []
    kinds = _kinds(mask.ends(axis), lines, partners, tiles or [None] * (len(lines) - 1))
    at = lines.tolist(), partners.tolist()
    extent = mask.extents[OTHER_AXIS[axis]]
    runs = [SegmentRun((whole[0], at[0][0]), (0, at[1][0]), 1, None)]
    for first, period, times in periods(kinds):
        ends = [(places[first], places[first + period]) for places in at]
        runs.append(SegmentRun(ends[0], ends[1], times, tuple(kinds[first : first + period])))
    return [*runs, SegmentRun((at[0][-1], whole[1]), (at[1][-1], extent), 1, None)]


def _kinds(
    ends: tuple[Staircase, Staircase], lines: Whole, partners: Whole, tiles: Sequence[Hashable]
) -> list[int]:
    """Number the segments between some places: equal numbers for those of one length with the same pairs."""
    numbers: dict[Hashable, int] = {}
    both = [outlines(one, lines, partners) for one in ends]
    lengths = zip(np.diff(lines).tolist(), np.diff(partners).tolist(), strict=True)
    return [numbers.setdefault(key, len(numbers)) for key in zip(lengths, tiles, *both, strict=True)]


def outlines(ends: Staircase, lines: Whole, partners: Whole) -> Iterator[tuple[int, bytes]]:
    """Yield for each segment what tells where the pairs of its lines begin, or end, from its first partner."""
    begins, differences = ends.differences()
    new = np.append(True, (differences[1:] != differences[:-1]) | (differences[1:] > 1))[: len(begins)]
    begins, differences = begins[new], differences[new]
    low = begins.searchsorted(lines[:-1], side="right") - 1
    high = np.maximum(begins.searchsorted(lines[1:] - 1), low)
    heights = ends.at(lines[:-1]) - partners[:-1]
    for height, first, behind, start in zip(
        heights.tolist(), low.tolist(), high.tolist(), lines[:-1].tolist(), strict=True
    ):
        places = np.maximum(begins[first:behind] - start, 0)
        yield height, places.tobytes() + differences[first:behind].tobytes()


def periods(kinds: list[int]) -> Iterator[tuple[int, int, int]]:
    """Cut a list into parts that are repeated: where each begins, how long it is, and how often it stands there.

    >>> list(periods([1, 2, 1, 2, 1, 2, 3, 4, 4, 4, 4]))
    [(0, 2, 3), (6, 1, 1), (7, 1, 4)]
    """
    numbers = np.array(kinds, dtype=np.int64)
    # For each length, where next a number is not the one so far behind it.
    differs = []
    for length in range(1, min(_MOST_IN_PERIOD, len(kinds) // _FEWEST_PERIODS) + 1):
        places = np.append(np.flatnonzero(numbers[length:] != numbers[:-length]), len(kinds) - length)
        differs.append((length, places[places.searchsorted(np.arange(len(kinds) - length + 1))].tolist()))
    at = 0
    while at < len(kinds):
        for length, behind in differs:
            same = behind[at] - at if at < len(behind) else 0
            if same >= (_FEWEST_PERIODS - 1) * length:
                times = same // length + 1
                break
        else:
            length, times = 1, 1
        yield at, length, times
        at += length * times
