"""What programs of one text and many tile sizes move, all at once; and programs for each part of a mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pebble.computations.family import Family
from pebble.program.counting.effects import MOST_BOXES, Effect, Fold
from pebble.program.counting.lexical import lexical
from pebble.program.nodes import Loop, Operation
from pebble.program.parts_in_turn import check_parts, family_of_part
from pebble.program.places import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.nodes import Node, Program

__all__ = [
    "MOST",
    "Moves",
    "TextInTurn",
    "Weigh",
    "all_words",
    "in_turn",
    "measure",
    "moves_of",
    "shape_of",
    "texts_in_turn",
]

Moves: TypeAlias = Mapping[tuple[str, str], Any]
"""Words of some programs, by ``"load"`` or ``"store"`` and the name of the array."""
Weigh: TypeAlias = Callable[[Moves], Any]

MOST = 2**62
"""Words that are told as more than any, where there are more."""


def all_words(moves: Moves) -> Any:
    """Return the words loaded and stored of all arrays together."""
    return sum(moves.values())


class TextInTurn(NamedTuple):
    """A nest of loops that a program is made of, with the computation of it, and how often it comes."""

    program: Program
    family: Family
    times: int


def measure(
    programs: Sequence[Program], family: Family, most: int = MOST_BOXES, weigh: Weigh = all_words
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the words that programs move, and the peak of each; those of one text are folded together.

    They are taken to be legal: :func:`run` verifies the one that is chosen. Numbers are at most 2⁶².

    Parameters
    ----------
    programs : sequence of Program
    family : Family
    most : int
        Boxes that are looked at.
    weigh : callable
        Returns what is told instead of all words, of those loaded and stored of each array.

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
        alike.setdefault(shape_of(program), []).append(number)
    for numbers in alike.values():
        split = [texts_in_turn(programs[number], family) for number in numbers]
        order, folds, moved = split[0][1], [], dict[tuple[str, str], Any]()
        for texts in zip(*(texts for texts, _ in split), strict=True):
            one = texts[0]
            found = Fold(
                [text.program for text in texts], one.family, lexical(one.program, one.family), most=most
            )
            folds.append(found)
            for move, number in moves_of(one.program, found):
                moved[move] = moved.get(move, 0) + number * one.times
        words[numbers] = np.minimum(weigh(moved), MOST)
        peaks[numbers] = np.minimum(in_turn(folds, order).room, MOST)
    return words, peaks


def moves_of(program: Program, found: Fold) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield of each load and each store the words that are moved, where any are."""
    for place in places(program):
        if place.operation.action in ("load", "store") and place.path in found.moved:
            yield (place.operation.action, place.operation.array), found.moved[place.path]


def texts_in_turn(program: Program, family: Family) -> tuple[list[TextInTurn], NDArray[np.int64]]:
    """Return the different nests of loops that a program is made of, and the order in which they come."""
    if not program.parts:
        return [TextInTurn(program, family, 1)], np.zeros(1, dtype=np.int64)
    parts = check_parts(program, family)
    kinds = zip(program.parts, parts.masks, parts.times, strict=True)
    return [
        TextInTurn(part.program, family_of_part(family, mask), int(times)) for part, mask, times in kinds
    ], parts.kinds


def in_turn(folds: Sequence[Fold], order: NDArray[np.int64]) -> Effect:
    """Return the effect of one nest of loops after the other."""
    effects = [one.effect for one in folds]
    if not any(one.grown.any() for one in effects):
        order = np.unique(order)
    whole: Effect = effects[order[0]]
    for number in order[1:].tolist():
        whole = whole.then(effects[number])
    return whole


def shape_of(program: Program) -> object:
    """Return what is equal for programs that differ in tiles, starts and stops of loops only."""

    def shape(node: Node) -> object:
        if isinstance(node, Operation):
            return node
        body = tuple(map(shape, node.body))
        return (node.axis, node.label, body) if isinstance(node, Loop) else (node.condition, body)

    if program.parts:
        return tuple(shape_of(part.program) for part in program.parts)
    return tuple(tuple(map(shape, phase.body)) for phase in program.phases)
