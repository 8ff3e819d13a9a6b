"""Backward, row by row, every intermediate result written out."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Phase, Program, compute, delete, load, loop, phase, program, store
from schedules._roles import family, product_text
from schedules._tiled_products import product_by_row
from schedules.backward._loop_nests import GRADIENTS, row_sums_phase


def naive_backward(problem: Problem) -> Program:
    """Write every array of the backward pass row by row, S, P, dP and dS to slow memory."""
    probabilities = loop("j", 1, load("S"), compute("P", "S"), store("P"), delete("P"))
    gradients = loop("j", 1, load("P", "dP"), compute("dS", "dP"), store("dS"), delete("P", "dS"))
    return program(
        product_by_row(problem, "S"),
        phase("P = exp(S) / l", loop("i", 1, load("l"), probabilities, delete("l"))),
        phase("D, row sums of dO∘O", row_sums_phase()),
        product_by_row(problem, "dP"),
        phase("dS = P∘(dP − D)", loop("i", 1, load("D"), gradients, delete("D"))),
        *(_gradient(problem, name) for name in GRADIENTS),
    )


def _gradient(problem: Problem, name: str) -> Phase:
    array = family(problem)[name]
    step = loop(str(array.chain), 1, load(*array.operands), compute(name), delete(*array.operands))
    nest = loop(array.axes[0], 1, step, store(name), delete(name))
    return phase(f"{name} = {product_text(problem, name)}", nest)
