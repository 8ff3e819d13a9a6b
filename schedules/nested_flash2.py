"""FlashAttention-2 nested: a block of rows stays in level 2, and parts of it take turns in level 1."""

from __future__ import annotations

from collections.abc import Sequence

from pebble import Problem
from pebble.program import Nodes, compute
from schedules._levels import Station, Travel, all_last, any_not_last
from schedules._nested import Nested, PassOn


class NestedFlash2(Nested):
    """FlashAttention-2's loop order at several boundaries at once.

    ``rows`` query rows stay in level 2 while all keys pass by, ``cols`` of them at a time. For each of these tiles the
    rows go through level 1 in blocks of ``block`` rows, whose unfinished outputs and row sums are kept in level 2
    in the meantime. Without ``block`` the rows stay in level 1. With a third level the same is done once more, with
    ``rows3`` and ``cols3``.
    """

    name = "nested-flash-2"
    summary = "flash-2 at two boundaries: rows stay in level 2, blocks of them take turns in level 1"
    source = "docs/levels.md"
    optional_tiles = ("cols", "block", "rows3", "cols3")
    resident, passing, transient = "rows", "cols", 2
    axes, stays, sums, passes_by = ("i", "j"), ("Q",), ("U", "l"), ("K", "V")

    def pair(self, travel: Travel) -> Nodes:
        """Add a key to a row."""
        return compute("S"), compute("P", "S"), compute("l"), compute("U"), travel.drop("P")

    def block(self, problem: Problem, inside: Sequence[Station], around: Sequence[str]) -> int:
        """Under a mask a block is done, and its output computed, at its own last tile of keys."""
        return max((one.resident for one in inside), default=0) if problem.mask and around else 0

    def end(
        self, problem: Problem, travel: Travel, here: int, start: int, around: Sequence[str], pass_on: PassOn
    ) -> Nodes:
        """Park unfinished outputs and row sums; send the outputs at the last tiles of keys."""
        done = compute("O", "U") if here == 1 else None
        sums: Nodes = travel.send("l", start=here, to=start)
        if not problem.stats:
            sums = travel.drop("l") if here == 1 else None
        out = all_last(around, done, travel.send("O", start=here, to=start), sums)
        return (
            pass_on("parking", any_not_last(around, travel.send("U", "l", start=here, to=start))),
            pass_on("leaving", out, travel.let_go("Q", start=here, to=start)),
        )
