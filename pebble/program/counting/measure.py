"""What programs of one text and many tile sizes move, all at once; and programs for each part of a mask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pebble.computations.family import Family
from pebble.program.counting.boxes import Effect
from pebble.program.counting.effects import MOST_BOXES, Fold
from pebble.program.counting.lexical import lexical
from pebble.program.counting.texts import alike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.nodes import Program

Moves: TypeAlias = Mapping[tuple[str, str], Any]
"""Words of some programs, by ``"load"`` or ``"store"`` and the name of the array."""
Weigh: TypeAlias = Callable[[Moves], Any]

MOST = 2**62
"""Words that are told as more than any, where there are more."""


def all_words(moves: Moves) -> Any:
    """Return the words loaded and stored of all arrays together."""
    return sum(moves.values())


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
        Returns what is told instead of all words, of the words loaded and stored of each array.

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
    for numbers, texts, order in alike(programs, family):
        folds, moved = [], dict[tuple[str, str], Any]()
        for text in texts:
            found = Fold(text, lexical(text.program, text.family), most=most)
            folds.append(found)
            for move, number in moves_of(found):
                moved[move] = moved.get(move, 0) + number * text.times
        words[numbers] = np.minimum(weigh(moved), MOST)
        peaks[numbers] = np.minimum(in_turn(folds, order).room, MOST)
    return words, peaks


def moves_of(found: Fold) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield of each load and each store the words that are moved, where any are."""
    for path, words in found.moved.items():
        operation = found.operations[path]
        if operation.action != "compute":
            yield (operation.action, operation.array), words


def in_turn(folds: Sequence[Fold], order: NDArray[np.int64]) -> Effect:
    """Return the effect of one nest of loops after the other."""
    effects = [one.effect for one in folds]
    if not any(one.grown.any() for one in effects):
        order = np.unique(order)
    whole: Effect = effects[order[0]]
    for number in order[1:].tolist():
        whole = whole.then(effects[number])
    return whole
