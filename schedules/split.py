"""Safe softmax in two phases: the maxima of all rows, then FlashAttention-2 with the maxima known."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, delete, load, loop, phase, program, store
from schedules.flash2 import maxima, row_blocks

__all__ = ["Split"]


class Split(Schedule):
    """The maxima in a phase of their own: its row blocks hold no outputs, so they are about twice as large.

    N·d + N·d·⌈N/r₁⌉ words for the maxima in row blocks of r₁ = ``max_rows``, 2N to write and read them, and what
    FlashAttention-2 moves in row blocks of ``rows``: to leading order 5N²d²/M, which no schedule improves.
    """

    name = "split"
    summary = "first the maxima, in larger row blocks; then flash-2 with known maxima"
    source = "derived here"
    forms = ("safe",)
    tile_names = ("max_rows", "rows")
    tile_axes = ("i", "i")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        rows = min(tiles["max_rows"], problem.Nq)
        sweep = maxima(problem, rows)
        return program(
            phase(
                "maxima of the scores",
                loop("i", rows, load("Q"), sweep, delete("Q"), store("m"), delete("m")),
            ),
            phase("O, the maxima known", row_blocks(problem, tiles["rows"], maxima_known=True)),
        )
