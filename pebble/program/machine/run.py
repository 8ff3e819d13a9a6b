"""The machine: a two-level memory that runs a program on boxes and enforces every rule of the game.

State per array and cell of the grid: how far the chain has got in fast memory (0: absent) and in slow memory.
An operation on a box of N³ elements costs a few comparisons on a handful of cells, and loops by induction (see
:mod:`pebble.program.machine.lump`) run three of their iterations, so the cost of a verified count does not depend on N.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy import count_nonzero

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program.machine.grid import Grid, make_grid
from pebble.program.machine.lump import InductionFails, Lump, Touched
from pebble.program.nodes import Interval, Loop, Node, Operation, Program
from pebble.program.steps import loop_range, tile_at, tile_count
from pebble.program.validation import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Run", "run"]

STEP_LIMIT = 5_000_000
LOCATE_LIMIT = 200_000


@dataclass(frozen=True)
class Run:
    """What a verified run of a program counted.

    Attributes
    ----------
    M : int or None
        Words of fast memory it was held to; None if only measured.
    reads, writes, computes : dict of str to int
        Words loaded, words stored and vertices computed, by array.
    peak : int
        Largest number of words in fast memory at any moment, transient words of chain steps included.
    peak_words : dict of str to int
        What fast memory held at that moment, by array (the transient word under ``"(step)"``).
    steps : int
        Operations the machine executed; the others were accounted for by induction.
    unrolled : tuple of str
        Loops that induction did not cover, and why; they were run iteration by iteration.
    """

    family: Family
    M: int | None
    reads: dict[str, int]
    writes: dict[str, int]
    computes: dict[str, int]
    peak: int
    peak_words: dict[str, int]
    steps: int
    unrolled: tuple[str, ...]
    _grid: Grid = field(repr=False, compare=False)
    _fast: dict[str, NDArray[np.int64]] = field(repr=False, compare=False)
    _slow: dict[str, NDArray[np.int64]] = field(repr=False, compare=False)

    @property
    def total_reads(self) -> int:
        """Words loaded."""
        return sum(self.reads.values())

    @property
    def total_writes(self) -> int:
        """Words stored."""
        return sum(self.writes.values())

    @property
    def io(self) -> int:
        """Words moved: loads plus stores."""
        return self.total_reads + self.total_writes

    @property
    def recomputed(self) -> int:
        """How many computations repeat an earlier one (0: every vertex is computed once)."""
        computed = (array for array in self.family.arrays if not array.is_input)
        return sum(max(0, self.computes[a.name] - self.family.size(a.name)) for a in computed)

    def final_state(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Progress of every element of an array at the end, in fast and in slow memory (small sizes only)."""
        fast, slow = self._fast[name], self._slow[name]
        for position, axis in enumerate(self.family[name].axes):
            lengths = self._grid.lengths(axis)
            fast = np.repeat(fast, lengths, axis=position)
            slow = np.repeat(slow, lengths, axis=position)
        return fast, slow


def run(program: Program, family: Family, M: int | None = None, *, induction: bool = True) -> Run:
    """Run a program on the machine.

    Parameters
    ----------
    program : Program
    family : Family
    M : int, optional
        Words of fast memory to enforce. None measures without a limit.
    induction : bool
        Whether loops with more than four iterations may be accounted for by induction. Where its conditions
        fail the machine runs every iteration, and says so in ``Run.unrolled``.

    Returns
    -------
    Run

    Raises
    ------
    Violation
        If an operation breaks a rule of the game, or an output is not in slow memory at the end.
    InvalidInput
        If the program does not make sense for the family, or would take more than five million operations.

    Notes
    -----
    Cost: about 15 µs for each executed operation, some hundreds of operations for a nest of three or four
    loops at any size.
    """
    if M is not None and (isinstance(M, bool) or not isinstance(M, int) or M < 1):
        raise InvalidInput(f"M must be a positive whole number of words, not {M!r}")
    validate(program, family)
    if family.masked_axes:
        from pebble.program.machine.masked_run import run_masked

        return run_masked(program, family, M, induction)
    unrolled: dict[int, str] = {}
    while True:
        machine = _Machine(program, family, M, induction, unrolled)
        try:
            machine.execute()
        except InductionFails as failure:
            unrolled[id(failure.loop)] = str(failure)
        except _LumpOverflow as overflow:
            _locate(program, family, M)
            raise Violation(str(overflow), "memory-full") from None
        else:
            return machine.result()


def _locate(program: Program, family: Family, M: int | None) -> None:
    """Run every iteration to raise the violation at its exact place, where that is affordable."""
    try:
        _Machine(program, family, M, False, {}, step_limit=LOCATE_LIMIT).execute()
    except InvalidInput:
        return


class _LumpOverflow(Exception):
    """Fast memory overflows in an iteration that induction accounts for."""


class _Machine:
    """State and execution of one attempt; see :func:`run`."""

    def __init__(
        self,
        program: Program,
        family: Family,
        M: int | None,
        induction: bool,
        unrolled: dict[int, str],
        step_limit: int = STEP_LIMIT,
    ) -> None:
        self.program, self.family, self.M = program, family, M
        self.induction, self.unrolled, self.step_limit = induction, unrolled, step_limit
        self.steps = 0
        self.grid = make_grid(program, family, self.lumped)
        self.fast: dict[str, NDArray[np.int64]] = {}
        self.slow: dict[str, NDArray[np.int64]] = {}
        for array in family.arrays:
            shape = tuple(self.grid.count(axis) for axis in array.axes)
            self.fast[array.name] = np.zeros(shape, dtype=np.int64)
            self.slow[array.name] = np.full(shape, 1 if array.is_input else 0, dtype=np.int64)
        self.counts = {
            action: {array.name: 0 for array in family.arrays} for action in ("load", "store", "compute")
        }
        self.held = {array.name: 0 for array in family.arrays}
        self.occupied = self.peak = 0
        self.peak_words: dict[str, int] = {}
        self.tiles: dict[str, Interval] = {}
        self.lengths = dict(family.extents)
        self.touched: dict[int, Touched] = {}
        self.slices = {axis: slice(0, self.grid.count(axis)) for axis in family.extents}
        self.path: list[tuple[str, int, int]] = []
        self._final = {array.name: family.chain_length(array.name) for array in family.arrays}

    def lumped(self, node: Loop) -> bool:
        return self.induction and id(node) not in self.unrolled

    def execute(self) -> None:
        for part in self.program.phases:
            for node in part.nodes():
                self.node(node)
        for array in self.family.outputs:
            if (self.slow[array.name] != self._final[array.name]).any():
                raise Violation(
                    f"the program ends, but not all of {array.name} is in slow memory: store it",
                    "output-missing",
                )

    def result(self) -> Run:
        return Run(
            family=self.family,
            M=self.M,
            reads=self.counts["load"],
            writes=self.counts["store"],
            computes=self.counts["compute"],
            peak=self.peak,
            peak_words={name: words for name, words in self.peak_words.items() if words},
            steps=self.steps,
            unrolled=tuple(self.unrolled.values()),
            _grid=self.grid,
            _fast=self.fast,
            _slow=self.slow,
        )

    # Loops

    def node(self, node: Node) -> None:
        if isinstance(node, Operation):
            self.operation(node)
        elif isinstance(node, Loop):
            self.loop(node)
        else:
            index, count = next((i, n) for label, i, n in self.path if label == node.condition.label)
            if node.condition.holds_at(index, count):
                for inner in node.body:
                    self.node(inner)

    def loop(self, node: Loop) -> None:
        start, stop = loop_range(node, self.tiles, self.family)
        count = tile_count(start, stop, node.tile)
        outer = self.tiles.get(node.axis), self.slices[node.axis], self.lengths[node.axis]
        if count > 4 and self.lumped(node):
            self._loop_by_induction(node, start, stop, count)
        else:
            for index in range(count):
                self.iteration(node, start, stop, index, count)
        self._restore(node.axis, *outer)

    def _restore(self, axis: str, tile: Interval | None, cells: slice, length: int) -> None:
        """Put an axis back to the tile it had outside a loop or an explicit box."""
        if tile is None:
            self.tiles.pop(axis, None)
        else:
            self.tiles[axis] = tile
        self.slices[axis], self.lengths[axis] = cells, length

    def _enter(self, axis: str, tile: Interval) -> None:
        self.tiles[axis] = tile
        self.slices[axis] = self.grid.cells(axis, tile)
        self.lengths[axis] = tile[1] - tile[0]

    def iteration(self, node: Loop, start: int, stop: int, index: int, count: int) -> None:
        self._enter(node.axis, tile_at(start, stop, node.tile, index))
        self.path.append((node.label, index, count))
        for inner in node.body:
            self.node(inner)
        self.path.pop()

    def _loop_by_induction(self, node: Loop, start: int, stop: int, count: int) -> None:
        self.iteration(node, start, stop, 0, count)
        lump = Lump(self, node, start, stop, count)
        old_peak, old_words = self.peak, self.peak_words
        self.peak, self.peak_words = 0, {}
        self.iteration(node, start, stop, 1, count)
        growth = lump.apply()
        top = self.peak + max(0, sum(growth.values()))
        if self.M is not None and top > self.M:
            raise _LumpOverflow(self._overflow_text(node, top, count))
        if top > old_peak:
            self.peak = top
            if sum(growth.values()) > 0:
                self.peak_words = {n: w + growth.get(n, 0) for n, w in self.peak_words.items()}
        else:
            self.peak, self.peak_words = old_peak, old_words
        self.iteration(node, start, stop, count - 1, count)

    def _overflow_text(self, node: Loop, top: int, count: int) -> str:
        return (
            f"loop over {node.label}: by iteration {count - 2} of {count} it holds {top} words, "
            f"and fast memory has {self.M}; what each iteration leaves behind does not fit"
        )

    # Operations

    def operation(self, op: Operation) -> None:
        self.steps += 1
        if self.steps > self.step_limit:
            reasons = "; ".join(self.unrolled.values())
            raise TooManyOperations(
                f"the program takes more than {self.step_limit} operations without induction"
                + (f" ({reasons})" if reasons else "")
            )
        saved = [(axis, self.tiles.get(axis), self.slices[axis], self.lengths[axis]) for axis, _, _ in op.at]
        for axis, a, b in op.at:
            self._enter(axis, (a, b))
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
        for axis, tile, cells, length in saved:
            self._restore(axis, tile, cells, length)

    def _load(self, op: Operation, array: Array) -> None:
        cells = self._cells(array)
        fast, slow = self.fast[array.name][cells], self.slow[array.name][cells]
        if count_nonzero(slow) < slow.size:
            self._refuse(
                op, "load-needs-blue", f"not all of {self._box(array)} is in slow memory; store it first"
            )
        size = self._size(array)
        new = size
        if count_nonzero(fast):
            present = fast > 0
            if (fast[present] != slow[present]).any():
                self._refuse(
                    op,
                    "one-partial-result",
                    f"fast memory already holds another partial result of {self._box(array)}; delete it first",
                )
            new = self._words(array, ~present)
        self._occupy(op, array, new, 0)
        fast[...] = slow
        self.counts["load"][array.name] += size

    def _store(self, op: Operation, array: Array) -> None:
        cells = self._cells(array)
        fast, slow = self.fast[array.name][cells], self.slow[array.name][cells]
        if count_nonzero(fast) < fast.size:
            self._refuse(op, "store-needs-red", f"not all of {self._box(array)} is in fast memory")
        np.maximum(slow, fast, out=slow)
        self.counts["store"][array.name] += self._size(array)

    def _delete(self, op: Operation, array: Array) -> None:
        fast = self.fast[array.name][self._cells(array)]
        if count_nonzero(fast) < fast.size:
            self._refuse(op, "delete-needs-red", f"not all of {self._box(array)} is in fast memory")
        self._release(array)

    def _release(self, array: Array) -> None:
        size = self._size(array)
        self.fast[array.name][self._cells(array)] = 0
        self.held[array.name] -= size
        self.occupied -= size

    def _compute(self, op: Operation, array: Array) -> None:
        """Compute the box of an array without a chain, element by element."""
        self._need_operands(op, array)
        fast = self.fast[array.name][self._cells(array)]
        size = self._size(array)
        present = count_nonzero(fast)
        if not present:
            new = size
        elif present == fast.size:
            new = 0
        elif op.replacing is None:
            new = self._words(array, fast == 0)
        else:
            self._refuse(
                op, "whole-box", f"{self._box(array)} is partly in fast memory; it must be all or none"
            )
        if op.replacing is None:
            self._occupy(op, array, new, 0)
        else:
            self._replace(op, array, new, min(new, 1))
        fast[...] = 1
        self.counts["compute"][array.name] += size

    def _advance(self, op: Operation, array: Array) -> None:
        """Advance a chain over the current tile of its axis, element by element."""
        assert array.chain is not None
        self._need_operands(op, array)
        start, stop = self.tiles.get(array.chain) or (0, self.family.extents[array.chain])
        fast = self.fast[array.name][self._cells(array)]
        if count_nonzero(fast != start):
            self._refuse(op, *self._chain_fault(array, start, stop, fast))
        size = self._size(array)
        new = 0 if start else size
        step = 1 if start or stop - start > 1 else 0
        if op.replacing is None:
            self._occupy(op, array, new, step)
        else:
            self._replace(op, array, new, step + min(new, 1))
        fast[...] = stop
        self.counts["compute"][array.name] += size * (stop - start)

    def _chain_fault(self, array: Array, start: int, stop: int, fast: NDArray[np.int64]) -> tuple[str, str]:
        box, chain = self._box(array), array.chain
        if start == 0:
            return "one-partial-result", (
                f"the chain starts anew, but fast memory still holds a partial result of {box}; delete it first"
            )
        found = sorted({int(value) for value in fast.ravel()})
        return "compute-needs-predecessors", (
            f"to advance over {chain}={start}:{stop} all of {box} must have got to {chain}={start} in fast "
            f"memory; it has got to {', '.join(map(str, found))}"
        )

    def _need_operands(self, op: Operation, array: Array) -> None:
        for name in array.operands:
            operand = self.family[name]
            if count_nonzero(self.fast[name][self._cells(operand)] != self._final[name]):
                what = "in fast memory" if operand.chain is None else "complete in fast memory"
                self._refuse(
                    op,
                    "compute-needs-predecessors",
                    f"not all of {self._box(operand)} is {what}; {name} is read",
                )

    def _replace(self, op: Operation, array: Array, new: int, most: int) -> None:
        """Place the box element by element, each time deleting the replaced array's element."""
        assert op.replacing is not None
        replaced = self.family[op.replacing]
        gone = self.fast[replaced.name][self._cells(replaced)]
        if count_nonzero(gone) < gone.size:
            self._refuse(op, "delete-needs-red", f"not all of {self._box(replaced)} is in fast memory")
        self._occupy(op, array, 0, most)
        self._release(replaced)
        self.held[array.name] += new
        self.occupied += new

    # Memory

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

    def _cells(self, array: Array) -> tuple[Any, ...]:
        slices = self.slices
        return (*[slices[axis] for axis in array.axes], ...)

    def _interval(self, axis: str) -> Interval:
        return self.tiles.get(axis) or (0, self.family.extents[axis])

    def _size(self, array: Array) -> int:
        size = 1
        for axis in array.axes:
            size *= self.lengths[axis]
        return size

    def _words(self, array: Array, chosen: NDArray[np.bool_]) -> int:
        """Number of words of the chosen cells of the current box, exactly."""
        total: Any = chosen.astype(object)
        for axis in reversed(array.axes):
            lengths = self.grid.lengths(axis)[self.slices[axis]]
            total = total @ np.array(lengths, dtype=object)
        return int(total)

    def _box(self, array: Array) -> str:
        intervals = (self._interval(axis) for axis in array.axes)
        return f"{array.name}[{', '.join(f'{a}' if b == a + 1 else f'{a}:{b}' for a, b in intervals)}]"

    def _refuse(self, op: Operation, rule: str, why: str) -> NoReturn:
        place = ", ".join(f"{label} iteration {index} of {count}" for label, index, count in self.path)
        raise Violation(
            f"{op} on {self._box(self.family[op.array])} ({place or 'outside all loops'}): {why}", rule
        )
