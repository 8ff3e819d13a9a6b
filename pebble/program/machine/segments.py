"""Segments of a loop under a band that falls apart, as of packed sequences: what one does stands for all that are alike.

A segment is some parts of the mask, of which none shares a query or a key with another, and whose ends are ends of
tiles too. Inside of it nothing is seen of what is outside; docs/induction.md proves it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
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
    from pebble.program.nodes import Interval

    Whole = NDArray[np.int64]

__all__ = ["SegmentRun", "grids_of_segments", "periods", "segment_runs"]

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
    """

    lines: Interval
    partners: Interval
    times: int
    kind: Hashable

    def places(self, number: int, times: int = 1) -> tuple[Interval, Interval]:
        """Lines and partners of some successive segments, from one on."""
        found = []
        for start, stop in (self.lines, self.partners):
            first = start + number * (stop - start)
            found.append((first, first + times * (stop - start)))
        return found[0], found[1]


def grids_of_segments(family: Family, node: Loop, body: Body) -> frozenset[int] | None:
    """Return the tiles of the loops over the mask's other axis in a loop's body; None if it may not be cut into segments.

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
        or any(isinstance(inner, Operation) and inner.at for inner in inside)
        or not all(_is_whole(loop) for loop in [node, *inside] if isinstance(loop, Loop))
        or not all(_has_lines(family, name) for name in body.used)
    ):
        return None
    return frozenset(inner.tile for inner in inside if isinstance(inner, Loop) and inner.axis == other)


def _is_whole(loop: Loop) -> bool:
    return loop.start == 0 and loop.stop is None


def _has_lines(family: Family, name: str) -> bool:
    """Whether an array with a chain over one axis of the mask has the other one as its index."""
    array = family[name]
    return array.chain not in family.masked_axes or OTHER_AXIS[array.chain] in array.axes


def segment_runs(mask: BandMask, axis: str, tile: int, grids: frozenset[int]) -> list[SegmentRun]:
    """Cut an axis into runs of segments; none if there are few of them.

    Parameters
    ----------
    mask : BandMask
        Every line has a pair.
    axis : str
        The loop's.
    tile : int
        The loop's.
    grids : frozenset of int
        The tiles of loops over the other axis.

    Examples
    --------
    >>> from pebble.computations.masks import document_mask
    >>> for run in segment_runs(document_mask([3, 2, 1, 3, 3, 3, 3, 1]), "i", 1, frozenset([3])):
    ...     print(run.lines, run.partners, run.times, run.kind is None)
    (0, 3) (0, 3) 1 True
    (3, 6) (3, 6) 1 False
    (6, 9) (6, 9) 4 False
    (18, 19) (18, 19) 1 True
    """
    own, other = (np.array([0, *mask.separations(one)], dtype=np.int64) for one in (axis, OTHER_AXIS[axis]))
    clean = own % tile == 0
    for grid in grids:
        clean &= other % grid == 0
    lines = np.append(own[clean], mask.extents[axis])
    partners = np.append(other[clean], mask.extents[OTHER_AXIS[axis]])
    if len(lines) <= _FEWEST:
        return []
    kinds = _kinds(mask.ends(axis), lines, partners)
    found = [(0, 1, 1)]
    found += [(first + 1, period, times) for first, period, times in periods(kinds[1:-1])]
    found += [(len(kinds) - 1, 1, 1)]
    at = [places.tolist() for places in (lines, partners)]
    runs = []
    for first, period, times in found:
        ends = [(places[first], places[first + period]) for places in at]
        alone = first in (0, len(kinds) - 1)
        kind = None if alone else tuple(kinds[first : first + period])
        runs.append(SegmentRun(ends[0], ends[1], times, kind))
    return runs


def _kinds(ends: tuple[Staircase, Staircase], lines: Whole, partners: Whole) -> list[int]:
    """Number the segments between some places: equal numbers for those of one length with the same pairs."""
    numbers: dict[Hashable, int] = {}
    outlines = [_outlines(one, lines, partners) for one in ends]
    lengths = zip(np.diff(lines).tolist(), np.diff(partners).tolist(), strict=True)
    return [numbers.setdefault(key, len(numbers)) for key in zip(lengths, *outlines, strict=True)]


def _outlines(ends: Staircase, lines: Whole, partners: Whole) -> Iterator[bytes]:
    """Yield for each segment what tells where the pairs of its lines begin, or end, from its first partner."""
    low = ends.starts.searchsorted(lines[:-1], side="right") - 1
    high = ends.starts.searchsorted(lines[1:])
    for first, behind, start, partner in zip(
        low.tolist(), high.tolist(), lines.tolist(), partners.tolist(), strict=False
    ):
        begins, slopes = ends.starts[first:behind], ends.slopes[first:behind]
        places = np.maximum(begins, start)
        heights = ends.heights[first:behind] + slopes * (places - begins) - partner
        yield np.stack([places - start, heights, slopes]).tobytes()


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
