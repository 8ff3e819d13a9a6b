"""FlashAttention-2 for packed sequences: no block of queries lies in two of them."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Program, Tiles, each_sequence, phase, program
from schedules._packed_schedule import PackedSchedule, are_alike_enough, loops_over_parts, short_tile_first
from schedules.flash2 import row_blocks

__all__ = ["Flash2Packed"]


class Flash2Packed(PackedSchedule):
    """flash-2-causal for each part of the mask: blocks of ``packed_rows`` queries, cut where the mask falls apart.

    A block that lies in two sequences loads the keys of both, so that many of a sequence's keys are loaded once more
    than its length needs. Here a sequence of L queries has ⌈L / packed_rows⌉ blocks, and the short one comes first,
    where a causal mask shows it the fewest keys.
    """

    name = "flash-2-packed"
    summary = "flash-2 with row blocks cut where packed sequences end, the short one of each first"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "safe", "own")
    tile_names = ("packed_rows",)
    tile_axes = ("i",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program: of each part of the mask two loops at most."""
        rows = self.check_tiles(tiles)["packed_rows"]
        if are_alike_enough(problem):
            return each_sequence(problem, lambda part: _of_a_part(part, rows))
        block = row_blocks(problem, min(rows, problem.Nq))
        return program(phase("", *loops_over_parts(problem, block, short_first=True)))


def _of_a_part(problem: Problem, rows: int) -> Program:
    block = row_blocks(problem, min(rows, problem.Nq))
    return program(phase("", short_tile_first(problem, block)))
