"""FlashAttention-2 nested: a block of rows stays in level 2, and parts of it take turns in level 1."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Hierarchy, Nodes, Program, Tiles, compute, loop, phase, program
from schedules._levels import Station, Travel, all_last, any_not_last, once_begun, passing_loop
from schedules._nested import Nested

__all__ = ["NestedFlash2"]


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

    def line_words(self, problem: Problem) -> tuple[int, int]:
        """Return the words of a query, its unfinished output and its row sum; of a key and a value."""
        return problem.d + problem.dv + 1, problem.d + problem.dv

    def boundary_words(self, problem: Problem, before: tuple[int, int], through: tuple[int, int]) -> int:
        """Return the words at a boundary: a row once for each tile of keys, keys once for each tile of rows."""
        Nq, Nk, d, dv = problem.Nq, problem.Nk, problem.d, problem.dv
        parked = 2 * (before[1] - 1) * Nq * (dv + 1)
        return Nq * d * before[1] + parked + Nk * (d + dv) * through[0] + Nq * (dv + problem.stats)

    def program(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> Program:
        """Write the program."""
        self.require_levels(hierarchy)
        tiles = self.check_tiles(tiles)
        travel = Travel(hierarchy.levels, hierarchy.inclusive)
        outermost = hierarchy.levels + 1
        writer = _Writer(problem, self.stations(problem, tiles, hierarchy.levels), travel)
        return program(phase("", writer.rows(0, outermost, outermost, ())))


class _Writer:
    """Writes the loops of the stations, one inside the other."""

    def __init__(self, problem: Problem, stations: list[Station], travel: Travel) -> None:
        self.stats, self.stations, self.travel = problem.stats, stations, travel
        self.masked = problem.mask is not None

    def rows(self, at: int, rows_from: int, keys_from: int, around: tuple[str, ...]) -> Nodes:
        """Write a station's loop over rows, ``around`` the loops over keys with these labels."""
        station = self.stations[at]
        if not station.resident:
            return self._keys(at, rows_from, keys_from, around)
        here, travel, label = station.resident_level, self.travel, self._label("i", at)
        # Under a mask a block is done, and its output computed, at its own last tile of keys.
        within = self.stations[at + 1 :] if self.masked and around else ()
        block = max((one.resident for one in within), default=0)

        def pass_on(what: str, *body: Nodes) -> Nodes:
            if block:
                return loop("i", block, *body, label=f"{label} {what}")
            return travel.one_by_one("i", f"{label} {what}", rows_from, here, *body)

        if not station.passing:
            arrive, depart = self._keys_travel(at, keys_from)
            inner = self.rows(at + 1, here, station.passing_level, around)
        else:
            arrive = depart = None
            inner = self._keys(at, here, keys_from, around)
        begun = travel.bring("U", "l", start=rows_from, to=here, moved=True)
        done = compute("O", "U") if here == 1 else None
        sums: Nodes = travel.send("l", start=here, to=rows_from)
        if not self.stats:
            sums = travel.drop("l") if here == 1 else None
        out = all_last(around, done, travel.send("O", start=here, to=rows_from), sums)
        nest = loop(
            "i",
            station.resident,
            pass_on("arriving", travel.bring("Q", start=rows_from, to=here)),
            once_begun(around, self.masked, pass_on("again", begun)),
            inner,
            pass_on("parking", any_not_last(around, travel.send("U", "l", start=here, to=rows_from))),
            pass_on("leaving", out, travel.let_go("Q", start=here, to=rows_from)),
            label=label,
        )
        return arrive, nest, depart

    def _keys_travel(self, at: int, keys_from: int) -> tuple[Nodes, Nodes]:
        """Bring keys and values to a station's level, and let them go."""
        here, travel, label = self.stations[at].passing_level, self.travel, self._label("j", at)
        into = travel.bring("K", "V", start=keys_from, to=here)
        out = travel.let_go("K", "V", start=here, to=keys_from)
        return (
            travel.one_by_one("j", f"{label} arriving", keys_from, here, into),
            travel.one_by_one("j", f"{label} leaving", keys_from, here, out),
        )

    def _keys(self, at: int, rows_from: int, keys_from: int, around: tuple[str, ...]) -> Nodes:
        """Write a station's loop over keys and what is inside it."""
        station, label = self.stations[at], self._label("j", at)
        here = station.passing_level
        inner = self._pairs() if at + 1 == len(self.stations) else None
        if inner is None:
            inner = self.rows(at + 1, rows_from, here, (*around, label))
        arrive, leave = self._keys_travel(at, keys_from)
        return passing_loop("j", self.stations, at, label, arrive, inner, leave)

    def _pairs(self) -> Nodes:
        """Work on the rows in level 1 with a key, row by row."""
        work = compute("S"), compute("P", "S"), compute("l"), compute("U"), self.travel.drop("P")
        return loop("i", 1, *work, label="row")

    def _label(self, axis: str, at: int) -> str:
        if at and at + 1 == len(self.stations):
            return {"i": "block", "j": "key"}[axis]
        return axis if at == 0 else f"{axis}{at + 1}"
