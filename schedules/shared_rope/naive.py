"""Head by head and row by row, every intermediate result written out, where heads share rotary words of keys."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules.latent.naive import scores_by_row, weights_and_row_sums

__all__ = ["NaiveSharedRope"]


class NaiveSharedRope(Schedule):
    """Both parts of the scores, the weights and the outputs, row by row through slow memory."""

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"
    forms = ("shared-rope",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        column = loop("e", 1, load("V"), compute("U"), delete("V"))
        output = loop("j", 1, load("P"), column, delete("P"))
        finish = load("l"), compute("O", "U"), store("O"), delete("O", "l")
        return program(
            phase("S1 = Qc·Kcᵀ", _heads(scores_by_row("S1", "Qc", "Kc"))),
            phase("S2 = Qr·Krᵀ", _heads(scores_by_row("S2", "Qr", "Kr"))),
            phase("P = exp(S1 + S2) and its row sums", _heads(weights_and_row_sums())),
            phase("O = P·V / l", _heads(loop("i", 1, output, *finish))),
        )


def _heads(node: Node) -> Node:
    return loop("h", 1, node)
