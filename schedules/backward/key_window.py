"""Backward under a mask: a key stays in fast memory, with its gradients, from its first query to its last."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Program, Tiles, compute, delete, first, last, load, loop, program, store, when
from schedules.backward._loop_nests import pair_by_pair, row_sums_of_block
from schedules.flash2 import KeyWindowBlocks

__all__ = ["KeyWindowBackward"]


class KeyWindowBackward(KeyWindowBlocks):
    """Queries in order, block by block; K, V, dK and dV of a key stay from its first use to its last.

    Every word moves once: 8Nd + N words. It fits where few keys are in use at a time.
    """

    name = "key-window"
    summary = "keys stay with their gradients from their first use to their last; every word moves once"
    source = "derived here; the counterpart of the forward schedule"
    passes = ("backward",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        rows = self.check_tiles(tiles)["rows"]
        keys = loop(
            "j",
            1,
            when(first("i"), load("K", "V")),
            pair_by_pair("i", "query", dQ=compute("dQ")),
            when(last("i"), store("dK", "dV"), delete("K", "V", "dK", "dV")),
        )
        return program(
            loop(
                "i",
                rows,
                load("Q", "dO", "l"),
                row_sums_of_block(),
                keys,
                store("dQ"),
                delete("Q", "dO", "l", "D", "dQ"),
            )
        )
