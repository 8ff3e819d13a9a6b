"""FlashAttention-2 nested: a block of rows stays in level 2, and parts of it take turns in level 1."""

from __future__ import annotations

from collections.abc import Iterator

from pebble import Problem
from pebble.program import (
    Hierarchy,
    LevelSchedule,
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    program,
    store,
    when,
)
from schedules._level_tiles import even, kept_lines, numbers_of_tiles, with_kept
from schedules._levels import Travel

__all__ = ["NestedFlash2"]


class NestedFlash2(LevelSchedule):
    """FlashAttention-2's loop order at two boundaries at once.

    ``rows`` query rows stay in level 2 while all keys pass by, ``cols`` of them at a time. For each of these tiles the
    rows go through level 1 in blocks of ``block`` rows, whose unfinished outputs and row sums are kept in level 2
    in the meantime. Without ``block`` the rows stay in level 1, and level 2 only passes keys and values on. With a
    third level, the first ``kept`` keys and values stay there for all blocks of rows.
    """

    name = "nested-flash-2"
    summary = "flash-2 at two boundaries: rows stay in level 2, blocks of them take turns in level 1"
    source = "docs/levels.md"
    tile_names = ("rows", "cols", "block", "kept")
    optional_tiles = ("block", "kept")
    may_be_zero = ("kept",)
    levels = (2, 3)

    def smallest(self, problem: Problem, hierarchy: Hierarchy) -> Tiles:
        """Return one row, which stays in level 1, and one key."""
        return {"rows": 1, "cols": 1}

    def candidates(self, problem: Problem, hierarchy: Hierarchy) -> Iterator[Tiles]:
        """Yield rows that stay in level 1, then blocks of many heights with as many keys as fit beside them."""
        width, inner, outer = problem.d + problem.dv, *hierarchy.capacities[:2]
        assert inner is not None
        assert outer is not None
        beside = 2 if hierarchy.inclusive else 0
        most = (inner - width - 2) // (width + 1)
        within = min(most, (outer - 2 - width) // (width + 1)) if hierarchy.inclusive else most
        if within >= 1:
            rows = even(problem.Nq, within)
            yield with_kept(self, problem, hierarchy, {"rows": rows, "cols": 1}, problem.Nk, width)
        if most < 1:
            return
        for rows in numbers_of_tiles(problem.Nq, (outer - beside - width) // (width + 1), most):
            cols = min(problem.Nk, (outer - beside - rows * (width + 1)) // width)
            if cols >= 1:
                tiles = {"rows": rows, "cols": even(problem.Nk, cols), "block": even(rows, most)}
                yield with_kept(self, problem, hierarchy, tiles, problem.Nk, width)

    def room(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that tiles need at each level; a few fewer where the problem is tiny."""
        d, dv, cols = problem.d, problem.dv, min(tiles["cols"], problem.Nk)
        rows, width = min(tiles["rows"], problem.Nq), d + dv
        inner = min(tiles.get("block", rows), rows) * (width + 1) + width + 2
        resident = rows * (width + 1)
        if hierarchy.inclusive:
            needs = [inner, resident + cols * width + 2]
        else:
            needs = [inner, cols * width + (resident if "block" in tiles else 0)]
        if hierarchy.levels == 3:
            kept = kept_lines(self, problem.Nk, tiles, hierarchy)
            passing = cols * width if kept < problem.Nk else 0
            own = kept * width + passing
            needs.append(own + resident + 2 if hierarchy.inclusive else max(own, kept * width + max(d, dv)))
        return tuple(needs)

    def words(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that move at each boundary."""
        Nq, Nk, d, dv, width = problem.Nq, problem.Nk, problem.d, problem.dv, problem.d + problem.dv
        kept = kept_lines(self, problem.Nk, tiles, hierarchy)
        once = Nq * width + (Nq if problem.stats else 0)
        rows, cols = min(tiles["rows"], Nq), tiles["cols"]
        times = -(-Nq // rows)
        passed = [once + Nk * width * times] * 2
        if "block" in tiles:
            tiles_of_keys = -(-kept // cols) - (kept - Nk) // cols
            blocks = Nq // rows * -(-rows // tiles["block"]) - -(Nq % rows) // tiles["block"]
            parked = Nq * d * (tiles_of_keys - 1) + 2 * (tiles_of_keys - 1) * Nq * (dv + 1)
            passed[0] = once + parked + Nk * width * blocks
        if hierarchy.levels == 3:
            passed.append(once + kept * width + (Nk - kept) * width * times)
        return tuple(passed)

    def program(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> Program:
        """Write the program."""
        self.require_levels(hierarchy)
        tiles = self.check_tiles(tiles)
        return _Writer(
            problem,
            tiles,
            Travel(hierarchy.levels, hierarchy.inclusive),
            kept_lines(self, problem.Nk, tiles, hierarchy),
        ).program()


class _Writer:
    """Writes the program for tiles and levels."""

    def __init__(self, problem: Problem, tiles: dict[str, int], travel: Travel, kept: int) -> None:
        self.problem, self.travel, self.kept = problem, travel, kept
        self.rows, self.cols, self.block = tiles["rows"], tiles["cols"], tiles.get("block")

    def program(self) -> Program:
        keys = [self._keys(0, self.kept)] if self.kept else []
        if self.kept < self.problem.Nk:
            keys.append(self._keys(self.kept, None))
        return program(loop("i", self.rows, self._arrive(), keys, self._leave()))

    def _arrive(self) -> Nodes:
        """Bring the block's queries to where they stay."""
        return self.travel.one_by_one(
            "i", "arriving", self.travel.bring("Q", to=1 if self.block is None else 2)
        )

    def _leave(self) -> Nodes:
        """Send the block's outputs out."""
        travel, stats = self.travel, self.problem.stats
        if self.block is None:
            done = compute("O", "U"), travel.send("O", start=1)
            sums = travel.send("l", start=1) if stats else travel.drop("l")
            return travel.one_by_one("i", "leaving", done, sums, travel.let_go("Q", start=1))
        out = travel.send("O", start=2), travel.send("l", start=2) if stats else None
        return travel.one_by_one("i", "leaving", out, travel.let_go("Q", start=2))

    def _keys(self, start: int, stop: int | None) -> Node:
        """Write the loop over tiles of keys; those up to ``stop`` stay in the third level."""
        if stop is not None:
            into: Nodes = when(first("i"), load("K", "V", level=3)), load("K", "V", level=2)
            out: Nodes = delete("K", "V", level=2), when(last("i"), delete("K", "V", level=3))
        else:
            into, out = self.travel.bring("K", "V", to=2), self.travel.let_go("K", "V", start=2)
        work = self._work() if self.block is None else self._blocks(self.block, start, stop)
        return loop("j", self.cols, into, work, out, start=start, stop=stop)

    def _work(self) -> Node:
        """Work on the rows in level 1 with a tile of keys, key by key."""
        row = loop(
            "i",
            1,
            compute("S"),
            compute("P", "S"),
            compute("l"),
            compute("U"),
            self.travel.drop("P"),
            label="row",
        )
        return loop("j", 1, load("K", "V"), row, delete("K", "V"), label="key")

    def _blocks(self, block: int, start: int, stop: int | None) -> Node:
        """Let the rows take turns in level 1; unfinished outputs and row sums are kept in level 2."""
        begun = load("U", "l"), None if self.travel.inclusive else delete("U", "l", level=2)
        parked = store("U", "l"), delete("U", "l")
        sums = (store("l"), delete("l")) if self.problem.stats else self.travel.drop("l")
        done = compute("O", "U"), store("O"), delete("O"), sums
        goes_on = stop is not None and stop < self.problem.Nk
        return loop(
            "i",
            block,
            load("Q"),
            begun if start else when(not_first("j"), begun),
            self._work(),
            delete("Q"),
            parked if goes_on else when(not_last("j"), parked),
            None if goes_on else when(last("j"), done),
            label="block",
        )
