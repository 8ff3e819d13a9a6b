"""FlashAttention-2's backward pass nested: a tile of keys stays in level 2, and parts of it take turns in level 1."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Nodes, Phase, compute, loop, phase
from schedules._levels import Travel
from schedules._nested import Nested


class NestedFlash2Backward(Nested):
    """FlashAttention-2's backward loop order at several boundaries at once.

    ``cols`` keys, with their values and both gradients, stay in level 2 while all queries pass by, ``rows`` of them
    at a time. For each of these tiles the keys go through level 1 in blocks of ``block`` keys. Without ``block`` the
    keys stay in level 1. With a third level the same is done once more, with ``cols3`` and ``rows3``.
    """

    name = "nested-flash-2"
    summary = "flash-2 at two boundaries: keys stay in level 2, blocks of them take turns in level 1"
    source = "docs/levels.md"
    passes = ("backward",)
    optional_tiles = ("rows", "block", "rows3", "cols3")
    resident, passing, transient = "cols", "rows", 3
    axes, stays, sums = ("j", "i"), ("K", "V"), ("dK", "dV")
    passes_by, sums_passing = ("Q", "dO", "l", "D"), ("dQ",)
    title = "dQ, dK and dV"

    def first_words(self, problem: Problem) -> int:
        """Return the words of D and of what it is made of."""
        return problem.Nq * (2 * problem.dv + 1)

    def first_phases(self, travel: Travel, slow: int) -> tuple[Phase, ...]:
        """Write D, a word of dO and of O at a time."""
        into, out = travel.bring("dO", "O", start=slow, to=1), travel.let_go("dO", "O", start=1, to=slow)
        entry = loop("e", 1, into, compute("D"), out)
        return (phase("D, row sums of dO∘O", loop("i", 1, entry, travel.send("D", start=1, to=slow))),)

    def pair(self, travel: Travel) -> Nodes:
        """Add a row and a key to each other's gradients."""
        scores = compute("S"), compute("P", "S"), compute("dV"), compute("dP"), compute("dS", "dP")
        return *scores, travel.drop("P"), compute("dK"), compute("dQ"), travel.drop("dS")
