"""Schedules that compute the parts of a mask in turn, as of packed sequences, so that no tile lies in two of them."""

from __future__ import annotations

from dataclasses import replace

from pebble import Problem, Schedule
from pebble.program import Loop

__all__ = ["PackedSchedule", "short_tile_first"]


class PackedSchedule(Schedule):
    """Blocks that are cut where the mask falls apart; on long axes none but the largest are tried.

    Of packed sequences, causal or not, larger blocks never move more words.
    """

    short_search = True
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
