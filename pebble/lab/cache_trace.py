"""The words that a schedule's computations touch, in order, where a hardware cache decides what to keep."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array, Operand
from pebble.computations.family import Family
from pebble.program import Program
from pebble.program.chain_steps import ChainSteps
from pebble.program.steps import Step, walk

_MOST_ACCESSES = 50_000_000


@dataclass(frozen=True)
class Addresses:
    """Where the elements of arrays are in slow memory.

    Attributes
    ----------
    lengths : dict of str to tuple of int
        How many places an array has along each axis; an index is taken modulo that. An array that a schedule never
        loads or stores has places for one tile only, as the buffers of a kernel have.
    bases : dict of str to int
        The word at which each array begins; on the boundary of a line.
    words : int
        All words of memory.
    """

    lengths: dict[str, tuple[int, ...]]
    bases: dict[str, int]
    words: int

    def places(self, array: Array, indices: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the addresses of elements, given by arrays of their indices that are broadcast to one another."""
        found: Any = np.int64(0)
        for axis, length in zip(array.axes, self.lengths[array.name], strict=True):
            found = found * length + indices[axis] % length
        return np.asarray(found + self.bases[array.name])


def layout(program: Program, family: Family, line: int) -> Addresses:
    """Return where arrays are in memory, for cache lines of ``line`` words."""
    if family.own_arrays != family.arrays:
        raise InvalidInput(
            "no cache is tried where inputs are read backward, as in the gradients of a recurrence"
        )
    buffers = _Buffers(program, family)
    made = buffers.layout(line)
    buffers.too_small |= set(_overwritten(program, family, made))
    return buffers.layout(line) if buffers.too_small else made


class _Buffers:
    """The arrays that are neither inputs nor outputs nor moved, which need places for one tile only.

    For arrays that are ``too_small`` that is not enough.
    """

    def __init__(self, program: Program, family: Family) -> None:
        self.family = family
        self.tiles: dict[str, tuple[int, ...]] = {}
        self.replaced: dict[str, set[str | None]] = {}
        self.kept = {array.name for array in family.arrays if array.is_input or array.output}
        self.too_small: set[str] = set()
        accesses = 0
        for step in walk(program, family):
            op = step.operation
            box = tuple(stop - start for start, stop in step.box(op.array, family))
            self.tiles[op.array] = tuple(map(max, box, self.tiles.get(op.array, box)))
            if op.action in ("load", "store"):
                self.kept.add(op.array)
            elif op.action == "compute":
                self.replaced.setdefault(op.array, set()).add(op.replacing)
                array = family[op.array]
                start, stop = step.interval(array.chain, family) if array.chain else (0, 1)
                accesses += math.prod(box) * (stop - start) * (len(array.reads) + 1 + bool(array.chain))
                if accesses > _MOST_ACCESSES:
                    raise InvalidInput(
                        f"the schedule touches more than {_MOST_ACCESSES:,} words, the limit for a cache: "
                        "use fewer queries and keys"
                    )

    def layout(self, line: int) -> Addresses:
        """Return where arrays are; what replaces an element of a buffer always takes its place."""
        lengths, bases, end = dict[str, tuple[int, ...]](), dict[str, int](), 0
        for array in self.family.arrays:
            own = tuple(self.family.extents[axis] for axis in array.axes)
            buffer = array.name not in self.kept | self.too_small
            if buffer and array.name in self.tiles:
                own = self.tiles[array.name]
            (other, *more) = self.replaced.get(array.name) or {None}
            lengths[array.name] = own
            if buffer and other and not more and self._alike(array, other) and lengths[other] == own:
                bases[array.name] = bases[other]
                continue
            bases[array.name] = end
            end += -(-math.prod(own) // line) * line
        return Addresses(lengths, bases, end)

    def _alike(self, array: Array, other: str) -> bool:
        return self.family[other].axes == array.axes and other not in self.kept | self.too_small


def _overwritten(program: Program, family: Family, made: Addresses) -> Iterator[str]:
    """Yield the arrays with an element that is read after something else took its place."""
    owner = np.full(made.words, -1)
    whole, count = Addresses({}, {}, 0), 0
    for array in family.arrays:
        whole.lengths[array.name] = tuple(family.extents[axis] for axis in array.axes)
        whole.bases[array.name] = count
        count += math.prod(whole.lengths[array.name])
    for step in walk(program, family):
        if step.operation.action != "compute":
            continue
        array = family[step.operation.array]
        for operand in (family[read.array] for read in array.reads):
            indices = _indices(step, family, operand.axes)
            there = owner[made.places(operand, indices)]
            if not operand.is_input and ((there != whole.places(operand, indices)) & (there >= 0)).any():
                yield operand.name
        indices = _indices(step, family, array.axes)
        owner[made.places(array, indices)] = whole.places(array, indices)


def _indices(step: Step, family: Family, axes: tuple[str, ...]) -> dict[str, NDArray[np.int64]]:
    """Return the indices of a box, each with a dimension of its own."""
    ranges = (np.arange(*step.interval(axis, family), dtype=np.int64) for axis in axes)
    return dict(zip(axes, np.meshgrid(*ranges, indexing="ij", sparse=True), strict=True))


def trace(
    program: Program, family: Family, made: Addresses
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Yield the addresses that computations touch, and which of them they write.

    A computation of one vertex reads its operands in the order in which they are written, then what there is of its own
    chain, and writes its element.
    """
    steps = {array.name: ChainSteps(family, array) for array in family.arrays}
    for step in walk(program, family):
        if step.operation.action == "compute":
            yield _touched(step, family, made, family[step.operation.array], steps)


def _touched(
    step: Step, family: Family, made: Addresses, array: Array, steps: Mapping[str, ChainSteps]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    indices = _indices(step, family, array.indices)
    shape = np.broadcast_shapes(*(one.shape for one in indices.values()))
    box = tuple(slice(*step.interval(axis, family)) for axis in array.axes)
    start, stop = step.interval(array.chain, family) if array.chain else (0, 1)
    exists: Any = family.exists(array.name)[box]
    begun: Any = np.zeros((), dtype=bool)
    if array.chain is not None:
        exists = exists.any(axis=-1, keepdims=True) & steps[array.name].exist(box, start, stop)
        begun = steps[array.name].before(box, start, stop) >= 0
    columns = [(_read(step, family, read, array, steps), read) for read in array.reads]
    touched = [(made.places(family[read.array], indices), there & exists, False) for there, read in columns]
    own = made.places(array, indices)
    touched += [(own, begun & exists, False), (own, exists, True)]
    address = np.stack([np.broadcast_to(place, shape) for place, _, _ in touched], axis=-1)
    keep = np.stack([np.broadcast_to(there, shape) for _, there, _ in touched], axis=-1)
    writes = np.broadcast_to(np.array([write for _, _, write in touched]), address.shape)
    return address[keep], writes[keep]


def _read(
    step: Step, family: Family, read: Operand, array: Array, steps: Mapping[str, ChainSteps]
) -> NDArray[np.bool_]:
    """Return where an operand is read at all: not before the first step of its chain, or of the reader's."""
    if read.step == "later":
        return np.arange(*step.interval(str(array.chain), family)) > 0
    if read.step != "before":
        return np.ones((), dtype=bool)
    operand = family[read.array]
    box = tuple(slice(*step.interval(axis, family)) for axis in operand.axes)
    begun = steps[operand.name].before(box, *step.interval(str(operand.chain), family)) >= 0
    order = [operand.indices.index(axis) for axis in array.indices if axis in operand.indices]
    form = iter(np.transpose(begun, order).shape)
    return np.transpose(begun, order).reshape(
        [next(form) if axis in operand.indices else 1 for axis in array.indices]
    )
