"""Backward for causal masks: where queries are outside, the block that may be smaller than the others comes first."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pebble import Problem, Schedule
from pebble.program import Loop, Program, Tiles, phase, program
from schedules.backward._loop_nests import tiles_outside

__all__ = ["QueriesCausalBackward", "SplitCausalBackward"]


class QueriesCausalBackward(Schedule):
    """One pass over blocks of queries, ``first`` of them in the first block; dK and dV are read back and rewritten.

    Under a causal mask the first block sees the fewest keys and the last one all of them, so the short block is
    cheapest at the beginning.
    """

    name = "queries-causal"
    summary = "one pass, queries outside, the short block first; dK and dV read back and rewritten"
    source = "derived here; the counterpart of flash-2-causal"
    passes = ("backward",)
    tile_names = ("first", "rows")
    tile_axes = ("i", "i")
    may_be_zero = ("first",)
    masks_only = True

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``first`` is cut to the number of queries."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        blocks = _blocks(problem, size["first"], size["rows"], "again", gradients=True)
        return program(phase("", *blocks))


class SplitCausalBackward(Schedule):
    """dK and dV with keys outside, then dQ with queries outside, ``first`` of them in the first block."""

    name = "split-causal"
    summary = "dK and dV with keys outside, then dQ with queries outside, the short block of queries first"
    source = "derived here; split with the first block of flash-2-causal"
    passes = ("backward",)
    tile_names = ("cols", "first", "rows")
    tile_axes = ("j", "i", "i")
    may_be_zero = ("first",)
    masks_only = True

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``first`` is cut to the number of queries."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        blocks = _blocks(problem, size["first"], size["rows"], "stored", gradients=False)
        return program(
            phase("dK and dV, keys outside", tiles_outside(problem, "j", size["cols"], "kept", both=False)),
            phase("dQ, queries outside", *blocks),
        )


def _blocks(
    problem: Problem, first: int, rows: int, sums: Literal["again", "stored"], *, gradients: bool
) -> list[Loop]:
    """Return the loop over the first block and the loop over the others; no empty loop."""
    first = min(first, problem.Nq)
    blocks = []
    if first:
        blocks.append(tiles_outside(problem, "i", first, sums, both=gradients, part=(0, first)))
    if first < problem.Nq:
        seen = _keys_upto(problem, first) if gradients else 0
        part = (first, None)
        blocks.append(tiles_outside(problem, "i", rows, sums, both=gradients, part=part, begun=seen))
    return blocks


def _keys_upto(problem: Problem, first: int) -> int:
    """Return the place behind the last key that the first queries see."""
    box = (np.array([place]) for place in (0, problem.Nk, 0, first))
    return int(problem.allowed.questions.behind_latest("j", *box)[0])
