"""What a third party might ship: a schedule of query rows, one key and value at a time, and a bound."""

from __future__ import annotations

from pebble import BoundDoesNotApply, Problem, Schedule, Statement
from pebble.program import Program, Tiles, compute, delete, largest, load, loop, program, store

__all__ = ["OUTPUTS", "ExampleRows"]


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


def _outputs(problem: Problem, M: int) -> int:
    """Return the words of O: each is stored."""
    if problem.pass_name != "forward" or problem.mask is not None:
        raise BoundDoesNotApply("example-outputs is about the forward pass without a mask")
    return problem.Nq * problem.dv


OUTPUTS = Statement(
    "example-outputs",
    "I/O ≥ Nq·dv",
    "attention, forward pass, without a mask",
    "the example plug-in",
    words=_outputs,
)
