"""What a legal program moves and how much room it takes: a fold over the boxes that it visits, without a memory.

Which boxes a program visits depends on the mask and the tile sizes alone. What an operation does on a box, if it is
legal, is a question to the mask. So a whole table of boxes is taken at once, one row each, and nothing is executed.

The *effect* of a piece of program on a box is how many words fast memory grows by, and how many it takes at most above
what it held before. Effects are composed as

    (g₁, r₁) then (g₂, r₂)  =  (g₁ + g₂,  max(r₁, g₁ + r₂))
    n times (g, r)          =  (n·g,  r + max(0, (n - 1)·g))

Words moved are added up by operation, each row as often as it comes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.lines_by_first import SingleLines
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Runs
from pebble.computations.masks.staircase import first_of_equals
from pebble.program.counting.life import Here
from pebble.program.counting.progressions import (
    LEAST_TILES,
    steady_parts,
    tiles_in_progression,
    tiles_in_rounds,
)
from pebble.program.counting.texts import Text, loops_of
from pebble.program.nodes import Condition, Loop, Operation, When

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.program.nodes import Node

    Whole = NDArray[Any]
    Path = tuple[int, ...]
    Box = dict[str, tuple[Whole, Whole]]

__all__ = ["MOST_BOXES", "Effect", "Fold"]

MOST_BOXES = 2 * 10**8
"""Boxes that are looked at; beyond, a program is not verified."""
_MANY_LINES = 2**18
_FEW_LINES = 2**14
"""Lines of a loop, in the mean, that are looked at one by one sooner than by kinds."""
_SMALL = 2**61


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
        later = _total(self.grown) + other.room
        at = self.at
        if len(at):
            after = other.at.copy()
            after[:-1] += self.grown
            at = np.where(later > self.room, after, at)
        return Effect(self.grown + other.grown, np.maximum(self.room, later), at)

    def times(self, number: Whole) -> Effect:
        """Repeat so many times."""
        more = (number - 1) * self.grown
        total = _total(more)
        at = self.at
        if len(at):
            at = at.copy()
            at[:-1] += np.where(total > 0, more, 0)
        return Effect(self.grown * number, self.room + np.maximum(0, total), at)

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
        high = _total(before) + self.room
        room = np.maximum.reduceat(high, starts)
        at = self.at
        if len(at):
            here = np.flatnonzero(high == np.repeat(room, lengths))
            first = here[np.unique(np.searchsorted(starts, here, side="right"), return_index=True)[1]]
            at = at[:, first]
            at[:-1] += before[:, first]
        return Effect(np.add.reduceat(self.grown, starts, axis=1), room, at), owner[starts]


def _total(grown: Whole) -> Whole:
    """Return the sum of all arrays, which most counts take together."""
    return grown[0] if len(grown) == 1 else np.asarray(grown.sum(axis=0))


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
    """

    root: Whole
    weight: Whole
    box: Box
    loops: dict[str, tuple[Any, ...]]
    answers: dict[object, Whole] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.root)

    def take(self, chosen: Whole) -> BoxTable:
        """Return some rows."""
        return BoxTable(
            self.root[chosen],
            self.weight[chosen],
            {axis: (a[chosen], b[chosen]) for axis, (a, b) in self.box.items()},
            {label: (axis, *(one[chosen] for one in rest)) for label, (axis, *rest) in self.loops.items()},
        )


class Fold:
    """Programs of one text, each with its own tile sizes, folded all at once.

    Parameters
    ----------
    text : Text
        Is taken to be legal.
    here : mapping of path to Here
        Of each operation, see :func:`pebble.program.counting.life.prove`.
    by_array : bool
        Whether to find of which arrays the words are at the peak.
    level : int
        Which of several memory levels is counted, the innermost is 1.
    inclusive : bool
        Whether it holds all that those within hold, so that computations take room in it; else what they store does.
    most : int
        How many boxes are looked at.

    Attributes
    ----------
    moved : dict of path to ndarray, shape (programs,)
        Words loaded or stored, or vertices computed, by each operation of the text.
    operations : dict of path to Operation
        These operations.
    effect : Effect
        Of each program.
    boxes : int
        Tiles looked at.

    Raises
    ------
    TooManyOperations
        If there are too many boxes.
    """

    def __init__(
        self,
        text: Text,
        here: Mapping[Path, Here],
        *,
        by_array: bool = False,
        level: int = 1,
        inclusive: bool = True,
        most: int = MOST_BOXES,
    ) -> None:
        self.level, self.inclusive, self.most = level, inclusive, most
        self.family, self.here, self.number, self.sizes = text.family, here, text.number, text.sizes
        self.masked = self.family.masked_axes
        loops = list(loops_of(text.program))
        self.axes = {path: node.axis for path, node in loops}
        self.asks_of_last = {path: _asks_of_last(node.body, node.label) for path, node in loops}
        self.rises_evenly = {
            path: not by_array and node.axis in self.masked and self._rises(node.body, path, (node.axis,))
            for path, node in loops
        }
        self.operations: dict[Path, Operation] = {}
        self.moved: dict[Path, Whole] = {}
        self.boxes, self.piled = 0, False
        self._singles: dict[str, SingleLines] = {}
        self.arrays = {array.name: number * by_array for number, array in enumerate(self.family.arrays)}
        self.by_array = by_array
        # Beyond 64 bits numpy adds Python's integers.
        self.whole: Any = (
            np.int64 if math.prod(self.family.extents.values()) * self._widest() < _SMALL else object
        )
        ones = np.ones(self.number, dtype=self.whole)
        effect = self._nothing(self.number)
        for number, phase in enumerate(text.program.phases):
            rows = BoxTable(np.arange(self.number), ones, {}, {})
            effect = effect.then(self._nodes(phase.body, (number,), rows))
        self.effect = effect

    def _widest(self) -> int:
        return max(array.width for array in self.family.arrays)

    def _rises(self, nodes: Sequence[Node], path: Path, around: tuple[str, ...]) -> bool:
        """Whether all that some nodes move goes up evenly from line to line of a loop, where its partners do."""
        asked, own, other = self._asked, around[0], OTHER_AXIS[around[0]]
        if not asked.rises or (not asked.rises_in_parts and any(map(self._is_part, self.axes))):
            return False
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                of_partners = (
                    other in self.family[node.array].axes and own not in self.family[node.array].axes
                )
                if node.at or (of_partners and not asked.partners_rise):
                    return False
                continue
            inside = around
            if isinstance(node, Loop) and node.axis in self.masked:
                alike = asked.partners_rise and (self.sizes[place][0] == 1).all()
                if node.axis in around or self._is_part(place) or not alike:
                    return False
                inside = (*around, node.axis)
            if not self._rises(node.body, place, inside):
                return False
        return True

    def _is_part(self, path: Path) -> bool:
        """Whether a loop runs over a part of an axis with a mask, in any program."""
        axis, (_, start, stop) = self.axes[path], self.sizes[path]
        return axis in self.masked and bool(start.any() or (stop != self.family.extents[axis]).any())

    @cached_property
    def _asked(self) -> Any:
        assert self.family.mask is not None
        return self.family.mask.questions

    def _nothing(self, n: int) -> Effect:
        arrays = len(self.arrays)
        return Effect(
            np.zeros((arrays if self.by_array else 1, n), dtype=self.whole),
            np.zeros(n, dtype=self.whole),
            np.zeros(((arrays + 1) * self.by_array, n), dtype=self.whole),
        )

    def _nodes(self, nodes: Sequence[Node], path: Path, rows: BoxTable) -> Effect:
        effect = self._nothing(len(rows))
        if not len(rows):
            return effect
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                effect = self._operation(node, place, rows, effect)
            elif isinstance(node, Loop):
                effect = effect.then(self._loop(node, place, rows))
            else:
                effect = self._when(node, place, rows, effect)
        return effect

    # Loops and conditions

    def _when(self, node: When, path: Path, rows: BoxTable, effect: Effect) -> Effect:
        holds = self._holds(node.condition, rows)
        if holds.all():
            return effect.then(self._nodes(node.body, path, rows))
        chosen = np.flatnonzero(holds)
        if len(chosen):
            done = effect.take(chosen).then(self._nodes(node.body, path, rows.take(chosen)))
            effect.put(chosen, done)
        return effect

    def _holds(self, condition: Condition, rows: BoxTable) -> NDArray[np.bool_]:
        axis, *loop = rows.loops[condition.label]
        if axis not in self.masked:
            return np.asarray(loop[condition.which == "last"] != condition.negated)
        low, high, start, stop = loop
        rest = (low, start) if condition.which == "first" else (stop, high)
        return np.asarray(
            self._asked.has(axis, *rest, *self.tile(OTHER_AXIS[axis], rows)) == condition.negated
        )

    def _loop(self, node: Loop, path: Path, rows: BoxTable) -> Effect:
        axis, (tile, start, stop) = node.axis, (one[rows.root] for one in self.sizes[path])
        low, high = rows.box.get(axis, (start, stop))
        loop = low, high, tile
        if axis not in self.masked:
            ragged = (high - low) % tile > 0
            if self.asks_of_last[path]:
                ragged[:] = True
            return self._runs(node, path, rows, loop, _flat_runs(-((low - high) // tile), ragged))
        for shortened in (self._in_progression, self._in_kinds):
            if (found := shortened(node, path, rows, loop)) is not None:
                return found
        try:
            runs = self._asked.runs(axis, *loop, *self.tile(OTHER_AXIS[axis], rows))
        except TooManyOperations:
            if len(rows) == 1:
                raise
            parts = np.array_split(np.arange(len(rows)), 2)
            halves = [self._loop(node, path, rows.take(part)) for part in parts]
            return Effect(*(np.concatenate(both, axis=-1) for both in zip(*halves, strict=True)))
        if self.rises_evenly[path] and (runs.length > 1).any():
            sampled = runs.sampled(self._asked.together[axis])
            found = self._standing_for_all(node, path, rows, loop, sampled, 0)
            if found is not None:
                return found
        return self._runs(node, path, rows, loop, runs)

    def _runs(
        self,
        node: Loop,
        path: Path,
        rows: BoxTable,
        loop: tuple[Whole, Whole, Whole],
        runs: Runs,
        unit: int = 0,
    ) -> Effect:
        """Return the effects of loops that are made of runs of tiles, or of tiles that stand for so many units."""
        found = [self._run(node, path, rows, part, loop, unit) for part in runs.chunks()]
        effect = self._nothing(len(rows))
        if found:
            effects, parents, times = zip(*found, strict=True)
            joined = Effect(*(np.concatenate(parts, axis=-1) for parts in zip(*effects, strict=True)))
            parent, number = np.concatenate(parents), np.concatenate(times)
            if not number.all():
                joined, parent, number = self._risen(joined, parent, number)
            done, owner = (joined if unit else joined.times(number)).sequence(parent)
            effect.put(owner, done)
        return effect

    def _in_progression(
        self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]
    ) -> Effect | None:
        """Return the effects of outermost loops of which some tiles stand for all; None if they do not."""
        mask, axis, other = self.family.mask, node.axis, OTHER_AXIS[node.axis]
        low, high, tile = loop
        few = ((high - low) // tile).max() < LEAST_TILES or len(rows) > 4 * self.number
        if other in rows.box or few or mask is None or not (mask.banded or mask.period > 1):
            return None
        inside = [place for place, at in self.axes.items() if at == other and place[: len(path)] == path]
        grids = [[int(self.sizes[place][0][root]) for place in inside] for root in rows.root.tolist()]
        loops = list(zip(*(one.tolist() for one in loop), strict=True))
        if not mask.banded:
            if any(map(self._is_part, self.axes)):
                return None
            found = [tiles_in_rounds(mask, axis, *one) for one in zip(loops, grids, strict=True)]
            return self._standing_for_all(node, path, rows, loop, _of_rows(found), 2)
        marks = {0, self.family.extents[other]}
        for part in mask.steady_parts(other):
            marks |= {part.start, part.stop}
        for place, at in self.axes.items():
            if at == other:
                marks.update(np.concatenate(self.sizes[place][1:]).tolist())
        parts = steady_parts(mask, axis, LEAST_TILES * int(tile.min()))
        if not parts:
            return None
        found = [
            tiles_in_progression(mask, axis, parts, *one, marks) for one in zip(loops, grids, strict=True)
        ]
        return self._standing_for_all(node, path, rows, loop, _of_rows(found), 2)

    def _in_kinds(
        self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]
    ) -> Effect | None:
        """Return the effects of loops over single lines that a single partner sees, where lines are of few kinds."""
        mask, other = self.family.mask, OTHER_AXIS[node.axis]
        low, high, tile = loop
        lines = (high - low).sum()
        few = lines < max(_MANY_LINES, _FEW_LINES * len(rows))
        if other not in rows.box or few or mask is None or mask.banded:
            return None
        p, q = rows.box[other]
        around = [one for axis, *one in rows.loops.values() if axis == other]
        whole = all((w0 == 0).all() and (w1 == self.family.extents[other]).all() for w0, w1, *_ in around)
        if not whole or (tile != 1).any() or (q - p != 1).any():
            return None
        kinds = self._single_lines(node.axis).kinds(low, high, p)
        return self._standing_for_all(node, path, rows, loop, kinds, 1)

    def _single_lines(self, axis: str) -> SingleLines:
        assert self.family.mask is not None
        if axis not in self._singles:
            self._singles[axis] = SingleLines(self.family.mask, axis)
        return self._singles[axis]

    def _standing_for_all(
        self,
        node: Loop,
        path: Path,
        rows: BoxTable,
        loop: tuple[Whole, Whole, Whole],
        runs: Runs,
        unit: int,
    ) -> Effect | None:
        """Return the effects of loops of which some tiles stand for so many units each; None if words pile up."""
        before = {place: moved.copy() for place, moved in self.moved.items()}
        around, self.piled = self.piled, False
        effect = self._runs(node, path, rows, loop, runs, unit)
        piled, self.piled = self.piled, around
        if piled:
            self.moved = before
            return None
        for place, moved in self.moved.items() if unit else ():
            was = before.get(place, 0)
            self.moved[place] = was + (moved - was) // unit
        return effect

    def _run(
        self,
        node: Loop,
        path: Path,
        rows: BoxTable,
        runs: Runs,
        loop: tuple[Whole, Whole, Whole],
        unit: int,
    ) -> tuple[Effect, Whole, Whole]:
        """Return the effects of groups of tiles, each once, the rows that they belong to, and how often they come."""
        self.boxes += int(runs.length.sum())
        if self.boxes > self.most:
            raise TooManyOperations(
                f"not verified at this size: more than {self.most:,} boxes of tiles would have to be "
                "examined; use larger tiles"
            )
        axis, (run, first) = node.axis, runs.tiles()
        low, high, tile = (one[runs.parent[run]] for one in loop)
        start = low + first * tile
        stop = np.minimum(start + tile, high)
        if axis in self.masked:
            p, q = self.tile(OTHER_AXIS[axis], rows)
            seen = self._asked.has(axis, start, stop, p[runs.parent[run]], q[runs.parent[run]])
            if not seen.all():
                run, start, stop, low, high = (one[seen] for one in (run, start, stop, low, high))
        inner = rows.take(runs.parent[run])
        inner.weight = inner.weight * runs.times[run]
        inner.box[axis] = start, stop
        if axis not in self.masked:
            inner.loops[node.label] = axis, start == low, stop == high
        else:
            if node.label in inner.loops:
                _, low, high, *_ = inner.loops[node.label]
            inner.loops[node.label] = axis, low, high, start, stop
        effect, run = self._nodes(node.body, path, inner).sequence(run)
        if unit:
            # Only a tile that leaves fast memory as full as it was stands for others; two halves are it alone.
            self.piled |= bool(effect.grown[:, (runs.times[run] != unit) | (unit == 1)].any())
        return effect, runs.parent[run], runs.times[run]

    def _risen(self, effect: Effect, parent: Whole, times: Whole) -> tuple[Effect, Whole, Whole]:
        """Join the samples of groups that rise, see :meth:`Runs.sampled`, each group into one that comes once."""
        third = np.flatnonzero(times == 0)
        first, second = third - 2, third - 1
        number = times[first] + times[second]
        apart = (first < 0) | (parent[first] != parent[third]) | (times[second] * 2 != number * (number - 1))
        one, two, last = (effect.take(at) for at in (first, second, third))
        rise = Effect(two.grown - one.grown, two.room - one.room, one.at)
        even = one.grown + rise.grown * (number - 1) == last.grown
        if apart.any() or not even.all() or (one.room + rise.room * (number - 1) != last.room).any():
            self.piled = True
            return effect, parent, times
        total, more = _total(one.grown), _total(rise.grown)
        # Room is a sum up to a tile and that tile's own: a square function of its number.
        turn = np.clip((total + rise.room) // np.maximum(-more, 1) + 1, 0, number - 1)
        tops = [
            one.room + rise.room * at + total * at + more * (at * (at - 1) // 2) for at in (turn, number - 1)
        ]
        grown = one.grown * number + rise.grown * (number * (number - 1) // 2)
        joined = Effect(grown, np.maximum(*tops), one.at)
        effect.put(first, joined)
        times[first] = 1
        kept = np.delete(np.arange(len(times)), [*second, *third])
        return effect.take(kept), parent[kept], times[kept]

    # Operations

    def _operation(self, op: Operation, path: Path, rows: BoxTable, effect: Effect) -> Effect:
        array, here = self.family[op.array], self.here.get(path, Here("all", False))
        if op.action == "compute":
            if self.level > 1 and not self.inclusive:
                return effect
            return self._compute(op, path, array, rows, effect, here.held)
        if op.level != self.level:
            if (op.action, op.level, self.inclusive) == ("store", self.level - 1, False) and not here.held:
                return self._grow(effect, op.array, self._words(array, rows, op, here.place), 0)
            return effect
        words = self._words(array, rows, op, here.place)
        if op.action == "delete":
            effect.grown[self.arrays[op.array]] -= words * array.width
            return effect
        self._count(op, path, rows, words)
        if op.action == "load":
            return self._grow(effect, op.array, words * (not here.held), 0)
        return effect

    def _compute(
        self, op: Operation, path: Path, array: Array, rows: BoxTable, effect: Effect, held: bool
    ) -> Effect:
        if array.chain in self.masked:
            vertices, new, step = self._masked_chain(array, rows, op)
        else:
            words = self._words(array, rows, op)
            start, stop = (0, 1) if array.chain is None else self.tile(array.chain, rows, op)
            vertices, step = words * (stop - start), (words > 0) & ((start > 0) | (stop - start > 1))
            new = words * (not held) * (start == 0)
        self._count(op, path, rows, vertices)
        if op.replacing is None:
            return self._grow(effect, op.array, new, step)
        replaced = self.family[op.replacing]
        effect = self._grow(effect, op.array, new * 0, step + np.minimum(new, 1))
        effect.grown[self.arrays[op.array]] += new * array.width
        effect.grown[self.arrays[op.replacing]] -= self._words(replaced, rows, op) * replaced.width
        return effect

    def _masked_chain(self, array: Array, rows: BoxTable, op: Operation) -> tuple[Whole, Whole, Whole]:
        """Return the vertices of a chain over queries or keys, the words that begin, and the transient word."""
        assert array.chain is not None
        axis, rest = OTHER_AXIS[array.chain], self._rest(array, rows, op)
        if op.at or axis not in rows.answers:
            tiles = *self.tile(axis, rows, op), *self.tile(array.chain, rows, op)
            answer = self._chain_of_lines(axis, *tiles)
            if not op.at:
                rows.answers[axis] = answer
        else:
            answer = rows.answers[axis]
        pairs, new, step = answer
        return pairs * rest, new * rest, step

    def _chain_of_lines(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return of boxes the pairs, the lines that begin, and the transient word of a step."""
        asked = self._asked
        pairs = asked.pairs(axis, x0, x1, p, q)
        new = asked.begun(axis, x0, x1, q) - asked.begun(axis, x0, x1, p)
        step = (pairs > 0) & (new == 0)
        # A step takes a word more only if it comes after the last word that begins.
        several = np.flatnonzero((new > 0) & (pairs > new))
        if len(several):
            x0, x1, p, q = (one[several] for one in (x0, x1, p, q))
            latest = np.maximum(asked.behind_latest(axis, x0, x1, p, q) - 1, x0)
            step[several] = asked.pairs(axis, latest, x1, p, q) > 1
        return np.stack([pairs, new, step])

    def _grow(self, effect: Effect, name: str, words: Whole, step: Whole | int) -> Effect:
        grown, room, at = effect
        row, width = self.arrays[name], self.family[name].width
        if width > 1:
            words, step = words * width, step * width
        top = _total(grown) + words + step
        grown[row] += words
        if len(at):
            at[:] = np.where(top > room, np.concatenate([grown, [step + 0 * words]]), at)
        return Effect(grown, np.maximum(room, top), at)

    def _count(self, op: Operation, path: Path, rows: BoxTable, words: Whole) -> None:
        if path not in self.moved:
            self.moved[path], self.operations[path] = np.zeros(self.number, dtype=self.whole), op
        total = self.moved[path]
        weighed = rows.weight * words * self.family[op.array].cost(op.action)
        if self.number == 1:
            total += weighed.sum()
            return
        starts = first_of_equals(rows.root).nonzero()[0]
        total[rows.root[starts]] += np.add.reduceat(weighed, starts)

    # Questions

    def tile(self, axis: str, rows: BoxTable, op: Operation | None = None) -> tuple[Whole, Whole]:
        """Return the current tile of an axis, or the whole axis."""
        for name, start, stop in op.at if op else ():
            if name == axis:
                return np.full(len(rows), start), np.full(len(rows), stop)
        if axis in rows.box:
            return rows.box[axis]
        zero = np.zeros(len(rows), dtype=np.int64)
        return zero, zero + self.family.extents[axis]

    def _rest(self, array: Array, rows: BoxTable, op: Operation) -> Whole | int:
        """Return the words of a box along the axes that are not masked."""
        rest: Whole | int = 1
        for axis in array.axes:
            if axis not in self.masked:
                if axis in rows.box or op.at:
                    start, stop = self.tile(axis, rows, op)
                    rest = rest * (stop - start).astype(self.whole, copy=False)
                else:
                    rest = rest * self.family.extents[axis]
        return rest

    def _words(self, array: Array, rows: BoxTable, op: Operation, place: str = "all") -> Whole:
        """Return the words of a box that exist, of a masked chain those that have begun."""
        key = (array.axes, array.chain if array.chain in self.masked else None, place)
        if op.at or key not in rows.answers:
            words = np.asarray(self._lines(array, rows, op, place) * self._rest(array, rows, op))
            if op.at:
                return words
            rows.answers[key] = words
        return rows.answers[key]

    def _lines(self, array: Array, rows: BoxTable, op: Operation, place: str) -> Whole:
        lines = [axis for axis in array.axes if axis in self.masked]
        if len(lines) == 2:
            return np.asarray(self._asked.pairs("i", *self.tile("i", rows, op), *self.tile("j", rows, op)))
        if not lines:
            return np.ones(len(rows), dtype=self.whole)
        tile = self.tile(lines[0], rows, op)
        if array.chain not in self.masked or place == "all":
            return np.asarray(self._asked.present(lines[0], *tile))
        return np.asarray(
            self._asked.begun(lines[0], *tile, self.tile(str(array.chain), rows, op)[place == "end"])
        )


def _of_rows(found: Sequence[tuple[Whole, Whole]]) -> Runs:
    """Return the tiles of each loop, and for how many halves of a tile each stands, as runs."""
    pieces = [
        (np.full_like(first, row), first, np.ones_like(first), halves)
        for row, (first, halves) in enumerate(found)
    ]
    return Runs(*(np.concatenate(columns) for columns in zip(*pieces, strict=True)))


def _flat_runs(number: Whole, ends: NDArray[np.bool_]) -> Runs:
    """Return the tiles of loops over an axis without a mask: the first, the others, and the last where it is unlike."""
    most = np.minimum(number, 2 + ends)
    parent = np.repeat(np.arange(len(number)), most)
    which = np.arange(len(parent)) - np.searchsorted(parent, parent)
    total, ends = number[parent], ends[parent]
    last = ends & (which == most[parent] - 1)
    times = np.where(last | (which == 0), 1, total - 1 - ends)
    return Runs(parent, np.where(last, total - 1, which), np.ones_like(parent), times)


def _asks_of_last(nodes: Sequence[Node], label: str) -> bool:
    """Whether anything among some nodes depends on whether a loop is at its last tile."""
    return any(
        (isinstance(node, When) and node.condition == Condition(label, "last", node.condition.negated))
        or _asks_of_last(node.body, label)
        for node in nodes
        if not isinstance(node, Operation)
    )
