"""Row by row, every intermediate result written out, where the values are part of the keys."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, load, loop, phase, program, store

__all__ = ["NaiveLatent", "scores_by_row", "weights_and_row_sums"]


class NaiveLatent(Schedule):
    """Both parts of the scores, the weights and the outputs, row by row through slow memory."""

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"
    forms = ("latent",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        output = loop("j", 1, load("P", "Kc"), compute("U"), delete("P", "Kc"))
        finish = load("l"), compute("O", "U"), store("O"), delete("O", "l")
        return program(
            phase("S1 = Qc·Kcᵀ", scores_by_row("S1", "Qc", "Kc")),
            phase("S2 = Qr·Krᵀ", scores_by_row("S2", "Qr", "Kr")),
            phase("P = exp(S1 + S2) and its row sums", weights_and_row_sums()),
            phase("O = P·Kc / l", loop("i", 1, output, *finish)),
        )


def scores_by_row(result: str, queries: str, keys: str) -> Node:
    """Write a product of queries and keys, row by row, to slow memory."""
    key = loop("j", 1, load(keys), compute(result), delete(keys), store(result), delete(result))
    return loop("i", 1, load(queries), key, delete(queries))


def weights_and_row_sums() -> Node:
    """Write P and its row sums, made of scores in slow memory."""
    pair = load("S1", "S2"), compute("P", "S1"), delete("S2"), compute("l"), store("P"), delete("P")
    return loop("i", 1, loop("j", 1, *pair), store("l"), delete("l"))
