"""Linear attention with every intermediate result written out: what one writes first."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, load, loop, phase, program, store

__all__ = ["NaiveRightProduct"]


class _Naive(Schedule):
    """A schedule without tiles."""

    name = "naive"
    source = "textbook"

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return no tiles: words are handled one at a time."""
        self.require(problem, M)
        return {}


class NaiveRightProduct(_Naive):
    """The state word by word, written, then the outputs word by word."""

    summary = "the state KᵀV, then the outputs, word by word"
    forms = ("linear",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        self.check_tiles(tiles)
        return program(
            phase("H = KᵀV", loop("k", 1, loop("e", 1, _sum("H", "j", "K", "V"), store("H"), delete("H")))),
            phase("O = QH", loop("i", 1, loop("e", 1, _sum("O", "k", "Q", "H"), store("O"), delete("O")))),
        )


def _sum(result: str, axis: str, *operands: str) -> Node:
    """A word of a product, its operands loaded for every step."""
    return loop(axis, 1, load(*operands), compute(result), delete(*operands))
