"""Loops over the parts of a mask one by one, as of packed sequences, so that no tile lies in two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from pebble import Problem, Schedule
from pebble.program import Loop

__all__ = ["PackedSchedule", "loops_over_parts"]

_MOST_PARTS = 10_000
"""A program has a loop or two for each part: schedules are not offered for more of them."""


class PackedSchedule(Schedule):
    """Blocks that are cut where the mask falls apart; on long axes none but the largest are tried.

    Of packed sequences, causal or not, larger blocks never move more words.
    """

    short_search = True
    masks_only = True

    def is_offered(self, problem: Problem) -> bool:
        """Whether the mask falls apart into parts that share no query and no key, as packed sequences do."""
        return 0 < len(problem.allowed.separations("i")) < _MOST_PARTS


def loops_over_parts(problem: Problem, block: Loop, *, short_first: bool) -> Iterator[Loop]:
    """Yield copies of a loop, one or two for each part of the mask along its axis.

    All have the same body, so that what the machine has executed in one stands for the others.

    Parameters
    ----------
    problem : Problem
    block : Loop
        The loop over the whole axis.
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
