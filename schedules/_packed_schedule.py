"""Schedules that compute the parts of a mask in turn, as of packed sequences, so that no tile lies in two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from pebble import Problem, Schedule
from pebble.program import Loop, mask_parts

_FEW_KINDS, _FEW_PARTS = 100, 10_000


class PackedSchedule(Schedule):
    """Blocks that are cut where the mask falls apart."""

    masks_only = True
    in_sequences = True

    def is_offered(self, problem: Problem) -> bool:
        """Whether the mask falls apart into parts that share no query and no key, as packed sequences do."""
        return bool(problem.allowed.separations("i"))


def short_tile_first(problem: Problem, block: Loop) -> list[Loop]:
    """Return a loop over a whole axis as one or two, so that the tile shorter than the others comes first."""
    extent = {"i": problem.Nq, "j": problem.Nk}[block.axis]
    short = extent % block.tile
    if not short:
        return [block]
    first = replace(block, tile=short, stop=short)
    return [first, replace(block, start=short)] if short < extent else [first]


def are_alike_enough(problem: Problem) -> bool:
    """Whether the parts of a mask are better computed by a program each than by a loop or two each.

    A different part takes tens of milliseconds to be proved and folded, and one that is equal to another none. A loop
    or two for each part are a long text, but one.
    """
    if not problem.allowed.separations("i"):
        return True
    parts = mask_parts(problem.allowed)
    return parts.masked <= _FEW_KINDS or len(parts.kinds) > _FEW_PARTS


def loops_over_parts(problem: Problem, block: Loop, *, short_first: bool) -> Iterator[Loop]:
    """Yield copies of a loop over a whole axis, one or two for each part of the mask, all with the same body.

    Parameters
    ----------
    problem : Problem
    block : Loop
    short_first : bool
        Whether a tile that is shorter than the others comes first in its part, not last.
    """
    extent = {"i": problem.Nq, "j": problem.Nk}[block.axis]
    for start, stop in pairwise([0, *problem.allowed.separations(block.axis), extent]):
        middle = start + (stop - start) % block.tile if short_first else start
        if start < middle:
            yield replace(block, tile=middle - start, start=start, stop=middle)
        if middle < stop:
            yield replace(block, start=middle, stop=stop)
