"""Counting a program: folded where its text is proved to be legal, else executed iteration by iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.common.units import fast_memory_words
from pebble.computations.family import Family
from pebble.program.counting import plain
from pebble.program.counting.counted import Run
from pebble.program.counting.effects import Effect, Fold, Here, lexical
from pebble.program.counting.life import Unproved, prove
from pebble.program.nodes import Loop, Operation
from pebble.program.parts_in_turn import check_parts, family_of_part, written_out
from pebble.program.places import places
from pebble.program.validation import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.counting.rules import Machine
    from pebble.program.nodes import Node, Program

    Path = tuple[int, ...]

__all__ = ["fold", "measure", "run"]

LOCATE_LIMIT = 200_000
"""Operations executed to say where fast memory overflows."""


class _Text(NamedTuple):
    """A nest of loops that a program is made of, with the computation of it, and how often it comes."""

    program: Program
    family: Family
    times: int


def run(
    program: Program,
    family: Family,
    M: int | None = None,
    *,
    induction: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> Run:
    """Count a program: :func:`pebble.run`, whose parameters and errors these are, for one family.

    Returns
    -------
    Run
    """
    if M is not None:
        M = fast_memory_words(M)
    if observe is not None and induction:
        raise InvalidInput("only a run without induction executes every operation, to be observed")
    if family.masked_axes and family.has_free_sums:
        raise InvalidInput(
            "sums in any order are verified without a mask only: leave the mask out, or take chains"
        )
    why = None
    if induction:
        try:
            return _held_to(M, fold(program, family), program)
        except Unproved as unproved:
            why = str(unproved)
    try:
        return plain.execute(written_out(program, family), family, M, observe=observe, step_limit=step_limit)
    except TooManyOperations as error:
        if why is None:
            raise
        raise TooManyOperations(
            f"not verified at this size: the text does not prove that it is legal ({why}), and {error}"
        ) from None


def fold(program: Program, family: Family) -> Run:
    """Count a program that its text proves to be legal.

    Raises
    ------
    Unproved
        Where the proof stops.
    InvalidInput
        If the program makes no sense for the family.
    """
    texts, order = _texts(program, family)
    proofs = [proof(one.program, one.family) for one in texts]
    folds = [Fold([one.program], one.family, here) for one, here in zip(texts, proofs, strict=True)]
    counts = {
        action: dict.fromkeys((array.name for array in family.arrays), 0)
        for action in ("load", "store", "compute")
    }
    for one, found in zip(texts, folds, strict=True):
        for place in places(one.program):
            operation = place.operation
            if place.path in found.moved:
                counts[operation.action][operation.array] += int(found.moved[place.path][0]) * one.times

    def peak_words() -> dict[str, int]:
        again = [Fold([one.program], one.family, here, by_array=True) for one, here in zip(texts, proofs, strict=True)]
        words = _in_turn(again, order).at[:, 0].tolist()
        return {name: number for name, number in zip([*counts["load"], "(step)"], words, strict=True) if number}

    return Run(
        family=family,
        M=None,
        reads=counts["load"],
        writes=counts["store"],
        computes=counts["compute"],
        peak=int(_in_turn(folds, order).room[0]),
        steps=sum(one.boxes for one in folds),
        proved=True,
        _peak_words=peak_words,
        _state=lambda: plain.execute(written_out(program, family), family).state,
    )


def proof(program: Program, family: Family) -> Mapping[Path, Here]:
    """Return what a proof of legality says of each operation: for every mask, or for the family's own.

    A program that adds its sums in the order of the chain is one of chains.

    Raises
    ------
    Unproved
        Where the proof stops.
    """
    validate(program, family)
    if family.has_free_sums:
        chains = tuple(replace(array, sum=None) for array in family.arrays)
        family = Family(family.name, chains, family.extents, family.symbols, family.parameters, family.mask)
    try:
        return prove(program, family)
    except Unproved:
        if not family.masked_axes:
            raise
    return prove(program, family, own_mask=True)


def measure(programs: Sequence[Program], family: Family) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the words that programs move, and the peak of each; those of one text are folded together.

    They are taken to be legal: :func:`run` verifies the one that is chosen.

    Returns
    -------
    (ndarray, ndarray), shape (programs,)

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, delete, load, loop, program, store
    >>> step = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"))
    >>> texts = [program(loop("i", size, loop("j", size, step, store("C"), delete("C")))) for size in (1, 4)]
    >>> [found.tolist() for found in measure(texts, matmul_family(8, 8, 8))]
    [[1088, 320], [4, 25]]
    """
    words, peaks = np.zeros((2, len(programs)), dtype=np.int64)
    alike: dict[object, list[int]] = {}
    for number, program in enumerate(programs):
        alike.setdefault(_shape_of(program), []).append(number)
    for numbers in alike.values():
        split = [_texts(programs[number], family) for number in numbers]
        order, folds = split[0][1], []
        for texts in zip(*(texts for texts, _ in split), strict=True):
            one = texts[0]
            found = Fold([text.program for text in texts], one.family, lexical(one.program, one.family))
            folds.append(found)
            for place in places(one.program):
                if place.operation.action in ("load", "store") and place.path in found.moved:
                    words[numbers] += found.moved[place.path].astype(np.int64) * one.times
        peaks[numbers] = _in_turn(folds, order).room
    return words, peaks


def _texts(program: Program, family: Family) -> tuple[list[_Text], NDArray[np.int64]]:
    """Return the different nests of loops that a program is made of, and the order in which they come."""
    if not program.parts:
        return [_Text(program, family, 1)], np.zeros(1, dtype=np.int64)
    parts = check_parts(program, family)
    kinds = zip(program.parts, parts.masks, parts.times, strict=True)
    return [
        _Text(part.program, family_of_part(family, mask), int(times)) for part, mask, times in kinds
    ], parts.kinds


def _in_turn(folds: Sequence[Fold], order: NDArray[np.int64]) -> Effect:
    """Return the effect of one nest of loops after the other."""
    effects = [one.effect for one in folds]
    if not any(one.grown.any() for one in effects):
        order = np.unique(order)
    whole = effects[order[0]]
    for number in order[1:].tolist():
        whole = whole.then(effects[number])
    return whole


def _shape_of(program: Program) -> object:
    """Return what is equal for programs that differ in tiles, starts and stops of loops only."""

    def shape(node: Node) -> object:
        if isinstance(node, Operation):
            return node
        body = tuple(map(shape, node.body))
        return (node.axis, node.label, body) if isinstance(node, Loop) else (node.condition, body)

    if program.parts:
        return tuple(_shape_of(part.program) for part in program.parts)
    return tuple(tuple(map(shape, phase.body)) for phase in program.phases)


def _held_to(M: int | None, found: Run, program: Program) -> Run:
    """Hold a run to M words."""
    if M is not None and found.peak > M:
        try:
            plain.execute(written_out(program, found.family), found.family, M, step_limit=LOCATE_LIMIT)
        except TooManyOperations:
            pass
        held = ", ".join(f"{words:,} of {name}" for name, words in found.peak_words.items())
        raise Violation(
            f"fast memory holds at most {M} words, and {found.peak} are needed at the peak ({held}); delete something "
            "first, or use smaller tiles",
            "memory-full",
        )
    return replace(found, M=M)
