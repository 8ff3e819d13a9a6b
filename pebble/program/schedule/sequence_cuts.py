"""Tiles cut where packed sequences end: one more tile size, ``sequences``, for every schedule.

A tile that lies in two sequences loads the partners of both, and each sequence is cut otherwise. With ``sequences=1``
the sequences, or whatever parts a mask falls apart into, are computed one after the other, each as a problem of its own
with the same tile sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.program.parts_in_turn import for_each_part

if TYPE_CHECKING:
    from pebble.computations.masks.mask import Mask
    from pebble.computations.problem import Problem
    from pebble.program.nodes import Program

__all__ = ["SEQUENCES", "each_sequence", "in_sequences_where_asked", "problem_of_part"]

SEQUENCES = "sequences"
"""The name of the tile size, always 1: tiles of queries and of keys are cut where each sequence ends."""

Write = Callable[["Problem", Mapping[str, int]], "Program"]


def each_sequence(problem: Problem, write: Callable[[Problem], Program]) -> Program:
    """Return the program that computes the parts of a problem's mask in turn; of one part, that of the whole.

    Parameters
    ----------
    problem : Problem
    write : callable
        Given the problem of a part, returns its program.
    """
    if not problem.allowed.separations("i"):
        return write(problem)
    return for_each_part(problem.allowed, lambda mask: write(problem_of_part(problem, mask)))


def problem_of_part(problem: Problem, mask: Mask) -> Problem:
    """Return the same problem of a part of its mask: without a mask where the part allows every pair."""
    seen = None if mask.pairs == mask.Nq * mask.Nk else mask
    return replace(problem, Nq=mask.Nq, Nk=mask.Nk, mask=seen, group=1)


def in_sequences_where_asked(program: Callable[..., Program]) -> Callable[..., Program]:
    """Let a schedule's method ``program`` take the size ``sequences`` as well."""

    @wraps(program)
    def cut(schedule: Any, problem: Problem, tiles: Mapping[str, int]) -> Program:
        if SEQUENCES not in tiles:
            return program(schedule, problem, tiles)
        own = {name: size for name, size in tiles.items() if name != SEQUENCES}
        if tiles[SEQUENCES] != 1:
            raise InvalidInput(
                f"{SEQUENCES}={tiles[SEQUENCES]}: only 1 is taken, which cuts tiles where each sequence ends"
            )
        if not problem.allowed.separations("i"):
            raise InvalidInput(
                f"{SEQUENCES}=1: only masks that fall apart, as packed sequences do, have tiles cut so"
            )
        return each_sequence(problem, lambda part: program(schedule, part, own))

    return cut
