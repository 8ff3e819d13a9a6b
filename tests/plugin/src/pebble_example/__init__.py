"""A schedule that a third party might ship: blocks of query rows, one key and value at a time."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, largest, load, loop, program, store

__all__ = ["ExampleRows"]


class ExampleRows(Schedule):
    """Blocks of query rows stay in fast memory; keys and values pass by one at a time."""

    name = "example-rows"
    summary = "blocks of query rows; keys and values pass by one at a time"
    source = "the example plug-in"
    tile_names = ("rows",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest block that fits."""
        return largest(self, problem, M, "rows", high=problem.Nq, guess=M // (problem.d + problem.dv))

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        rows = self.check_tiles(tiles)["rows"]
        scores = compute("S"), compute("P", "S"), compute("l")
        keys = loop("j", 1, load("K", "V"), scores, compute("U"), delete("P", "K", "V"))
        end = compute("O", "U"), store("O"), store("l") if problem.stats else None, delete("O", "l", "Q")
        return program(loop("i", rows, load("Q"), keys, end))
