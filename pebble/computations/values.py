"""The numbers that a computation gives: every array at once, in the order in which the arrays are given."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array, Operand
    from pebble.computations.family import Family


def outputs_of(family: Family, inputs: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    """Return the outputs of a computation, of its inputs; what a mask leaves without any pair is zero.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> outputs_of(matmul_family(1, 1, 2), {"A": np.array([[1.0, 2]]), "B": np.array([[3.0], [4]])})
    {'C': array([[11.]])}
    """
    found = _Values(family, inputs)
    with np.errstate(all="ignore"):
        for array in family.arrays:
            found.compute(array)
    return {array.name: where_given(family, array, found.last[array.name]) for array in family.outputs}


def where_given(family: Family, array: Array, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of elements that exist, and zero for the others."""
    exists = family.exists(array.name)
    return np.where(exists if array.chain is None else exists.any(axis=-1), values, 0.0)


def aligned(values: NDArray[Any], axes: Sequence[str], indices: Sequence[str]) -> NDArray[Any]:
    """Return values on some axes with a dimension for each index, of length one where they have none."""
    order = [axis for axis in indices if axis in axes]
    values = values.transpose([axes.index(axis) for axis in order])
    shape = iter(values.shape)
    return values.reshape([next(shape) if axis in axes else 1 for axis in indices])


def advanced(
    array: Array,
    before: NDArray[np.float64],
    operands: Sequence[Any],
    allowed: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the partial results of a chain after some steps.

    Parameters
    ----------
    array : Array
    before : ndarray
        The results before, the initial value where there are none.
    operands : sequence
        The positions and the operands, with a dimension for each index of the array.
    allowed : ndarray of bool
        Which steps exist, the chain's axis last.
    """
    if array.step is None:
        terms = (
            math.prod(operands[1:], start=operands[0])
            if array.function is None
            else array.function(*operands)
        )
        return np.asarray(before + np.where(allowed, terms, 0.0).sum(axis=-1))
    for at in range(allowed.shape[-1]):
        now = (value[..., at if value.shape[-1] > 1 else 0] for value in operands)
        before = np.where(allowed[..., at], array.step(before, *now), before)
    return before


class _Values:
    """The arrays that are computed: the last results of chains, and every result of chains read at a step."""

    def __init__(self, family: Family, inputs: Mapping[str, NDArray[np.float64]]) -> None:
        self.family = family
        self.last = {array.name: np.asarray(inputs[array.name]) for array in family.inputs}
        self.before: dict[str, NDArray[np.float64]] = {}
        self.stepped = {read.array for array in family.arrays for read in array.reads if read.at_step}

    def compute(self, array: Array) -> None:
        if array.backward is not None:
            name, axis = array.backward
            self.last[array.name] = np.flip(self.last[name], array.axes.index(axis))
        if array.is_input:
            return
        places = [np.arange(self.family.extents[axis]) for axis in array.positions]
        operands = [
            aligned(place, (axis,), array.indices)
            for place, axis in zip(places, array.positions, strict=True)
        ]
        operands += [self._operand(array, read) for read in array.reads]
        if array.chain is None:
            assert array.function is not None
            self.last[array.name] = array.function(*operands)
            return
        exists = self.family.exists(array.name)
        found = np.full(exists.shape[:-1], array.initial)
        if array.name not in self.stepped:
            self.last[array.name] = advanced(array, found, operands, exists)
            return
        history = [found]
        for at in range(exists.shape[-1]):
            now = [value[..., at : at + 1] if value.shape[-1] > 1 else value for value in operands]
            history.append(advanced(array, history[-1], now, exists[..., at : at + 1]))
        self.before[array.name] = np.stack(history, axis=-1)
        self.last[array.name] = history[-1]

    def _operand(self, array: Array, read: Operand) -> NDArray[np.float64]:
        of = self.family[read.array]
        if read.at_step:
            steps = self.before[of.name]
            steps = steps[..., 1:] if read.step == "after" else steps[..., :-1]
            return aligned(steps, of.indices, array.indices)
        value = aligned(self.last[of.name], of.axes, array.indices)
        if read.step == "later":
            value = np.where(np.arange(self.family.extents[str(array.chain)]) > 0, value, 0.0)
        return value
