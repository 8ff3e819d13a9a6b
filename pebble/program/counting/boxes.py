"""Tables of boxes, and what pieces of program do on each: how much fast memory grows, and how much room they take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pebble.computations.masks.staircase import first_of_equals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Whole = NDArray[Any]
    Box = dict[str, tuple[Whole, Whole]]


class Effect(NamedTuple):
    """Effects on a table of boxes.

    Attributes
    ----------
    grown : ndarray, shape (arrays, n)
        Words by which fast memory grows; of each array, or of all together in one row.
    room : ndarray, shape (n,)
        Most words above those at the beginning.
    at : ndarray, shape (arrays + 1, n)
        Of each array, and of the transient word, what is there then above the beginning; not kept where the arrays are
        together.
    """

    grown: Whole
    room: Whole
    at: Whole

    def then(self, other: Effect) -> Effect:
        """Compose with what comes next."""
        later = total(self.grown) + other.room
        at = self.at
        if len(at):
            after = other.at.copy()
            after[:-1] += self.grown
            at = np.where(later > self.room, after, at)
        return Effect(self.grown + other.grown, np.maximum(self.room, later), at)

    def times(self, number: Whole) -> Effect:
        """Repeat it a number of times."""
        more = (number - 1) * self.grown
        sums = total(more)
        at = self.at
        if len(at):
            at = at.copy()
            at[:-1] += np.where(sums > 0, more, 0)
        return Effect(self.grown * number, self.room + np.maximum(0, sums), at)

    def take(self, chosen: Whole) -> Effect:
        """Return the effects on some rows."""
        return Effect(self.grown[:, chosen], self.room[chosen], self.at[:, chosen])

    def put(self, chosen: Whole, done: Effect) -> None:
        """Note the effects on some rows."""
        self.grown[:, chosen], self.room[chosen] = done.grown, done.room
        if len(self.at):
            self.at[:, chosen] = done.at

    def sequence(self, owner: Whole) -> tuple[Effect, Whole]:
        """Compose neighbours of one owner; return also the owners, each once."""
        if not len(owner):
            return self, owner
        starts = first_of_equals(owner).nonzero()[0]
        if len(starts) == len(owner):
            return self, owner
        lengths = np.concatenate([starts[1:], [len(owner)]]) - starts
        before = np.cumsum(self.grown, axis=1) - self.grown
        before -= np.repeat(before[:, starts], lengths, axis=1)
        high = total(before) + self.room
        room = np.maximum.reduceat(high, starts)
        at = self.at
        if len(at):
            here = np.flatnonzero(high == np.repeat(room, lengths))
            first = here[np.unique(np.searchsorted(starts, here, side="right"), return_index=True)[1]]
            at = at[:, first]
            at[:-1] += before[:, first]
        return Effect(np.add.reduceat(self.grown, starts, axis=1), room, at), owner[starts]


def total(grown: Whole) -> Whole:
    """Return the sum of all arrays, which most counts take together."""
    return grown[0] if len(grown) == 1 else np.asarray(grown.sum(axis=0))


class OneLine(NamedTuple):
    """What a mask says of single lines and some partners each, instead of where the lines are.

    No partner begins with the line. Of several partners nobody asks what is before them.

    Attributes
    ----------
    axis : str
        Axis of the lines.
    pairs : ndarray of int64, shape (n,)
        Pairs of the line with its partners, at least one.
    before : ndarray of bool, shape (n,)
        Whether the line has a pair before its partners.
    partners, begun : ndarray of int64, shape (n,)
        Partners that have any pair, and those that have one before the line.
    """

    axis: str
    pairs: Whole
    before: NDArray[np.bool_]
    partners: Whole
    begun: Whole

    def take(self, chosen: Whole) -> OneLine:
        """Return some rows."""
        return OneLine(self.axis, *(column[chosen] for column in self[1:]))

    def words(self, axes: Sequence[str], place: str) -> Whole:
        """Return the pairs, the line, or the partners, of which some have begun before a place."""
        if len(axes) == 2:
            return self.pairs
        if axes[0] != self.axis:
            return self.partners if place == "all" else self.begun
        return self.before.astype(np.int64) if place == "start" else np.ones_like(self.pairs)

    def chain(self, axis: str) -> Whole:
        """Return the steps of chains of the line, or of the partners, those that begin, and the transient word."""
        if axis != self.axis:
            return np.stack([self.pairs, 0 * self.pairs, 0 * self.pairs + 1])
        return np.stack([self.pairs, ~self.before, self.before]).astype(np.int64)


@dataclass
class BoxTable:
    """A table of boxes.

    Attributes
    ----------
    root : ndarray of int64
        Which of the programs; never decreasing.
    weight : ndarray
        How often each row comes.
    box : dict of str to (ndarray, ndarray)
        Current tile of each axis on which a loop is.
    loops : dict of str to tuple
        Of each loop around, by label: axis, what it runs over, and its tile; without a mask on its axis, whether the
        tile is the first, and the last.
    answers : dict
        What the mask has said about the rows.
    line : OneLine, optional
        Inside a loop over single lines that are taken by kinds: what kind each row is.
    """

    root: Whole
    weight: Whole
    box: Box
    loops: dict[str, tuple[Any, ...]]
    answers: dict[object, Whole] = field(default_factory=dict)
    line: OneLine | None = None

    def __len__(self) -> int:
        return len(self.root)

    def take(self, chosen: Whole) -> BoxTable:
        """Return some rows."""
        return BoxTable(
            self.root[chosen],
            self.weight[chosen],
            {axis: (a[chosen], b[chosen]) for axis, (a, b) in self.box.items()},
            {label: (axis, *(one[chosen] for one in rest)) for label, (axis, *rest) in self.loops.items()},
            line=self.line and self.line.take(chosen),
        )
