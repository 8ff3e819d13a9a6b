"""Row by row, every intermediate result written out: what one writes first."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Nodes, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._softmax import exponentials, statistics, used_up

__all__ = ["Naive"]


class Naive(Schedule):
    """Scores, probabilities and outputs row by row, with S and P written to slow memory.

    With safe softmax S is read twice, first for the maxima: three passes over the scores of a row. With online softmax
    the factors by which sums are rescaled are written beside P.
    """

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"
    forms = ("plain", "safe", "online")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        made = used_up(problem)
        maxima: Nodes = None
        if problem.form == "safe":
            maxima = loop("j", 1, load("S"), compute("m"), delete("S"))
        early = [name for name in statistics(problem) if name == "l" or problem.stats]
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
                    maxima,
                    loop(
                        "j", 1, load("S"), *exponentials(problem), compute("l"), store(*made), delete(*made)
                    ),
                    store(*early),
                    delete(*statistics(problem)),
                ),
            ),
            phase(
                "O = PV / l",
                loop(
                    "i",
                    1,
                    loop("j", 1, load(*made, "V"), compute("U"), delete(*made, "V")),
                    load("l"),
                    compute("O", "U"),
                    store("O"),
                    delete("O", "l"),
                ),
            ),
        )
