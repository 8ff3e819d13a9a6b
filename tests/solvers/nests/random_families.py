"""Small families of arrays, drawn at random: sums and element-wise arrays of inputs and of each other."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np

from pebble.computations.array import Array
from pebble.computations.family import Family


def random_family(seed: int) -> Family:
    """Return a family of two to four axes and one to three computed arrays."""
    draw = random.Random(seed)
    axes = "ijkl"[: draw.randint(2, 4)]
    arrays = [Array(f"A{n}", tuple(draw.sample(axes, draw.randint(1, 2)))) for n in range(draw.randint(1, 3))]
    for number in range(draw.randint(1, 3)):
        arrays.append(_computed(f"C{number}", arrays, draw))
    read = {name for array in arrays for name in array.operands}
    arrays = [
        replace(array, output=array.name not in read or draw.random() < 0.15) if array.operands else array
        for array in arrays
        if array.operands or array.name in read
    ]
    used = {axis for array in arrays for axis in array.indices}
    extents = {axis: draw.randint(1, 4) for axis in axes if axis in used}
    return Family("random", tuple(arrays), extents, {axis: axis for axis in extents}, {})


def _computed(name: str, arrays: list[Array], draw: random.Random) -> Array:
    operands = draw.sample(arrays, min(len(arrays), draw.randint(1, 2)))
    axes = sorted({axis for operand in operands for axis in operand.axes})
    chain = draw.choice([None, *axes]) if len(axes) > 1 else None
    own = [axis for axis in axes if axis != chain]
    draw.shuffle(own)
    names = tuple(operand.name for operand in operands)
    return Array(name, tuple(own), chain=chain, operands=names, function=_mixed if chain is None else None)


def _mixed(*values: Any) -> Any:
    """Return something that tells the operands apart."""
    return sum((at + 2.0) * value for at, value in enumerate(values))


def inputs_of(family: Family) -> dict[str, Any]:
    """Return random numbers for the inputs."""
    draw = np.random.default_rng(0)
    return {array.name: draw.random(family.shape(array.name)) for array in family.inputs}


def plain_values(family: Family) -> dict[str, Any]:
    """Return the outputs computed with einsum and whole arrays, without any program."""
    values = inputs_of(family)
    for array in family.arrays:
        if array.is_input:
            continue
        axes = "".join(array.axes)
        if array.chain is not None:
            terms = ",".join("".join(family[name].axes) for name in array.operands)
            values[array.name] = np.einsum(f"{terms}->{axes}", *(values[name] for name in array.operands))
            continue
        spread = [
            np.einsum(
                f"{''.join(family[name].axes)},{axes}->{axes}",
                values[name],
                np.ones([family.extents[axis] for axis in array.axes]),
            )
            for name in array.operands
        ]
        values[array.name] = _mixed(*spread)
    return {array.name: values[array.name] for array in family.outputs}
