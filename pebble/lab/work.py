"""What a schedule does besides moving words: arithmetic, and the room that it takes in slow memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.counting.counted import Run


def is_product(array: Array, family: Family) -> bool:
    """Tell whether an array is a matrix product: a sum of products of operands with two different sets of indices."""
    indices = {frozenset(family[operand.array].axes) for operand in array.reads}
    return array.chain is not None and len(indices) == 2


def flops(measured: Run) -> int:
    """Return the FLOP of the matrix products that a run executed: two for each multiply-add.

    Recomputed products count again. Exponentials, divisions and row sums do not count.
    Without recomputation: forward 2·Nq·Nk·(d + dv), backward 2·Nq·Nk·(3d + 2dv).
    """
    family = measured.family
    return 2 * sum(measured.computes[array.name] for array in family.arrays if is_product(array, family))


def footprint(measured: Run) -> int:
    """Return the words of slow memory that a run uses beside inputs and outputs.

    They are the elements of intermediate arrays that are stored, each counted once however often it is rewritten; an
    array that is stored in part counts with its stores, which is at most too much. An array with the indices of an
    output that reads it takes the output's room and counts nothing, as U does for O.
    """
    family = measured.family
    outputs = [array for array in family.arrays if array.output]
    replaced = {
        operand.array
        for output in outputs
        for operand in output.reads
        if family[operand.array].axes == output.axes and not family[operand.array].is_input
    }
    return sum(
        min(measured.writes[array.name], measured.copies * family.words(array.name) * array.width)
        for array in family.arrays
        if not array.output and array.name not in replaced
    )
