"""What arrays, axes and mask must be to make a family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from pebble.computations.array import Array, Operand
    from pebble.computations.family import Family

__all__ = ["check_family"]


def check_family(family: Family) -> None:
    """Raise InvalidInput where the arrays, the axes and the mask of a family do not fit together."""
    for axis, extent in family.extents.items():
        if extent < 1:
            raise InvalidInput(f"{family.name}: axis {axis} has length {extent}; it must be at least 1")
    known: dict[str, Array] = {}
    for array in family.arrays:
        if array.name in known:
            raise InvalidInput(f"{family.name}: array {array.name} is given twice")
        _check_axes(family, array)
        _check_operands(family, array, known)
        known[array.name] = array
    mask = family.mask
    if mask and any(family.extents.get(axis) != mask.extents[axis] for axis in family.masked_axes):
        raise InvalidInput(f"{family.name}: the mask is for {mask.Nq} queries and {mask.Nk} keys")


def _check_axes(family: Family, array: Array) -> None:
    for axis in array.indices:
        if axis not in family.extents:
            raise InvalidInput(f"{family.name}: array {array.name} has an unknown axis {axis!r}")
    if len(set(array.indices)) < len(array.indices):
        raise InvalidInput(f"{family.name}: array {array.name} uses an axis twice: {array.indices}")
    if array.chain in family.masked_axes and not set(family.masked_axes) & set(array.axes):
        raise InvalidInput(f"{family.name}: the chain of {array.name} over {array.chain} cannot be masked")


def _check_operands(family: Family, array: Array, known: dict[str, Array]) -> None:
    for operand in array.reads:
        name = operand.array
        if name not in known:
            raise InvalidInput(
                f"{family.name}: array {array.name} reads {name}, which is not given before it"
            )
        missing = set(known[name].axes) - set(array.indices)
        if missing:
            raise InvalidInput(
                f"{family.name}: array {array.name} cannot index {name} along {', '.join(missing)}"
            )
        _check_step(family, array, operand, known[name].chain)
    if array.reads and all(operand.step in ("before", "later") for operand in array.reads):
        raise InvalidInput(
            f"{family.name}: array {array.name} reads only what comes before a step, and before the first step there "
            "is nothing: its first vertices would be inputs"
        )


def _check_step(family: Family, array: Array, operand: Operand, chain: str | None) -> None:
    """Check that an operand read at a step is a chain that the array has an index for."""
    if operand.step not in ("last", "after", "before", "later"):
        raise InvalidInput(
            f"{family.name}: array {array.name} reads {operand}; say @after or @before, or, of what is no chain, @later"
        )
    if operand.step == "later":
        _check_later(family, array, operand, chain)
    if operand.at_step and family[operand.array].sum is not None:
        raise InvalidInput(
            f"{family.name}: array {array.name} cannot read {operand}: the terms of {operand.array} are added in any "
            "order, so it has no steps"
        )
    if operand.at_step and (chain is None or chain not in array.indices):
        why = f"{operand.array} is no chain" if chain is None else f"{array.name} has no index {chain}"
        raise InvalidInput(f"{family.name}: array {array.name} cannot read {operand}: {why}")


def _check_later(family: Family, array: Array, operand: Operand, chain: str | None) -> None:
    """Check that an operand read at all steps but the first has an element for each, and is no chain."""
    if (
        chain is not None
        or array.chain not in family[operand.array].axes
        or array.chain in family.masked_axes
    ):
        raise InvalidInput(
            f"{family.name}: array {array.name} cannot read {operand}: {operand.array} must be no chain, and have the "
            f"axis of the chain of {array.name}, which must not be masked"
        )
