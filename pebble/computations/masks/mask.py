"""The base class of masks: which keys each query attends to, counted in boxes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

Interval = tuple[int, int]
OTHER_AXIS = {"i": "j", "j": "i"}
"""Queries and keys: of each axis the other one."""
EMPTY_ROWS = ("error", "zero")
_SHOWN = 5
M = TypeVar("M", bound="Mask")


class RegularPart(NamedTuple):
    """Lines [start, stop) whose pairs are intervals with ends that stay, or move steadily.

    Attributes
    ----------
    start, stop : int
        The part's lines.
    moves : tuple of bool
        For each row of :meth:`Mask.ends_of`, whether that end moves; for a band the first partner, and the last one.
    lines, partners : int
        Of the line that is ``lines`` behind, an end that moves is ``partners`` behind. A part begins and ends where
        such a group of lines does.
    """

    start: int
    stop: int
    moves: tuple[bool, ...]
    lines: int = 1
    partners: int = 1


_CHUNK = 2**24  # pairs looked at at a time


class Mask(ABC):
    """The pairs (query i, key j) that take part, for given numbers of queries and keys.

    A *line* is a query (axis ``i``) or a key (axis ``j``); its pairs are with lines of the other axis.

    Parameters
    ----------
    spec : str
        How the command line and the header of a pebbling file name the mask: ``causal``, ``window:256``.
    Nq, Nk : int
        Number of queries and of keys.

    Attributes
    ----------
    empty_rows : {"error", "zero"}
        Whether a query may attend to nothing; its output is then zero and costs nothing.
    period : int
        Length of the blocks of lines whose pairs follow from those of the block before; 1 where lines do.
    depth : int
        Of such blocks: from how many blocks below the diagonal on all blocks have one pattern.
    banded : bool
        Whether the pairs of a line are all the partners between two rows of :meth:`ends_of`.
    """

    empty_rows: str = "error"
    period: int = 1
    depth: int = 0
    banded: bool = False

    def __init__(self, spec: str, Nq: int, Nk: int) -> None:
        self.spec = spec
        self.extents = {"i": Nq, "j": Nk}

    @property
    def Nq(self) -> int:
        """Number of queries."""
        return self.extents["i"]

    @property
    def Nk(self) -> int:
        """Number of keys."""
        return self.extents["j"]

    def block_lines(self, axis: str) -> int:
        """Return the lines of an axis in a block whose pairs follow from those of the block before."""
        return self.period

    # What a kind of mask must know

    @abstractmethod
    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis; the number of possible partners where one has none."""

    @abstractmethod
    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis; -1 where one has none."""

    @abstractmethod
    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""

    @abstractmethod
    def _answers(self) -> Questions:
        """Return what answers questions about many boxes at once."""

    @abstractmethod
    def _identity(self) -> object:
        """Return what makes two masks of the same kind equal."""

    # What follows from it

    @cached_property
    def questions(self) -> Questions:
        """What the mask answers about many boxes at once."""
        return self._answers()

    def first(self, axis: str, lines: Interval | None = None) -> Whole:
        """First partner of every line of an interval, of the whole axis by default."""
        return self.first_of(axis, np.arange(*(lines or (0, self.extents[axis])), dtype=np.int64))

    def last(self, axis: str, lines: Interval | None = None) -> Whole:
        """Last partner of every line of an interval, of the whole axis by default."""
        return self.last_of(axis, np.arange(*(lines or (0, self.extents[axis])), dtype=np.int64))

    def ends_of(self, axis: str, lines: Whole) -> Whole:
        """Return the places on the other axis at which the rule of chosen lines' pairs changes, shape (n, lines).

        In each two rows an interval of partners begins, and ends; as many for all lines, some of them perhaps empty.
        For a band that is the first partner and the one behind the last, which are all that is known of other masks.
        """
        return np.stack([self.first_of(axis, lines), self.last_of(axis, lines) + 1])

    @cached_property
    def pairs(self) -> int:
        """Number of allowed pairs."""
        return self.count((0, self.Nq), (0, self.Nk))

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of allowed pairs in a box; of many boxes, ask :attr:`questions`."""
        return int(self.questions.pairs("i", *_alone(*queries, *keys))[0])

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval that have any pair."""
        stop = self.extents[axis] if stop is None else stop
        return int(self.questions.present(axis, *_alone(start, stop))[0])

    def lines_matrix(self, axis: str, lines: Interval, partners: Interval) -> NDArray[np.bool_]:
        """Return a box as booleans, shape (lines, partners)."""
        return self.matrix(lines, partners) if axis == "i" else self.matrix(partners, lines).T

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        extent, other = self.extents[axis], self.extents[OTHER_AXIS[axis]]
        found = np.zeros(extent, dtype=np.int64)
        step = max(1, _CHUNK // other)
        for start in range(0, extent, step):
            stop = min(start + step, extent)
            box = self.lines_matrix(axis, (start, stop), (0, other))
            found[start:stop] = np.count_nonzero(box & partners, axis=1)
        return found

    @property
    def connected(self) -> bool:
        """Whether all pairs are known to be in one part; False where that is not known."""
        return False

    @cached_property
    def parts(self) -> dict[str, Whole]:
        """Number, from 0, of the part of the mask that every line belongs to; -1 where it has no pair.

        Two lines are in the same part if pairs lead from one to the other. Parts have nothing in common.
        """
        if self.connected:
            return {axis: np.where(self.last(axis) >= 0, 0, -1) for axis in self.extents}
        return self._parts()

    def _parts(self) -> dict[str, Whole]:
        step = max(1, _CHUNK // self.Nk)
        starts = range(0, self.Nq, step)
        boxes = (self.matrix((start, min(start + step, self.Nq)), (0, self.Nk)) for start in starts)
        return parts_of_rows((row for box in boxes for row in box), self.Nq, self.Nk)

    def separations(self, axis: str) -> list[int]:
        """Return places strictly inside an axis at which the mask falls apart, in order.

        No line before the place has a partner at, or behind, the first partner of any line behind it. The number of
        parts is then at most one more; it may be less than that of :attr:`parts`, whose lines need not be neighbours.
        """
        return self._separations[axis]

    @cached_property
    def _separations(self) -> dict[str, list[int]]:
        if self.connected:
            return {axis: [] for axis in self.extents}
        return {axis: places_apart(self.first(axis), self.last(axis)).tolist() for axis in self.extents}

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which some lines on the pairs are the same, moved on; in order.

        Some lines further on, every end (:meth:`ends_of`) has moved by a number of partners, or stays, as the part's
        ``moves`` say. Lines that are in no part follow no rule that the mask knows of.
        """
        return []

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mask):
            return NotImplemented
        return (type(self), self.spec, self.extents, self._identity()) == (
            type(other),
            other.spec,
            other.extents,
            other._identity(),
        )

    def __hash__(self) -> int:
        return hash((type(self), self.spec, self.Nq, self.Nk))

    def __repr__(self) -> str:
        return f"<Mask {self.spec}: {self.pairs} of {self.Nq * self.Nk} pairs>"


def _alone(*numbers: int) -> list[Whole]:
    """Return each number as an array of one."""
    return [np.array([number], dtype=np.int64) for number in numbers]


def parts_of_rows(rows: Iterable[NDArray[np.bool_]], Nq: int, Nk: int) -> dict[str, Whole]:
    """Label queries and keys, the keys of one query after the other given as booleans.

    >>> import numpy as np
    >>> parts_of_rows(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=bool), 3, 3)
    {'i': array([0, 1, 0]), 'j': array([0, 1, 0])}
    """
    above = list(range(Nq))  # of each query, one of its part; joined parts hang below one of them
    labels = {"i": np.full(Nq, -1, dtype=np.int64), "j": np.full(Nk, -1, dtype=np.int64)}
    for query, row in enumerate(rows):
        keys = np.flatnonzero(row)
        if not len(keys):
            continue
        known = labels["j"][keys]
        for other in np.unique(known[np.append(True, known[1:] != known[:-1])]):
            if other >= 0:
                above[_top(above, int(other))] = query
        labels["i"][query] = labels["j"][keys] = query
    tops = np.array([_top(above, query) for query in range(Nq)], dtype=np.int64)
    used, first = np.unique(tops[labels["i"] >= 0], return_index=True)
    numbers = np.full(Nq, -1, dtype=np.int64)
    numbers[used[np.argsort(first)]] = np.arange(len(used))
    for label in labels.values():
        label[label >= 0] = numbers[tops[label[label >= 0]]]
    return labels


def _top(above: list[int], query: int) -> int:
    while above[query] != query:
        above[query] = above[above[query]]
        query = above[query]
    return query


def places_apart(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lines before which all partners come before all partners from there on; both sides have some.

    Parameters
    ----------
    first, last : ndarray of int64
        First and last partner of every line; more than any other, and -1, where it has none.
    """
    before = np.maximum.accumulate(last)[:-1]
    behind = np.minimum.accumulate(first[::-1])[::-1][1:]
    return np.flatnonzero((before < behind) & (before >= 0) & (last[1:] >= 0)) + 1


def check_rows(mask: M, empty_rows: str = "error") -> M:
    """Return the mask with the choice noted on it."""
    if empty_rows not in EMPTY_ROWS:
        raise InvalidInput(f"empty_rows must be 'error' or 'zero', not {empty_rows!r}")
    n_empty = mask.Nq - mask.present("i")
    if n_empty == mask.Nq:
        raise InvalidInput(f"mask {mask.spec} allows no pair at all: there is nothing to compute")
    if n_empty and empty_rows == "error":
        raise InvalidInput(_message(mask, n_empty))
    mask.empty_rows = empty_rows
    return mask


def _empty_row(mask: Mask, number: int) -> int:
    """Return the query that attends to nothing and has ``number`` such queries before it; by bisection."""
    return bisect_right(range(mask.Nq + 1), number, key=lambda query: query - mask.present("i", 0, query)) - 1


def _message(mask: Mask, n_empty: int) -> str:
    shown = ", ".join(str(_empty_row(mask, number)) for number in range(min(n_empty, _SHOWN)))
    shown += ", …" * (n_empty > _SHOWN)
    which = f"query {shown} attends" if n_empty == 1 else f"{n_empty:,} queries ({shown}) attend"
    return (
        f"mask {mask.spec}: {which} to no key, and a softmax over nothing is not defined; "
        "change the mask, or let the output be zero there: empty_rows='zero' (--empty-rows zero)"
    )
