"""Backward under a mask: a key stays in fast memory, with its gradients, from its first query to its last."""

from __future__ import annotations

from pebble.problem import Problem
from pebble.program import Program, compute, delete, first, last, load, loop, phase, program, store, when
from pebble.schedule import Schedule, Tiles
from schedules._products import ceil_div
from schedules.ring import MOST_BLOCKS

__all__ = ["RingBackward"]


class RingBackward(Schedule):
    """Queries in order, block by block; K, V, dK and dV of a key stay from its first use to its last.

    Every word moves once: 8Nd + N words. It fits where few keys are in use at a time.
    """

    name = "ring"
    summary = "keys stay with their gradients from their first use to their last; every word moves once"
    source = "derived here; the forward ring turned round"
    passes = ("backward",)
    tile_names = ("rows",)
    follows_mask = True
    masks_only = True

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return blocks of queries: any size moves the same words."""
        self.require(problem, M)
        return self.smallest(problem)

    def smallest(self, problem: Problem) -> Tiles:
        """Return single queries, or as many as make 256 blocks."""
        return {"rows": ceil_div(problem.Nq, MOST_BLOCKS)}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        rows = self.check_tiles(tiles).get("rows", problem.Nq)
        pair = (
            compute("S"),
            compute("P", "S"),
            compute("dV"),
            compute("dP"),
            compute("dS", "dP"),
            delete("P"),
            compute("dK"),
            compute("dQ"),
            delete("dS"),
        )
        keys = loop(
            "j",
            1,
            when(first("i"), load("K", "V")),
            loop("i", 1, *pair, label="query"),
            when(last("i"), store("dK", "dV"), delete("K", "V", "dK", "dV")),
        )
        sums = loop("i", 1, loop("e", 1, load("O"), compute("D"), delete("O")), label="row")
        return program(
            phase(
                "",
                loop(
                    "i",
                    rows,
                    load("Q", "dO", "l"),
                    sums,
                    keys,
                    store("dQ"),
                    delete("Q", "dO", "l", "D", "dQ"),
                ),
            )
        )
