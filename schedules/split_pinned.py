"""Safe softmax by groups of row blocks: the maxima of a group, then its outputs; rows of K and V that stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
from schedules._staying_rows import maxima_sweep, output_sweep, staying_words, while_they_stay
from schedules._tile_shapes import ceil_div, cuts_otherwise

__all__ = ["Groups", "SplitPinned", "groups_of"]

_MOST_GROUPS = 64
"""So many numbers of groups are looked at, from the fewest that fit on."""
_FEW_GROUPS = 16
"""Slices are looked at for so many numbers of groups."""
_MOST_BLOCKS = 8
"""A group has at most so many blocks."""


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

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest number of groups, and of blocks of each, with as much of K and V as stays."""
        self.require(problem, M)
        choices = _choices(problem, M)
        found = min(choices, key=lambda one: (one.words, one.slices), default=Groups(problem, 1, 1, 1, 0))
        sizes = found.group, found.block, found.slices, found.pinned
        return dict(zip(self.tile_names, sizes, strict=True))

    def greatest(self, problem: Problem) -> Tiles:
        """Return all rows, and all rows of K and V."""
        sizes = problem.Nq, problem.Nq, problem.dv, 2 * problem.Nk
        return dict(zip(self.tile_names, sizes, strict=True))

    def differs(self, problem: Problem, tiles: Tiles) -> bool:
        """Whether a block is no longer than its group, and no fewer slices are as wide."""
        return tiles["rows"] <= tiles["max_rows"] and cuts_otherwise(problem.dv, tiles["slices"])

    def staying(self, problem: Problem, lines: int) -> int:
        """Return the words of the rows of K and V that stay."""
        return staying_words(problem, lines)

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
    """Rows of a group and of a block, its slices, and rows of K, and beyond these of V, that stay: words and room."""

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
        return int(ceil_div(self.problem.dv, min(self.slices, self.problem.dv)))

    @property
    def words(self) -> int:
        """Words moved without a mask."""
        Nq, Nk, d, dv = self.problem.Nq, self.problem.Nk, self.problem.d, self.problem.dv
        whole, rest = divmod(Nq, self.group)
        groups = whole + bool(rest)
        blocks = int(whole * ceil_div(self.group, self.block) + ceil_div(rest, self.block))
        again = Nq - whole * self.block - min(rest, self.block)
        keys = (groups + blocks * int(ceil_div(dv, self.width)) - 1) * (Nk - self.keys) * d
        once = (Nq + Nk) * (d + dv) + 2 * Nq * self.problem.stats
        return once + again * d + keys + (blocks - 1) * (Nk - self.values) * dv

    @property
    def room(self) -> int:
        """Words of fast memory, exact if there are two keys or more."""
        d, dv = self.problem.d, self.problem.dv
        staying = self.keys * d + self.values * dv
        maxima = self.group * (d + 1) + min(self.group, self._passing("K")) + 2
        outputs = (
            self.group + self.block * (d + self.width + 1) + min(self.block, self._passing("K", "V")) + 2
        )
        return staying + max(maxima, outputs)

    def by_row(self, rows: int, *names: str) -> bool:
        """Whether a key passes by the row, so that one score is held; else a word at a time."""
        return rows > self._passing(*names)

    def _passing(self, *names: str) -> int:
        """Words of a row of each array that does not stay."""
        Nk = self.problem.Nk
        words = {"K": self.problem.d * (self.keys < Nk), "V": self.width * (self.values < Nk)}
        return sum(words[name] for name in names)


def groups_of(problem: Problem, tiles: Tiles) -> Groups:
    """Return the groups and blocks of tiles, with their words and their room."""
    return Groups(problem, tiles["max_rows"], tiles["rows"], tiles["slices"], tiles["pinned"])


def _choices(problem: Problem, M: int) -> Iterator[Groups]:
    """Yield groups and blocks that fit, with as much of K and V as stays."""
    Nq, d = problem.Nq, problem.d
    most = max((M - 2) // (d + 2), (M - 2 - d) // (d + 1))
    if most < 1:
        return
    fewest = ceil_div(Nq, min(most, Nq))
    numbers = sorted({int(ceil_div(problem.dv, ceil_div(problem.dv, n))) for n in range(1, problem.dv + 1)})
    for number in range(fewest, min(fewest + _MOST_GROUPS, Nq) + 1):
        group = ceil_div(Nq, number)
        for blocks in range(1, min(_MOST_BLOCKS, group) + 1):
            for slices in numbers if number < fewest + _FEW_GROUPS else [1]:
                none = Groups(problem, group, ceil_div(group, blocks), slices, 0)
                if none.room <= M:
                    yield _pin(none, M)
                    continue
                # What stays whole does not pass by: where all is short, that may need less room.
                stays = (replace(none, pinned=rows * problem.Nk) for rows in (2, 1))
                yield from (one for one in stays if one.room <= M)


def _pin(none: Groups, M: int) -> Groups:
    """Return a choice with as many rows that stay as fit and help."""
    d, dv, Nk = none.problem.d, none.problem.dv, none.problem.Nk
    everything, all_keys = replace(none, pinned=2 * Nk), replace(none, pinned=Nk)
    if none.block == none.problem.Nq or all_keys.room > M:
        most = Nk if all_keys.room <= M else min((M - none.room) // d, Nk - 1)
        return replace(none, pinned=most)
    if everything.room <= M:
        return everything
    return replace(none, pinned=Nk + min((M - all_keys.room) // dv, Nk - 1))
