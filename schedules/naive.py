"""Row by row, every intermediate result written out: what one writes first."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store

__all__ = ["Naive"]


class Naive(Schedule):
    """Scores, probabilities and outputs row by row, with S and P written to slow memory."""

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return no tiles: rows are handled one at a time."""
        self.require(problem, M)
        return {}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        return program(
            phase(
                "S = QKᵀ",
                loop(
                    "i",
                    1,
                    load("Q"),
                    loop("j", 1, load("K"), compute("S"), delete("K"), store("S"), delete("S")),
                    delete("Q"),
                ),
            ),
            phase(
                "P = exp(S) and its row sums",
                loop(
                    "i",
                    1,
                    loop("j", 1, load("S"), compute("P", "S"), compute("l"), store("P"), delete("P")),
                    store("l"),
                    delete("l"),
                ),
            ),
            phase(
                "O = PV / l",
                loop(
                    "i",
                    1,
                    loop("j", 1, load("P", "V"), compute("U"), delete("P", "V")),
                    load("l"),
                    compute("O", "U"),
                    store("O"),
                    delete("O", "l"),
                ),
            ),
        )
