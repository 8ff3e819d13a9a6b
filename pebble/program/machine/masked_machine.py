"""The machine under a mask: every rule of the game on boxes, of which only the allowed pairs exist.

A box of S, P, dP or dS has a word for each allowed pair. A chain over keys (queries) is as far as the loops have got,
for all lines of a cell alike: a line of which nothing was allowed so far has not begun and takes no room, and to have
got to key 7 or to key 9 is the same for a line that has no pair with keys 7 and 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program.machine.field import Field
from pebble.program.nodes import Loop, Node, Operation, Program
from pebble.program.steps import loop_range, tile_at, tile_count
from pebble.program.visits import Visit, visited

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MANY", "Machine"]

Interval = tuple[int, int]
_PARTNER = {"i": "j", "j": "i"}
MANY = 8
"""Cells of an axis after which a loop that is still going on joins those that are alike."""


class Machine:
    """State and execution of one run; every iteration of every loop is executed.

    Parameters
    ----------
    program : Program
    family : Family
    M : int or None
        Words of fast memory to enforce.
    step_limit : int
        Most operations to execute.
    """

    def __init__(self, program: Program, family: Family, M: int | None, step_limit: int) -> None:
        assert family.mask is not None
        self.program, self.family, self.mask, self.M = program, family, family.mask, M
        self.steps, self.step_limit = 0, step_limit
        self.fields = {
            array.name: Field(tuple(family.extents[axis] for axis in array.axes), 1 if array.is_input else 0)
            for array in family.arrays
        }
        self.counts: dict[str, dict[str, int]] = {
            action: {array.name: 0 for array in family.arrays} for action in ("load", "store", "compute")
        }
        self.held = {array.name: 0 for array in family.arrays}
        self.occupied = self.peak = 0
        self.peak_words: dict[str, int] = {}
        self.tiles: dict[str, Interval] = {}
        self.visits: dict[str, Visit] = {}

    def execute(self) -> None:
        """Run the program to its end, and require the outputs in slow memory.

        Raises
        ------
        Violation
            Where an operation breaks a rule.
        """
        for part in self.program.phases:
            for node in part.nodes():
                self.node(node)
        for array in self.family.outputs:
            box = tuple((0, self.family.extents[axis]) for axis in array.axes)
            for cell, state in self.peek(array, box):
                if not self._is_complete(array, cell, int(state[1])) and self._words(array, cell):
                    raise Violation(
                        f"the program ends, but not all of {array.name} is in slow memory: store it",
                        "output-missing",
                    )

    # Loops

    def node(self, node: Node) -> None:
        """Execute a node."""
        if isinstance(node, Operation):
            self.operation(node)
        elif isinstance(node, Loop):
            self.loop(node)
        elif node.condition.holds(self.visits[node.condition.label], self.tiles, self.family):
            for inner in node.body:
                self.node(inner)

    def loop(self, node: Loop) -> None:
        """Execute the tiles of a loop that hold allowed pairs."""
        whole = loop_range(node, self.tiles, self.family)
        for index in visited(node.axis, whole, node.tile, self.tiles, self.family):
            self.iteration(node, whole, index)
            self.tidy(node, self.fields, MANY)
        self.tidy(node, self.fields)

    def tidy(self, node: Loop, names: Iterable[str], many: int = 0) -> None:
        """Join the cells that are alike along a loop's axis, of the arrays that have more than ``many``."""
        for name in names:
            array = self.family[name]
            if node.axis in array.axes:
                position = array.axes.index(node.axis)
                if len(self.fields[name].cuts[position]) <= many + 1:
                    continue
                self.fields[name].tidy(position, lambda *arguments, a=array: self._join(a, *arguments))

    def iteration(self, node: Loop, whole: Interval, index: int) -> None:
        """Execute one tile of a loop."""
        before = self.enter(node, whole, index)
        for inner in node.body:
            self.node(inner)
        self.leave(node, before)

    def enter(self, node: Loop, whole: Interval, index: int) -> Interval | None:
        """Make a tile the current one of its axis; return the one before."""
        tile = tile_at(*whole, node.tile, index)
        before = self.tiles.get(node.axis)
        self.tiles[node.axis] = tile
        count = tile_count(*whole, node.tile)
        self.visits[node.label] = Visit(node.axis, index, count, whole, tile)
        return before

    def leave(self, node: Loop, before: Interval | None) -> None:
        """Put an axis back to the tile it had outside a loop."""
        del self.visits[node.label]
        self._restore(node.axis, before)

    def _restore(self, axis: str, tile: Interval | None) -> None:
        if tile is None:
            self.tiles.pop(axis, None)
        else:
            self.tiles[axis] = tile

    # Operations

    def operation(self, op: Operation) -> None:
        """Execute one operation."""
        self.steps += 1
        if self.steps > self.step_limit:
            raise TooManyOperations(
                f"under the mask {self.mask.spec} the program takes more than {self.step_limit:,} operations; "
                "take larger tiles, or fewer queries and keys"
            )
        saved = [(axis, self.tiles.get(axis)) for axis, _, _ in op.at]
        self.tiles.update({axis: (a, b) for axis, a, b in op.at})
        array = self.family[op.array]
        if op.action == "load":
            self._load(op, array)
        elif op.action == "store":
            self._store(op, array)
        elif op.action == "delete":
            self._delete(op, array)
        elif array.chain is None:
            self._compute(op, array)
        else:
            self._advance(op, array)
        for axis, tile in saved:
            self._restore(axis, tile)

    def _load(self, op: Operation, array: Array) -> None:
        words = new = 0
        cells = self._cells(array, self.box(array))
        for cell, (fast, slow) in cells:
            here = self._held(array, cell, int(slow))
            if not here and self._missing(array, cell):
                self._refuse(
                    op,
                    "load-needs-blue",
                    f"not all of {self._shown(array)} is in slow memory; store it first",
                )
            words += here
            if self._held(array, cell, int(fast)):
                if not self._alike(array, cell, int(fast), int(slow)):
                    self._refuse(
                        op,
                        "one-partial-result",
                        f"fast memory already holds another partial result of {self._shown(array)}; delete it first",
                    )
            else:
                new += here
        self._occupy(op, array, new, 0)
        for _, state in cells:
            state[0] = state[1]
        self.counts["load"][array.name] += words

    def _store(self, op: Operation, array: Array) -> None:
        words = 0
        for cell, state in self._cells(array, self.box(array)):
            here = self._held(array, cell, int(state[0]))
            if not here and self._missing(array, cell):
                self._refuse(op, "store-needs-red", f"not all of {self._shown(array)} is in fast memory")
            words += here
            state[1] = max(state[0], state[1])
        self.counts["store"][array.name] += words

    def _delete(self, op: Operation, array: Array) -> None:
        words = self._present(op, array)
        self._clear(array)
        self._release(array, words)

    def _present(self, op: Operation, array: Array) -> int:
        """Words of the current box, all of which must be in fast memory."""
        words = 0
        for cell, state in self.peek(array, self.box(array)):
            here = self._held(array, cell, int(state[0]))
            if not here and self._missing(array, cell):
                self._refuse(op, "delete-needs-red", f"not all of {self._shown(array)} is in fast memory")
            words += here
        return words

    def _clear(self, array: Array) -> None:
        self.fields[array.name].view(self.box(array))[0] = 0

    def _release(self, array: Array, words: int) -> None:
        self.held[array.name] -= words
        self.occupied -= words

    def _compute(self, op: Operation, array: Array) -> None:
        """Compute the box of an array without a chain, element by element."""
        self._need_operands(op, array)
        box = self.box(array)
        size = self._words(array, box)
        view = self.fields[array.name].view(box)
        absent = view[0] == 0
        new = size
        if not absent.all():
            new = sum(self._words(array, cell) for cell, state in self._cells(array, box) if not state[0])
        if op.replacing is None:
            self._occupy(op, array, new, 0)
        elif new not in (0, size):
            self._refuse(
                op, "whole-box", f"{self._shown(array)} is partly in fast memory; it must be all or none"
            )
        else:
            self._replace(op, array, new, min(new, 1))
        self.fields[array.name].view(box)[0] = 1
        self.counts["compute"][array.name] += size

    def _advance(self, op: Operation, array: Array) -> None:
        """Advance a chain over the current tile of its axis, element by element."""
        assert array.chain is not None
        if op.replacing is not None and array.chain in self.family.masked_axes:
            raise InvalidInput(f"{op}: a chain that is masked cannot replace another array")
        self._need_operands(op, array)
        start, stop = self._interval(array.chain)
        box = self.box(array)
        for cell, state in self.peek(array, box):
            got = int(state[0])
            if got != start and not self._alike(array, cell, got, start) and self._words(array, cell):
                self._refuse(op, *self._chain_fault(array, start, stop, got))
        if array.chain in self.family.masked_axes:
            pairs, new, step = self._masked_steps(array, box, start, stop)
        else:
            size = self._words(array, box)
            pairs, new = size * (stop - start), 0 if start else size
            step = int(size > 0 and (start > 0 or stop - start > 1))
        if op.replacing is None:
            self._occupy(op, array, new, step)
        else:
            self._replace(op, array, new, step + min(new, 1))
        self.fields[array.name].view(box)[0] = stop
        self.counts["compute"][array.name] += pairs

    def _masked_steps(
        self, array: Array, box: tuple[Interval, ...], start: int, stop: int
    ) -> tuple[int, int, int]:
        """Vertices computed, new words, and whether a chain is advanced after the last new word was placed."""
        axis, lines, rest = self._line(array, box)
        first = self.mask.first(axis)[lines[0] : lines[1]]
        begin = np.flatnonzero((first >= start) & (first < stop))
        pairs = self.mask.box(axis, lines, (start, stop))
        if not len(begin):
            return pairs * rest, 0, min(pairs, 1)
        after = self.mask.box(axis, (lines[0] + int(begin[-1]), lines[1]), (start, stop))
        return pairs * rest, len(begin) * rest, int(after > 1)

    def _chain_fault(self, array: Array, start: int, stop: int, got: int) -> tuple[str, str]:
        box, chain = self._shown(array), array.chain
        if start == 0:
            return "one-partial-result", (
                f"the chain starts anew, but fast memory still holds a partial result of {box}; delete it first"
            )
        return "compute-needs-predecessors", (
            f"to advance over {chain}={start}:{stop} all of {box} must have got to {chain}={start} in fast "
            f"memory; it has got to {got}"
        )

    def _need_operands(self, op: Operation, array: Array) -> None:
        for name in array.operands:
            operand = self.family[name]
            for cell, state in self.peek(operand, self.box(operand)):
                if not self._is_complete(operand, cell, int(state[0])) and self._words(operand, cell):
                    what = "in fast memory" if operand.chain is None else "complete in fast memory"
                    self._refuse(
                        op,
                        "compute-needs-predecessors",
                        f"not all of {self._shown(operand)} is {what}; {name} is read",
                    )

    def _replace(self, op: Operation, array: Array, new: int, most: int) -> None:
        """Place the box element by element, each time deleting the replaced array's element."""
        assert op.replacing is not None
        replaced = self.family[op.replacing]
        words = self._present(op, replaced)
        self._occupy(op, array, 0, most)
        self._clear(replaced)
        self._release(replaced, words)
        self.held[array.name] += new
        self.occupied += new

    def _occupy(self, op: Operation, array: Array, new: int, step: int) -> None:
        total = self.occupied + new + step
        if self.M is not None and total > self.M:
            self._refuse(
                op,
                "memory-full",
                f"fast memory holds {self.occupied} of {self.M} words and {new + step} more are needed; "
                "delete something first, or use smaller tiles",
            )
        self.occupied += new
        self.held[array.name] += new
        if total > self.peak:
            self.peak = total
            self.peak_words = {**self.held, "(step)": step}

    # Boxes, words and progress

    def _interval(self, axis: str) -> Interval:
        return self.tiles.get(axis) or (0, self.family.extents[axis])

    def box(self, array: Array) -> tuple[Interval, ...]:
        """Return the current tiles of an array's axes."""
        return tuple(self._interval(axis) for axis in array.axes)

    def _cells(
        self, array: Array, box: tuple[Interval, ...]
    ) -> list[tuple[tuple[Interval, ...], NDArray[np.int64]]]:
        """Return the cells of a box, each with its state (a view)."""
        field = self.fields[array.name]
        view = field.view(box)
        if view.size == 2:
            return [(box, view.reshape(2))]
        pieces = [field.pieces(position, interval) for position, interval in enumerate(box)]
        return [
            (tuple(piece[i] for piece, i in zip(pieces, index, strict=True)), view[(slice(None), *index)])
            for index in np.ndindex(*view.shape[1:])
        ]

    def peek(
        self, array: Array, box: tuple[Interval, ...]
    ) -> list[tuple[tuple[Interval, ...], NDArray[np.int64]]]:
        """Return the cells of a box with their states, without cutting any."""
        pieces, states = self.fields[array.name].covering(box)
        if states.size == 2:
            return [(box, states.reshape(2))]
        return [
            (tuple(piece[i] for piece, i in zip(pieces, index, strict=True)), states[(slice(None), *index)])
            for index in np.ndindex(*states.shape[1:])
        ]

    def _words(self, array: Array, cell: tuple[Interval, ...]) -> int:
        """Words of a box of an array, whatever memory holds of it."""
        words, at = 1, {}
        for axis, interval in zip(array.axes, cell, strict=True):
            if axis in _PARTNER:
                at[axis] = interval
            else:
                words *= interval[1] - interval[0]
        if len(at) == 2:
            return words * self.mask.count(at["i"], at["j"])
        for axis, (start, stop) in at.items():
            words *= self.mask.present(axis, start, stop)
        return words

    def _line(self, array: Array, cell: tuple[Interval, ...]) -> tuple[str, Interval, int]:
        """Return the axis and the interval of the lines of a masked chain's box, and its words per line."""
        rest = 1
        axis, lines = "", (0, 0)
        for one, interval in zip(array.axes, cell, strict=True):
            if one in _PARTNER:
                axis, lines = one, interval
            else:
                rest *= interval[1] - interval[0]
        return axis, lines, rest

    def _held(self, array: Array, cell: tuple[Interval, ...], progress: int) -> int:
        """Words a memory holds of a cell in which an array has got so far."""
        if progress == 0:
            return 0
        if array.chain not in self.family.masked_axes:
            return self._words(array, cell)
        axis, lines, rest = self._line(array, cell)
        return rest * self.mask.started(axis, lines, progress)

    def _missing(self, array: Array, cell: tuple[Interval, ...]) -> bool:
        """Whether a memory that holds nothing of a cell should hold something by now."""
        if array.chain in self.family.masked_axes:
            assert array.chain is not None
            axis, lines, _ = self._line(array, cell)
            tile = self.tiles.get(array.chain)
            reached = tile[0] if tile else self.family.extents[array.chain]
            return self.mask.started(axis, lines, reached) > 0
        return self._words(array, cell) > 0

    def _alike(self, array: Array, cell: tuple[Interval, ...], one: int, other: int) -> bool:
        """Whether two states of progress are the same for all lines of a cell."""
        if one == other:
            return True
        if array.chain not in self.family.masked_axes:
            return False
        axis, lines, _ = self._line(array, cell)
        return not self.mask.has_pairs(axis, lines, (min(one, other), max(one, other)))

    def _is_complete(self, array: Array, cell: tuple[Interval, ...], progress: int) -> bool:
        final = 1 if array.chain is None else self.family.extents[array.chain]
        return self._alike(array, cell, progress, final)

    def _join(
        self,
        array: Array,
        position: int,
        one: Interval,
        two: Interval,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
    ) -> bool:
        """Whether neighbouring cells of an array are alike; if so both get the state they have in common."""
        differ = (first != second).any(axis=0)
        if not differ.any():
            return True
        field = self.fields[array.name]
        merged = np.maximum(first, second)
        for index in map(tuple, np.argwhere(differ)):
            cell: list[Interval] = []
            rest = iter(index)
            for place, cuts in enumerate(field.cuts):
                at = 0 if place == position else next(rest)
                cell.append((0, 0) if place == position else (cuts[at], cuts[at + 1]))
            for lines, state in ((one, first), (two, second)):
                cell[position] = lines
                for level in (0, 1):
                    mine, common = int(state[(level, *index)]), int(merged[(level, *index)])
                    if mine != common and not self._vacuous(array, tuple(cell), mine, common):
                        return False
        first[...] = second[...] = merged
        return True

    def _vacuous(self, array: Array, cell: tuple[Interval, ...], one: int, other: int) -> bool:
        """Whether it makes no difference which of two states of progress a cell has."""
        return self._alike(array, cell, one, other) or self._words(array, cell) == 0

    def _shown(self, array: Array) -> str:
        text = ", ".join(f"{a}" if b == a + 1 else f"{a}:{b}" for a, b in self.box(array))
        return f"{array.name}[{text}]"

    def _refuse(self, op: Operation, rule: str, why: str) -> NoReturn:
        place = ", ".join(f"{label} iteration {v.index} of {v.count}" for label, v in self.visits.items())
        raise Violation(
            f"{op} on {self._shown(self.family[op.array])} ({place or 'outside all loops'}): {why}", rule
        )
