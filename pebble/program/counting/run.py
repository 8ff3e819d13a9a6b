"""Counting a program: folded where its text is proved to be legal, else executed iteration by iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.common.units import fast_memory_words
from pebble.computations.family import Family
from pebble.program.counting import plain
from pebble.program.counting.counted import Run
from pebble.program.counting.effects import Fold
from pebble.program.counting.life import Here, Unproved, prove
from pebble.program.counting.measure import in_turn, texts_in_turn
from pebble.program.places import places
from pebble.program.validation import validate

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.nodes import Program

    Path = tuple[int, ...]

__all__ = ["fold", "run"]

LOCATE_LIMIT = 200_000
"""Operations executed to say where fast memory overflows."""


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
        return plain.execute(program, family, M, observe=observe, step_limit=step_limit)
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
    texts, order = texts_in_turn(program, family)
    proofs = [proof(one.program, one.family) for one in texts]

    def folded(by_array: bool) -> list[Fold]:
        return [
            Fold([one.program], of, here, by_array=by_array)
            for one, (here, of) in zip(texts, proofs, strict=True)
        ]

    folds = folded(by_array=False)
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
        words = in_turn(folded(by_array=True), order).at[:, 0].tolist()
        return dict(zip([*counts["load"], "(step)"], words, strict=True))

    return Run(
        family=family,
        M=None,
        reads=counts["load"],
        writes=counts["store"],
        computes=counts["compute"],
        peak=int(in_turn(folds, order).room[0]),
        steps=sum(one.boxes for one in folds),
        proved=True,
        _peak_words=peak_words,
        _state=lambda: plain.execute(program, family)._state(),
    )


def proof(program: Program, family: Family) -> tuple[Mapping[Path, Here], Family]:
    """Return what a proof of legality says of each operation, and the computation that the program is folded for.

    The proof is for every mask, or for the family's own. A program that adds its sums in the order of chains is one of
    chains: what it moves and its peak are the same.

    Raises
    ------
    Unproved
        Where the proof stops.
    """
    validate(program, family)
    if family.has_free_sums:
        chains = tuple(replace(array, sum=None) for array in family.arrays)
        ordered = Family(family.name, chains, family.extents, family.symbols, family.parameters, family.mask)
        with suppress(Unproved):
            return prove(program, ordered), ordered
    try:
        return prove(program, family), family
    except Unproved:
        if not family.masked_axes:
            raise
    return prove(program, family, own_mask=True), family


def _held_to(M: int | None, found: Run, program: Program) -> Run:
    """Hold a run to M words."""
    if M is not None and found.peak > M:
        with suppress(TooManyOperations):
            plain.execute(program, found.family, M, step_limit=LOCATE_LIMIT)
        held = ", ".join(f"{words:,} of {name}" for name, words in found.peak_words.items())
        raise Violation(
            f"fast memory holds at most {M} words, and {found.peak} are needed at the peak ({held}); delete something "
            "first, or use smaller tiles",
            "memory-full",
        )
    return replace(found, M=M)
