"""Row by row, every intermediate result written out: what one writes first."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Nodes, Program, Tiles, compute, delete, load, loop, phase, program
from schedules._roles import (
    accumulator,
    each_head,
    family,
    output_names,
    outputs,
    products,
    statistics,
    statistics_of_outputs,
    used_up,
    values,
    weights_by_row,
)
from schedules._tiled_products import product_by_row
from schedules.backward.naive import naive_backward
from schedules.linear.naive import naive_linear


class Naive(Schedule):
    """Scores, probabilities and outputs row by row, with S and P written to slow memory; backward all its arrays.

    With safe softmax S is read twice, first for the maxima: three passes over the scores of a row. With online softmax
    the factors by which sums are rescaled are written beside P. Linear attention goes word by word, with its state
    written, and read again for every token where it changes with them.
    """

    name = "naive"
    summary = "row by row, everything written out"
    source = "textbook"
    passes = ("forward", "backward")
    forms = (
        *("plain", "safe", "online", "latent", "shared-rope"),
        *("linear", "recurrent", "gated", "chunked", "own"),
    )

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        if problem.attention == "linear":
            return naive_linear(problem)
        if problem.pass_name == "backward":
            return naive_backward(problem)
        scores, made, value, total = (
            products(problem),
            used_up(problem),
            values(problem),
            accumulator(problem),
        )
        maxima: Nodes = None
        if problem.form == "safe":
            maxima = loop("j", 1, load("S"), compute("m"), delete("S"))
        sums = statistics_of_outputs(problem)
        early = [name for name in statistics(problem) if name in sums or family(problem)[name].output]
        key: tuple[Nodes, ...] = (load(*made, value), compute(total), delete(*made, value))
        if problem.form == "shared-rope":
            key = load("P"), loop("e", 1, load(value), compute("U"), delete(value)), delete("P")
        row = loop("j", 1, *key), load(*sums), *outputs(problem), delete(*output_names(problem), *sums)
        return program(
            *(product_by_row(problem, name) for name in scores),
            phase(f"P = exp({' + '.join(scores)}) and its row sums", weights_by_row(problem, maxima, *early)),
            phase(f"O = P·{value} / l", each_head(problem, loop("i", 1, *row))),
        )
