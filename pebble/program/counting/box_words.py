"""What loads, stores, deletions and computations do on a table of boxes: questions to the mask, one for each row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.staircase import first_of_equals
from pebble.program.counting.boxes import BoxTable, Effect, total
from pebble.program.counting.life import Here

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.program.counting.texts import Text
    from pebble.program.nodes import Operation

    Whole = NDArray[Any]
    Path = tuple[int, ...]

_SMALL = 2**61


class BoxWords:
    """What single operations move and take on a table of boxes, of programs of one text.

    Parameters
    ----------
    text, here, by_array, level, inclusive
        As of :class:`pebble.program.counting.effects.Fold`.
    """

    def __init__(
        self, text: Text, here: Mapping[Path, Here], by_array: bool, level: int, inclusive: bool
    ) -> None:
        self.level, self.inclusive, self.by_array = level, inclusive, by_array
        self.family, self.here, self.number, self.sizes = text.family, here, text.number, text.sizes
        self.masked = self.family.masked_axes
        self.operations: dict[Path, Operation] = {}
        self.moved: dict[Path, Whole] = {}
        self.arrays = {array.name: number * by_array for number, array in enumerate(self.family.arrays)}
        # Beyond 64 bits numpy adds Python's integers.
        widest = max(array.width for array in self.family.arrays)
        self.whole: Any = np.int64 if math.prod(self.family.extents.values()) * widest < _SMALL else object

    @cached_property
    def _asked(self) -> Any:
        assert self.family.mask is not None
        return self.family.mask.questions

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
        if rows.line is not None:
            answer = rows.line.chain(axis)
        elif op.at or axis not in rows.answers:
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
        top = total(grown) + words + step
        grown[row] += words
        if len(at):
            at[:] = np.where(top > room, np.concatenate([grown, [step + 0 * words]]), at)
        return Effect(grown, np.maximum(room, top), at)

    def _count(self, op: Operation, path: Path, rows: BoxTable, words: Whole) -> None:
        if path not in self.moved:
            self.moved[path], self.operations[path] = np.zeros(self.number, dtype=self.whole), op
        sums = self.moved[path]
        weighed = rows.weight * words * self.family[op.array].cost(op.action, op.resumes)
        if self.number == 1:
            sums += weighed.sum()
            return
        starts = first_of_equals(rows.root).nonzero()[0]
        sums[rows.root[starts]] += np.add.reduceat(weighed, starts)

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
        if rows.line is not None and lines:
            return rows.line.words(lines, place if array.chain in self.masked else "all")
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
