"""Safe softmax by groups of row blocks: the maxima of a group, then its outputs; rows of K and V that stay."""

from __future__ import annotations

from dataclasses import dataclass

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
from schedules._staying_rows import maxima_sweep, output_sweep, while_they_stay

__all__ = ["Groups", "SplitPinned"]


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
        groups = Groups(problem, group, block, tiles["slices"], tiles.get("pinned", 0))
        again = when(not_first("block"), load("Q"))
        others = loop("i", block, when(not_first("block"), delete("Q")), label="block")
        maxima = maxima_sweep(problem, groups.keys, groups.by_row(group, "K"))
        sweep = output_sweep(
            problem,
            groups.keys,
            groups.values,
            groups.by_row(block, "K", "V"),
            when(first("slice"), compute("l")),
        )
        done = compute("O", "U"), store("O"), delete("O")
        slices = loop("e", groups.width, sweep, done, label="slice")
        kept = store("m", "l") if problem.stats else None
        outputs = loop("i", block, again, slices, kept, delete("m", "l", "Q"), label="block")
        rows = loop("i", group, load("Q"), maxima, others if block < group else None, outputs)
        return program(phase("", while_they_stay(groups.keys, groups.values, rows)))


@dataclass(frozen=True)
class Groups:
    """Rows of a group and of a block, its slices, and rows of K, and beyond these of V, that stay."""

    problem: Problem
    group: int
    block: int
    slices: int
    pinned: int

    @property
    def keys(self) -> int:
        """Rows of K that stay."""
        return min(self.pinned, self.problem.Nk)

    @property
    def values(self) -> int:
        """Rows of V that stay."""
        return min(max(self.pinned - self.problem.Nk, 0), self.problem.Nk)

    @property
    def width(self) -> int:
        """Columns of V in a slice."""
        return -(-self.problem.dv // min(self.slices, self.problem.dv))

    def by_row(self, rows: int, *names: str) -> bool:
        """Whether a key passes by the row, so that one score is held; else a word at a time."""
        return rows > self._passing(*names)

    def _passing(self, *names: str) -> int:
        """Words of a row of each array that does not stay."""
        Nk = self.problem.Nk
        words = {"K": self.problem.d * (self.keys < Nk), "V": self.width * (self.values < Nk)}
        return sum(words[name] for name in names)
