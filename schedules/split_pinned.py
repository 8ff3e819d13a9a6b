"""Safe softmax by groups of row blocks: the maxima of a group, then its outputs; rows of K and V that stay."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Program,
    Tiles,
    compute,
    delete,
    first,
    load,
    loop,
    not_first,
    phase,
    program,
    store,
    when,
)
from schedules._staying_rows import StayingRows, maxima_sweep, output_sweep, while_they_stay


class SplitPinned(Schedule):
    """``split`` group by group: a group of ``max_rows`` rows finds its maxima together, then goes block by block.

    Of the group's queries the first block of ``rows`` rows stays for its outputs, and the maxima stay for all; neither
    is written. The outputs of a block are made in ``slices`` of the head dimension of V, which need less room and one
    more sweep of K each. The first ``pinned`` rows of K stay from the first sweep to the last; where all of K stays,
    slices cost nothing, and the rows of ``pinned`` beyond are rows of V that stay too. With G groups and B blocks in
    all, in s slices, it moves

        Nq·(d + dv) + (rows read again)·d + Nk·((G + B·s)·d + B·dv) − (G + B·s − 1)·pinned·d

    words (pinned ≤ Nk), where Nq less the first block of each group is read again.
    """

    name = "split-pinned"
    summary = "maxima of a group of row blocks, then its blocks one by one; spare room keeps rows of K and V"
    source = "derived here"
    forms = ("safe",)
    tile_names = ("max_rows", "rows", "slices", "pinned")
    tile_axes = ("i", "i", "e", "")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)
    numbers_of_tiles = ("slices",)

    def greatest(self, problem: Problem) -> Tiles:
        """Return all rows, and all rows of K and V."""
        sizes = problem.Nq, problem.Nq, problem.dv, 2 * problem.Nk
        return dict(zip(self.tile_names, sizes, strict=True))

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of rows of K and V."""
        tiles = self.check_tiles(tiles)
        group = min(tiles["max_rows"], problem.Nq)
        block = min(tiles["rows"], group)
        stay = StayingRows(problem, min(tiles["slices"], problem.dv), tiles.get("pinned", 0))
        again = when(not_first("block"), load("Q"))
        others = loop("i", block, when(not_first("block"), delete("Q")), label="block")
        maxima = maxima_sweep(problem, stay.keys, group > stay.passing(0))
        sweep = output_sweep(
            problem,
            stay.keys,
            stay.values,
            block > stay.passing(stay.width),
            when(first("slice"), compute("l")),
        )
        done = compute("O", "U"), store("O"), delete("O")
        slices = loop("e", stay.width, sweep, done, label="slice")
        kept = store("m", "l") if problem.stats else None
        outputs = loop("i", block, again, slices, kept, delete("m", "l", "Q"), label="block")
        rows = loop("i", group, load("Q"), maxima, others if block < group else None, outputs)
        return program(phase("", while_they_stay(stay.keys, stay.values, rows)))
