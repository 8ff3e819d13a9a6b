"""FlashAttention-2's backward pass nested: a tile of keys stays in level 2, and parts of it take turns in level 1."""

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
    phase,
    program,
    store,
    when,
)
from schedules._level_tiles import even, kept_lines, numbers_of_tiles, with_kept
from schedules._levels import Travel

__all__ = ["NestedFlash2Backward"]

_ROW = ("Q", "dO", "l", "D")


class NestedFlash2Backward(LevelSchedule):
    """FlashAttention-2's backward loop order at two boundaries at once.

    ``cols`` keys, with their values and both gradients, stay in level 2 while all queries pass by, ``rows`` of them
    at a time. For each of these tiles the keys go through level 1 in blocks of ``block`` keys. Without ``block`` the
    keys stay in level 1, and level 2 only passes queries on. With a third level, the first ``kept`` queries stay there
    for all tiles of keys.
    """

    name = "nested-flash-2"
    summary = "flash-2 at two boundaries: keys stay in level 2, blocks of them take turns in level 1"
    source = "docs/levels.md"
    passes = ("backward",)
    tile_names = ("rows", "cols", "block", "kept")
    optional_tiles = ("block", "kept")
    may_be_zero = ("kept",)
    levels = (2, 3)

    def smallest(self, problem: Problem, hierarchy: Hierarchy) -> Tiles:
        """Return one key, which stays in level 1, and one row."""
        return {"rows": 1, "cols": 1}

    def candidates(self, problem: Problem, hierarchy: Hierarchy) -> Iterator[Tiles]:
        """Yield keys that stay in level 1, then tiles of many lengths with as many rows as fit beside them."""
        key, row, (inner, outer) = _key_words(problem), _row_words(problem), hierarchy.capacities[:2]
        assert inner is not None
        assert outer is not None
        beside = 3 if hierarchy.inclusive else 0
        most = (inner - row - 3) // key
        within = min(most, (outer - beside - row) // key) if hierarchy.inclusive else most
        if within >= 1:
            tiles = {"rows": 1, "cols": even(problem.Nk, within)}
            yield with_kept(self, problem, hierarchy, tiles, problem.Nq, row)
        if most < 1:
            return
        for cols in numbers_of_tiles(problem.Nk, (outer - beside - row) // key, most):
            rows = min(problem.Nq, (outer - beside - cols * key) // row)
            if rows >= 1:
                tiles = {"rows": even(problem.Nq, rows), "cols": cols, "block": even(cols, most)}
                yield with_kept(self, problem, hierarchy, tiles, problem.Nq, row)

    def room(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that tiles need at each level; a few fewer where the problem is tiny."""
        key, row, width = _key_words(problem), _row_words(problem), problem.d + problem.dv
        cols, rows = min(tiles["cols"], problem.Nk), min(tiles["rows"], problem.Nq)
        needs = [min(tiles.get("block", cols), cols) * key + row + 3]
        if hierarchy.inclusive:
            needs.append(cols * key + rows * row + 3)
        else:
            needs.append(rows * row + cols * key if "block" in tiles else max(rows * row, width))
        if hierarchy.levels == 3:
            kept = kept_lines(self, problem.Nq, tiles, hierarchy)
            passing = rows * row if kept < problem.Nq else 0
            beside = passing + cols * key + 3 if hierarchy.inclusive else max(passing, width)
            needs.append(kept * row + beside)
        return tuple(needs)

    def words(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that move at each boundary."""
        Nq, Nk, d, width = problem.Nq, problem.Nk, problem.d, problem.d + problem.dv
        kept = kept_lines(self, Nq, tiles, hierarchy)
        rows, cols = tiles["rows"], tiles["cols"]
        sums = Nq * (2 * problem.dv + 1)
        once = sums + 2 * Nk * width

        def passes(times: int) -> int:
            """Words of a row that passes so many times."""
            return (width + 2) * times + d * (2 * times - 1)

        times = -(-Nk // cols)
        moved = [once + Nq * passes(times)] * 2
        if "block" in tiles:
            tiles_of_rows = -(-kept // rows) - (kept - Nq) // rows
            size = min(cols, Nk)
            blocks = Nk // size * -(-size // tiles["block"]) - -(Nk % size) // tiles["block"]
            moved[0] = sums + Nk * width * (3 * tiles_of_rows - 1) + Nq * passes(blocks)
        if hierarchy.levels == 3:
            moved.append(once + kept * passes(1) + (Nq - kept) * passes(times))
        return tuple(moved)

    def program(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> Program:
        """Write the program."""
        self.require_levels(hierarchy)
        tiles = self.check_tiles(tiles)
        travel = Travel(hierarchy.levels, hierarchy.inclusive)
        return _Writer(problem, tiles, travel, kept_lines(self, problem.Nq, tiles, hierarchy)).program()


def _key_words(problem: Problem) -> int:
    """Words of a key: K and V, dK and dV."""
    return 2 * (problem.d + problem.dv)


def _row_words(problem: Problem) -> int:
    """Words of a row: Q and dO, dQ, the row sum l, and D."""
    return 2 * problem.d + problem.dv + 2


class _Writer:
    """Writes the program for tiles and levels."""

    def __init__(self, problem: Problem, tiles: dict[str, int], travel: Travel, kept: int) -> None:
        self.problem, self.travel, self.kept = problem, travel, kept
        self.rows, self.cols, self.block = tiles["rows"], tiles["cols"], tiles.get("block")

    def program(self) -> Program:
        travel, to = self.travel, 1 if self.block is None else 2
        entry = loop("e", 1, travel.bring("dO", "O", to=1), compute("D"), travel.let_go("dO", "O", start=1))
        sums = loop("i", 1, entry, travel.send("D", start=1))
        rows = [self._rows(0, self.kept)] if self.kept else []
        if self.kept < self.problem.Nq:
            rows.append(self._rows(self.kept, None))
        arrive = travel.one_by_one("j", "arriving", travel.bring("K", "V", to=to))
        leave = travel.one_by_one(
            "j", "leaving", travel.send("dK", "dV", start=to), travel.let_go("K", "V", start=to)
        )
        keys = loop("j", self.cols, arrive, rows, leave)
        return program(phase("D, row sums of dO∘O", sums), phase("dQ, dK and dV", keys))

    def _rows(self, start: int, stop: int | None) -> Node:
        """Write the loop over tiles of rows; those up to ``stop`` stay in the third level."""
        travel = self.travel
        if stop is not None:
            into: Nodes = when(first("j"), load(*_ROW, level=3)), load(*_ROW, level=2)
            begun: Nodes = load("dQ", level=2), None if travel.inclusive else delete("dQ", level=3)
            last_one = when(last("j"), store("dQ", level=3), delete("dQ", *_ROW, level=3))
            out: Nodes = store("dQ", level=2), delete("dQ", *_ROW, level=2), last_one
        else:
            into, begun = travel.bring(*_ROW, to=2), travel.bring("dQ", to=2)
            out = travel.send("dQ", start=2), travel.let_go(*_ROW, start=2)
        work = self._row() if self.block is None else self._blocks(self.block, start)
        return loop("i", self.rows, into, when(not_first("j"), begun), work, out, start=start, stop=stop)

    def _row(self) -> Node:
        """Work on a tile of rows with the keys in level 1, row by row."""
        begun = load("dQ"), None if self.travel.inclusive else delete("dQ", level=2)
        again = when(first("j"), when(not_first("block"), begun)) if self.block is not None else None
        pair = loop(
            "j",
            1,
            compute("S"),
            compute("P", "S"),
            compute("dV"),
            compute("dP"),
            compute("dS", "dP"),
            self.travel.drop("P"),
            compute("dK"),
            compute("dQ"),
            self.travel.drop("dS"),
            label="key",
        )
        out = store("dQ"), delete("dQ", *_ROW)
        return loop("i", 1, load(*_ROW), when(not_first("j"), begun), again, pair, out, label="row")

    def _blocks(self, block: int, start: int) -> Node:
        """Let the keys take turns in level 1; their unfinished gradients are kept in level 2."""
        begun = load("dK", "dV"), None if self.travel.inclusive else delete("dK", "dV", level=2)
        return loop(
            "j",
            block,
            load("K", "V"),
            begun if start else when(not_first("i"), begun),
            self._row(),
            delete("K", "V"),
            store("dK", "dV"),
            delete("dK", "dV"),
            label="block",
        )
