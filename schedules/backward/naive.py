"""Backward, row by row, every intermediate result written out."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Phase, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules.backward._parts import row_sums_phase

__all__ = ["NaiveBackward"]


class NaiveBackward(Schedule):
    """Every array of the backward pass row by row, S, P, dP and dS written to slow memory."""

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"
    passes = ("backward",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return no tiles: rows are handled one at a time."""
        self.require(problem, M)
        return {}

    def smallest(self, problem: Problem) -> Tiles:
        """Return no tiles."""
        return {}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        probabilities = loop("j", 1, load("S"), compute("P", "S"), store("P"), delete("P"))
        gradients = loop("j", 1, load("P", "dP"), compute("dS", "dP"), store("dS"), delete("P", "dS"))
        return program(
            _scores("S", "Q", "K"),
            phase("P = exp(S) / l", loop("i", 1, load("l"), probabilities, delete("l"))),
            phase("D, row sums of dO∘O", row_sums_phase()),
            _scores("dP", "dO", "V"),
            phase("dS = P∘(dP − D)", loop("i", 1, load("D"), gradients, delete("D"))),
            _gradient("dV", "j", "i", "P", "dO"),
            _gradient("dK", "j", "i", "dS", "Q"),
            _gradient("dQ", "i", "j", "dS", "K"),
        )


def _scores(result: str, row: str, column: str) -> Phase:
    one = loop("j", 1, load(column), compute(result), delete(column), store(result), delete(result))
    return phase(f"{result} = {row}·{column}ᵀ", loop("i", 1, load(row), one, delete(row)))


def _gradient(result: str, outer: str, inner: str, weights: str, values: str) -> Phase:
    step = loop(inner, 1, load(weights, values), compute(result), delete(weights, values))
    transposed = "ᵀ" if outer == "j" else ""
    return phase(
        f"{result} = {weights}{transposed}·{values}", loop(outer, 1, step, store(result), delete(result))
    )
