"""Masks of query heads in groups: each query of another mask again and again, whatever that mask is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arrays import check_size
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.band_questions import BandQuestions, runs_between
from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.mask import Interval, Mask, RegularPart
from pebble.computations.masks.questions import Questions, Runs
from pebble.computations.masks.staircase import Intervals, Staircase, first_of_equals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

_MOST_QUERIES = 10**9


class GroupedMask(Mask):
    """Query i attends to what query i // group of another mask attends to. Nothing more is stored.

    Parameters
    ----------
    spec : str
    inner : Mask
        The mask of the groups.
    group : int

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> GroupedMask("four", causal_mask(10**8, 10**8), 4).count((0, 6), (0, 2))
    8
    """

    def __init__(self, spec: str, inner: Mask, group: int) -> None:
        super().__init__(spec, inner.Nq * group, inner.Nk)
        self.inner, self.group, self.banded, self.depth = inner, group, inner.banded, inner.depth

    def block_lines(self, axis: str) -> int:
        """Return the lines of an axis in a block whose pairs follow from those of the block before."""
        return self.inner.block_lines(axis) * (self.group if axis == "i" else 1)

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return self._ends(axis, self.inner.first_of, lines)

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        if axis == "i":
            return self.inner.last_of(axis, lines // self.group)
        return (self.inner.last_of(axis, lines) + 1) * self.group - 1

    def ends_of(self, axis: str, lines: Whole) -> Whole:
        """Return the places at which the rule of chosen lines' pairs changes."""
        return self._ends(axis, self.inner.ends_of, lines)

    def _ends(self, axis: str, of: Callable[[str, Whole], Whole], lines: Whole) -> Whole:
        return of(axis, lines // self.group) if axis == "i" else of(axis, lines) * self.group

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        low, high = queries[0] // self.group, -(-queries[1] // self.group)
        return self.inner.matrix((low, high), keys)[np.arange(*queries) // self.group - low]

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        if axis == "i":
            return np.repeat(self.inner.degrees(axis, partners), self.group)
        return np.asarray(
            sum(self.inner.degrees(axis, partners[at :: self.group]) for at in range(self.group))
        )

    @property
    def connected(self) -> bool:
        """Whether all pairs are known to be in one part."""
        return self.inner.connected

    def _parts(self) -> dict[str, Whole]:
        parts = self.inner.parts
        return {"i": np.repeat(parts["i"], self.group), "j": parts["j"]}

    def separations(self, axis: str) -> list[int]:
        """Return places strictly inside an axis at which the mask falls apart, in order."""
        return [place * (self.group if axis == "i" else 1) for place in self.inner.separations(axis)]

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which a group on, or a key on, the pairs are the same, moved on."""
        return self._steady_parts[axis]

    @cached_property
    def _steady_parts(self) -> dict[str, list[RegularPart]]:
        group = self.group
        queries, keys = (self.inner.steady_parts(axis) for axis in "ij")
        return {
            "i": [
                part._replace(start=part.start * group, stop=part.stop * group, lines=part.lines * group)
                for part in queries
            ],
            "j": [part._replace(partners=part.partners * group) for part in keys],
        }

    def _answers(self) -> Questions:
        if isinstance(self.inner, BandMask):
            return GroupedBandQuestions(self, self.inner)
        return GroupedQuestions(self)

    def _identity(self) -> object:
        return self.group, type(self.inner), self.inner._identity()


class GroupedQuestions(Questions):
    """The answers of a mask of groups: of whole groups the inner mask's, as often as there are queries in one.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> asked = GroupedQuestions(GroupedMask("two", causal_mask(5, 5), 2))
    >>> low, high = np.array([0, 3]), np.array([4, 9])
    >>> asked.pairs("i", low, high, 0 * low, 0 * low + 5).tolist()
    [6, 21]
    """

    def __init__(self, mask: GroupedMask) -> None:
        super().__init__(mask.extents)
        self._group, self._asked, self._banded = mask.group, mask.inner.questions, mask.banded
        self.rises, self.partners_rise = self._asked.rises, self._asked.partners_rise
        self.rises_in_parts = self._asked.rises_in_parts
        self.together["i"] = mask.group

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        if axis == "i":
            return self._sum(x0, x1, partial(self._asked.pairs, "i"), p, q)
        return self._sum(p, q, partial(self._asked.pairs, "i"), x0, x1)

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        if axis == "j":
            return self._asked.present(axis, x0, x1)
        return self._sum(x0, x1, partial(self._asked.present, axis))

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        if axis == "j":
            return self._asked.begun(axis, x0, x1, -(-place // self._group))
        return self._sum(x0, x1, partial(self._asked.begun, axis), place)

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        group = self._group
        if axis == "j":
            return self._asked.behind_latest(axis, x0, x1, -(-p // group), -(-q // group))
        behind = self._asked.behind_latest(axis, x0 // group, -(-x1 // group), p, q)
        return np.where(x0 < x1, np.clip(behind * group, x0, x1), x0)

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair."""
        return self._asked.has(axis, *self._touched(axis, x0, x1, p, q))

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner in [p, q)."""
        if axis == "j":
            return self._asked.lines_seen(axis, *self._touched(axis, x0, x1, p, q))
        return self._sum(x0, x1, partial(self._asked.lines_seen, axis), p, q)

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles that see [p, q), in runs.

        Keys that are alike to groups of queries are alike to the queries. Queries are alike where their groups are. So
        where some groups come again and again, as many tiles as they have whole ones together do.
        """
        if axis == "j":
            low, high = self._touched(axis, w0, w1, p, q)[2:]
            return self._asked.runs(axis, w0, w1, tile, low, high)
        low, high = self._touched(axis, w0, w1, p, q)[:2]
        found = self._asked.runs(axis, low, high, np.ones_like(tile), p, q)
        parent, first, length, times = found if self._banded else found.one_by_one()
        begin = (low[parent] + first) * self._group
        end = np.minimum(begin + length * times * self._group, w1[parent])
        begin = np.maximum(begin, w0[parent])
        new = first_of_equals(parent)
        loop, last = parent[new], np.append(new[1:], True)[: len(new)]
        loops = loop, w0[loop], tile[loop], begin[new], end[last]
        # Of a group alone the first query may be the first that sees some key, and the last one the last. Groups that
        # rise are whole.
        alone, rise = length * times == 1, (length > 1) & (times == 1)
        unit = np.where(times > 1, np.lcm(tile[parent], length * self._group) // tile[parent], 1)
        begin = np.where(rise, -(-begin // self._group) * self._group, begin + alone)
        end = np.where(rise, end // self._group * self._group, end - alone)
        return runs_between(np.cumsum(new) - 1, begin, end, ~rise, loops, unit)

    def _touched(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> tuple[Whole, ...]:
        """Return boxes with the groups that their queries are in."""
        low, high = (x0, x1) if axis == "i" else (p, q)
        low, high = low // self._group, np.where(low < high, -(-high // self._group), low // self._group)
        return (low, high, p, q) if axis == "i" else (x0, x1, low, high)

    def _sum(self, low: Whole, high: Whole, of: Callable[..., Whole], *others: Whole) -> Whole:
        """Sum up what intervals of queries have: of the groups inside, and of the parts of one at either end."""
        group = self._group
        begin, end = -(-low // group), high // group
        head = np.where(begin <= end, begin * group, high) - low
        tail = np.where(begin <= end, high - end * group, 0)
        parts = [np.flatnonzero(some) for some in (begin < end, head > 0, tail > 0)]
        rows = np.concatenate(parts)
        first = np.concatenate([begin[parts[0]], low[parts[1]] // group, end[parts[2]]])
        behind = np.append(end[parts[0]], first[len(parts[0]) :] + 1)
        times = np.concatenate([np.full(len(parts[0]), group), head[parts[1]], tail[parts[2]]])
        found = times * of(first, behind, *(one[rows] for one in others))
        total = np.zeros_like(low)
        for part, sums in zip(parts, np.split(found, np.cumsum([len(part) for part in parts])), strict=False):
            total[part] += sums
        return total


class _Repeated:
    """A staircase with each place ``group`` times in a row, as far as questions to a band ask."""

    def __init__(self, ends: Staircase, group: int) -> None:
        self._ends, self._group = ends, group

    def below(self, values: Whole) -> Whole:
        return self._ends.below(values) * self._group

    def upto(self, values: Whole) -> Whole:
        return self._ends.upto(values) * self._group

    def sum_before(self, places: Whole) -> Whole:
        whole, rest = np.divmod(places, self._group)
        here = self._ends.at(np.minimum(whole, self._ends.length - 1))
        return np.asarray(self._ends.sum_before(whole) * self._group + rest * here)


class _Multiplied:
    """A staircase whose values are ``group`` times as high, as far as questions to a band ask."""

    def __init__(self, ends: Staircase, group: int) -> None:
        self._ends, self._group = ends, group

    def below(self, values: Whole) -> Whole:
        return self._ends.below(-(-values // self._group))

    def upto(self, values: Whole) -> Whole:
        return self._ends.upto(values // self._group)


class _GroupedBand:
    """What is asked of a band, of one whose queries come in groups."""

    def __init__(self, mask: GroupedMask, band: BandMask) -> None:
        self.extents, self._band, self._group = mask.extents, band, mask.group
        self._ends = {
            axis: tuple(kind(ends, mask.group) for ends in band.ends(axis))
            for axis, kind in (("i", _Repeated), ("j", _Multiplied))
        }

    def ends(self, axis: str) -> tuple[Any, ...]:
        return self._ends[axis]

    def present_lines(self, axis: str) -> Intervals:
        lines = self._band.present_lines(axis)
        times = self._group if axis == "i" else 1
        return Intervals(lines.begins * times, lines.ends * times)


class GroupedBandQuestions(BandQuestions):
    """The answers of a band whose queries come in groups: those of a band, but for where its tiles change."""

    def __init__(self, mask: GroupedMask, band: BandMask) -> None:
        super().__init__(_GroupedBand(mask, band))
        self._groups = GroupedQuestions(mask)
        self.together = self._groups.together

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles that see [p, q), in runs."""
        return self._groups.runs(axis, w0, w1, tile, p, q)


def grouped_mask(mask: Mask, group: int) -> Mask:
    """Repeat every query ``group`` times: query i of the new mask sees what query i // group sees.

    Query heads that share keys and values are one problem of ``group`` · Nq queries; numbered like this, the queries of
    one token follow each other.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> grouped_mask(causal_mask(2, 2), 2).matrix((0, 4), (0, 2)).astype(int).tolist()
    [[1, 0], [1, 0], [1, 1], [1, 1]]
    """
    if group < 1:
        raise InvalidInput(f"mask group: a group has at least one query head, not {group}")
    spec = f"group:{group}:{mask.spec}"
    if mask.Nq * group > _MOST_QUERIES:
        raise InvalidInput(f"mask {spec}: it has at most {_MOST_QUERIES:,} queries, not {mask.Nq * group:,}")
    found: Mask
    if isinstance(mask, BlockMask):
        sides = mask.sides["i"] * group, mask.sides["j"]
        found = BlockMask(spec, mask.Nq * group, mask.Nk, sides, mask.blocks)
    elif isinstance(mask, DenseMask):
        try:
            check_size(mask.Nq * group, mask.Nk, spec)
        except InvalidInput as error:
            raise InvalidInput(
                f"{error}; with separate keys for each query head (--kv-heads equal to --heads), nothing is grouped"
            ) from None
        found = DenseMask(spec, np.repeat(mask.allowed, group, axis=0))
    elif isinstance(mask, GroupedMask):
        found = GroupedMask(spec, mask.inner, mask.group * group)
    else:
        found = GroupedMask(spec, mask, group)
    found.empty_rows = mask.empty_rows
    return found
