"""FlashAttention-2 for causal masks: the block that may be smaller than the others comes first."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, phase, program
from schedules.flash2 import row_blocks

__all__ = ["Flash2Causal"]


class Flash2Causal(Schedule):
    """flash-2 with ``first`` query rows in the first block and ``rows`` in each of the others.

    Under a causal mask the first block sees the fewest keys and the last one all of them, so the short block is
    cheapest at the beginning: N(d + dv) + (d + dv)·(B·N − h·B(B − 1)/2) words with B blocks, h rows in each but the
    first, against up to (d + dv)·(B − 1)·(h − 1) more with the short block at the end. Without a mask it moves
    what flash-2 moves.
    """

    name = "flash-2-causal"
    summary = "flash-2 with the short row block first, where a causal mask shows it the fewest keys"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "safe", "own")
    tile_names = ("first", "rows")
    tile_axes = ("i", "i")
    may_be_zero = ("first",)
    masks_only = True

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``first`` is cut to the number of queries."""
        tiles = self.check_tiles(tiles)
        rows, first = tiles["rows"], min(tiles.get("first", 0), problem.Nq)
        return program(
            phase(
                "",
                row_blocks(problem, first, stop=first) if first else None,
                row_blocks(problem, rows, start=first) if first < problem.Nq else None,
            )
        )
