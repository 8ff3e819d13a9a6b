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

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Runs, flat_runs
from pebble.program.counting.boxes import BoxTable, Effect, total
from pebble.program.counting.life import Here
from pebble.program.counting.line_kinds import FoldOfLines, asks_of_lines
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

    from pebble.program.nodes import Node

    Whole = NDArray[Any]
    Path = tuple[int, ...]

__all__ = ["MOST_BOXES", "Effect", "Fold"]

MOST_BOXES = 2 * 10**8
"""Boxes that are looked at; beyond, a program is not verified."""


class Fold(FoldOfLines):
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
        super().__init__(text, here, by_array, level, inclusive, most)
        loops = list(loops_of(text.program))
        self.axes = {path: node.axis for path, node in loops}
        self.asks_of_last = {path: _asks_of_last(node.body, node.label) for path, node in loops}
        self.rises_evenly = {
            path: not by_array and node.axis in self.masked and self._rises(node.body, path, (node.axis,))
            for path, node in loops
        }
        labels = {node.label: node.axis for _, node in loops}
        for path, node in loops:
            if node.axis in self.masked and not by_array and not self.rises_evenly[path]:
                self.asks_of_lines[path] = asks_of_lines(
                    node.body, path, node.axis, self.family, here, labels
                )
        self.piled = False
        ones = np.ones(self.number, dtype=self.whole)
        effect = self._nothing(self.number)
        for number, phase in enumerate(text.program.phases):
            rows = BoxTable(np.arange(self.number), ones, {}, {})
            effect = effect.then(self._nodes(phase.body, (number,), rows))
        self.effect = effect

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
        if rows.line is not None:
            return np.asarray(rows.line.before == condition.negated)
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
            return self._runs(node, path, rows, loop, flat_runs(-((low - high) // tile), ragged))
        found = self._in_progression(node, path, rows, loop)
        if found is None:
            found = self._in_lines(node, path, rows, loop)
        return self._tile_by_tile(node, path, rows, loop) if found is None else found

    def _tile_by_tile(
        self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]
    ) -> Effect:
        """Return the effects of loops over an axis with a mask, tiles that are alike at once."""
        axis, (low, high, tile) = node.axis, loop
        try:
            runs = self._asked.runs(axis, *loop, *self.tile(OTHER_AXIS[axis], rows))
        except TooManyOperations:
            if len(rows) == 1:
                raise
            parts = np.array_split(np.arange(len(rows)), 2)
            halves = [
                self._tile_by_tile(node, path, rows.take(part), (low[part], high[part], tile[part]))
                for part in parts
            ]
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
        """Return the effects of loops made of runs of tiles, or of tiles that stand for several units each."""
        self._look_at(int(runs.length.sum()))
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
        if other in rows.box or few or mask is None or not (mask.banded or mask.block_lines(axis) > 1):
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

    def _standing_for_all(
        self,
        node: Loop,
        path: Path,
        rows: BoxTable,
        loop: tuple[Whole, Whole, Whole],
        runs: Runs,
        unit: int,
    ) -> Effect | None:
        """Return the effects of loops in which some tiles stand for several units each; None if words pile up."""
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
        start, more = total(one.grown), total(rise.grown)
        # Room is a sum up to a tile and that tile's own: a square function of its number.
        turn = np.clip((start + rise.room) // np.maximum(-more, 1) + 1, 0, number - 1)
        tops = [
            one.room + rise.room * at + start * at + more * (at * (at - 1) // 2) for at in (turn, number - 1)
        ]
        grown = one.grown * number + rise.grown * (number * (number - 1) // 2)
        joined = Effect(grown, np.maximum(*tops), one.at)
        effect.put(first, joined)
        times[first] = 1
        kept = np.delete(np.arange(len(times)), [*second, *third])
        return effect.take(kept), parent[kept], times[kept]


def _of_rows(found: Sequence[tuple[Whole, Whole]]) -> Runs:
    """Return the tiles of each loop, and for how many halves of a tile each stands, as runs."""
    pieces = [
        (np.full_like(first, row), first, np.ones_like(first), halves)
        for row, (first, halves) in enumerate(found)
    ]
    return Runs(*(np.concatenate(columns) for columns in zip(*pieces, strict=True)))


def _asks_of_last(nodes: Sequence[Node], label: str) -> bool:
    """Whether anything among some nodes depends on whether a loop is at its last tile."""
    return any(
        (isinstance(node, When) and node.condition == Condition(label, "last", node.condition.negated))
        or _asks_of_last(node.body, label)
        for node in nodes
        if not isinstance(node, Operation)
    )
