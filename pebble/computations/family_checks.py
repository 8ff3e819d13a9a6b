"""What arrays, axes and mask must be to make a family."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pebble.computations.array import Array, Operand

if TYPE_CHECKING:
    from pebble.computations.masks.mask import Mask


def family_faults(
    arrays: Sequence[Array], extents: Mapping[str, int], masked: Collection[str], mask: Mask | None
) -> Iterator[str]:
    """Yield where the arrays, the axes and the mask of a family do not fit together; nobody asks past the first."""
    for axis, extent in extents.items():
        if extent < 1:
            yield f"axis {axis} has length {extent}; it must be at least 1"
    known: dict[str, Array] = {}
    for array in arrays:
        if array.name in known:
            yield f"array {array.name} is given twice"
        yield from _axes(array, extents, masked)
        if array.backward is not None:
            of, axis = known.get(array.backward[0]), array.backward[1]
            if of is None or not of.is_input or of.backward or of.axes != array.axes or axis not in of.axes:
                yield f"array {array.name} must have the axes of an input before it, which it reads backward"
            if axis in masked:
                yield f"array {array.name} cannot be read backward along {axis}, which is masked"
        for operand in array.reads:
            yield from _operand(array, operand, known, masked)
        if array.reads and all(operand.step in ("before", "later") for operand in array.reads):
            yield (
                f"array {array.name} reads only what comes before a step, and before the first step there is nothing: "
                "its first vertices would be inputs"
            )
        known[array.name] = array
    if mask and any(extents.get(axis) != mask.extents[axis] for axis in masked):
        yield f"the mask is for {mask.Nq} queries and {mask.Nk} keys"


def _axes(array: Array, extents: Mapping[str, int], masked: Collection[str]) -> Iterator[str]:
    for axis in array.indices:
        if axis not in extents:
            yield f"array {array.name} has an unknown axis {axis!r}"
    if len(set(array.indices)) < len(array.indices):
        yield f"array {array.name} uses an axis twice: {array.indices}"
    if array.chain in masked and not set(masked) & set(array.axes):
        yield f"the chain of {array.name} over {array.chain} cannot be masked"


def _operand(
    array: Array, operand: Operand, known: Mapping[str, Array], masked: Collection[str]
) -> Iterator[str]:
    name, step = operand
    if name not in known:
        yield f"array {array.name} reads {name}, which is not given before it"
    read = known[name]
    missing = set(read.axes) - set(array.indices)
    if missing:
        yield f"array {array.name} cannot index {name} along {', '.join(missing)}"
    if step not in ("last", "after", "before", "later"):
        yield f"array {array.name} reads {operand}; use @after or @before, or @later if it is not a chain"
    cannot = f"array {array.name} cannot read {operand}:"
    if step == "later" and (read.chain is not None or array.chain not in read.axes or array.chain in masked):
        yield (
            f"{cannot} {name} must not be a chain; it must have the axis of the chain of {array.name}, "
            "which must not be masked"
        )
    if operand.at_step and read.sum is not None:
        yield f"{cannot} the terms of {name} are added in any order, so it has no steps"
    if operand.at_step and (read.chain is None or read.chain not in array.indices):
        why = f"{name} is not a chain" if read.chain is None else f"{array.name} has no index {read.chain}"
        yield f"{cannot} {why}"
