"""Running a program on numbers: the proof that a schedule computes what it claims, in its own tile order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array, Operand
from pebble.computations.family import Family
from pebble.computations.values import advanced, aligned, where_given
from pebble.program.chain_steps import ChainSteps
from pebble.program.nodes import Program
from pebble.program.parts_in_turn import written_out
from pebble.program.steps import Step, walk
from pebble.program.validation import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray


def evaluate(
    program: Program, family: Family, inputs: Mapping[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    """Execute a program on arrays, every operation on its own tile.

    What is not in fast (slow) memory is NaN there, so a value that was never computed or loaded shows.

    Parameters
    ----------
    program : Program
    family : Family
    inputs : mapping of str to ndarray
        One array for each input of the family, of the shape ``family.shape(name)``, finite.

    Returns
    -------
    dict of str to ndarray
        The outputs as they are in slow memory at the end.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program.language import compute, load, phase, program, store
    >>> text = program(phase("", load("A", "B"), compute("C"), store("C")))
    >>> evaluate(text, matmul_family(1, 1, 2), {"A": np.array([[1.0, 2]]), "B": np.array([[3.0], [4]])})
    {'C': array([[11.]])}
    """
    program = written_out(program, family)
    validate(program, family)
    memory = _Memory(family, inputs)
    for step in walk(program, family):
        memory.execute(step)
    return {array.name: where_given(family, array, memory.slow[array.name]) for array in family.outputs}


class _Memory:
    """Values in fast and in slow memory."""

    def __init__(self, family: Family, inputs: Mapping[str, NDArray[np.float64]]) -> None:
        self.family = family
        self.steps = {array.name: ChainSteps(family, array) for array in family.arrays if array.chain}
        self.fast: dict[str, NDArray[np.float64]] = {}
        self.slow: dict[str, NDArray[np.float64]] = {}
        self.resumed: dict[str, NDArray[np.bool_]] = {}
        """Of sums added in slow memory, which elements lack what slow memory has: stores of them are additions."""
        for array in family.arrays:
            shape = tuple(family.extents[axis] for axis in array.axes)
            self.fast[array.name] = np.full(shape, np.nan)
            self.slow[array.name] = np.full(shape, np.nan)
            self.resumed[array.name] = np.zeros(shape, dtype=bool)
            if array.backward is not None:
                name, axis = array.backward
                self.slow[array.name] = np.flip(self.slow[name], array.axes.index(axis))
            elif array.is_input:
                self.slow[array.name] = _checked(array.name, inputs, shape)

    def execute(self, step: Step) -> None:
        operation = step.operation
        name = operation.array
        box = self._box(step, self.family[name])
        fast, slow = self.fast[name][box], self.slow[name][box]
        resumed = self.resumed[name][box] & ~np.isnan(slow)
        if operation.action == "load":
            resumes = operation.resumes and self.family[name].accumulated
            self.resumed[name][box] = resumes
            self.fast[name][box] = np.where(resumes & ~np.isnan(slow), 0.0, slow)
        elif operation.action == "store":
            self.slow[name][box] = np.where(resumed, slow + fast, fast)
            self.fast[name][box] = np.where(resumed, 0.0, fast)
        elif operation.action == "delete":
            self.fast[name][box] = np.nan
        else:
            self.fast[name][box] = self._value(step, self.family[name], box)
            if operation.replacing is not None:
                replaced = self.family[operation.replacing]
                self.fast[replaced.name][self._box(step, replaced)] = np.nan

    def _box(self, step: Step, array: Array) -> tuple[slice, ...]:
        return tuple(slice(a, b) for a, b in step.box(array.name, self.family))

    def _value(self, step: Step, array: Array, box: tuple[slice, ...]) -> Any:
        operands: list[Any] = [*self._positions(step, array)]
        operands += [self._operand(step, array, operand) for operand in array.reads]
        if array.chain is None:
            assert array.function is not None
            return array.function(*operands)
        start, stop = step.interval(array.chain, self.family)
        steps = self.steps[array.name]
        allowed = steps.exist(box, start, stop)
        begun = steps.before(box, start, start + 1)[..., 0] >= 0
        before = self.fast[array.name][box]
        if array.sum is not None:
            begun = ~np.isnan(before)
        found = advanced(array, np.where(begun, before, array.initial), operands, allowed)
        return np.where(allowed.any(axis=-1), found, before)

    def _operand(self, step: Step, array: Array, read: Operand) -> NDArray[np.float64]:
        """Return an operand's box with one dimension for each index of the array that reads it."""
        operand = self.family[read.array]
        box = self._box(step, operand)
        value = self.fast[operand.name][box]
        if read.at_step:
            value = self._at_step(step, read, operand, value)
        value = aligned(value, operand.axes, array.indices)
        if read.step == "later":
            start, stop = step.interval(str(array.chain), self.family)
            value = np.where(np.arange(start, stop) > 0, value, 0.0)
        return value

    def _positions(self, step: Step, array: Array) -> list[NDArray[np.int64]]:
        """Return the indices of the box along the axes of which the function is given them."""
        return [
            aligned(np.arange(*step.interval(axis, self.family)), (axis,), array.indices)
            for axis in array.positions
        ]

    def _at_step(
        self, step: Step, read: Operand, operand: Array, value: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the partial results that are read at the current step; the initial value before the first one."""
        start, stop = step.interval(str(operand.chain), self.family)
        if stop - start > 1:
            raise InvalidInput(
                f"{step.operation}: {read} is read step by step; compute in a loop over {operand.chain} in tiles of 1"
            )
        if read.step == "after":
            return value
        box = self._box(step, operand)
        begun = self.steps[operand.name].before(box, start, stop)[..., 0] >= 0
        return np.where(begun, value, operand.initial)


def _checked(
    name: str, inputs: Mapping[str, NDArray[np.float64]], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    if name not in inputs:
        raise InvalidInput(f"no values given for the input {name}")
    values = np.array(inputs[name], dtype=np.float64)
    if values.shape != shape:
        raise InvalidInput(f"input {name} has shape {values.shape}; it must be {shape}")
    if not np.isfinite(values).all():
        raise InvalidInput(f"input {name} has NaN or infinite values")
    return values
