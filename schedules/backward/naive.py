"""Backward, row by row, every intermediate result written out."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Phase, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules.backward._gradient_products import GRADIENTS, gradient_title
from schedules.backward._loop_nests import row_sums_phase

__all__ = ["NaiveBackward"]


class NaiveBackward(Schedule):
    """Every array of the backward pass row by row, S, P, dP and dS written to slow memory."""

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"
    passes = ("backward",)

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
            *(_gradient(name) for name in GRADIENTS),
        )


def _scores(result: str, row: str, column: str) -> Phase:
    one = loop("j", 1, load(column), compute(result), delete(column), store(result), delete(result))
    return phase(f"{result} = {row}·{column}ᵀ", loop("i", 1, load(row), one, delete(row)))


def _gradient(name: str) -> Phase:
    weights, values, (row, _, chain) = GRADIENTS[name]
    step = loop(chain, 1, load(weights, values), compute(name), delete(weights, values))
    return phase(gradient_title(name), loop(row, 1, step, store(name), delete(name)))
