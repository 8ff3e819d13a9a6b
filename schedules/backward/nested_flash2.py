"""FlashAttention-2's backward pass nested: a tile of keys stays in level 2, and parts of it take turns in level 1."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Hierarchy, Nodes, Program, Tiles, compute, loop, phase, program
from schedules._levels import Station, Travel, once_begun, passing_loop
from schedules._nested import Nested

__all__ = ["NestedFlash2Backward"]

_ROW = ("Q", "dO", "l", "D")


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

    def line_words(self, problem: Problem) -> tuple[int, int]:
        """Return the words of a key with its value and both gradients; of a query with dO, dQ, l and D."""
        return 2 * (problem.d + problem.dv), 2 * problem.d + problem.dv + 2

    def boundary_words(self, problem: Problem, before: tuple[int, int], through: tuple[int, int]) -> int:
        """Return the words at a boundary: keys once for each tile of rows, rows once for each tile of keys."""
        Nq, d, width = problem.Nq, problem.d, problem.d + problem.dv
        keys = problem.Nk * width * (3 * before[1] - 1)
        return Nq * (2 * problem.dv + 1) + keys + Nq * ((width + 2) * through[0] + d * (2 * through[0] - 1))

    def program(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> Program:
        """Write the program."""
        self.require_levels(hierarchy)
        stations = self.stations(problem, self.check_tiles(tiles), hierarchy.levels)
        slow, travel = hierarchy.levels + 1, Travel(hierarchy.levels, hierarchy.inclusive)
        into, out = travel.bring("dO", "O", start=slow, to=1), travel.let_go("dO", "O", start=1, to=slow)
        entry = loop("e", 1, into, compute("D"), out)
        sums = loop("i", 1, entry, travel.send("D", start=1, to=slow))
        nest = _BackwardWriter(stations, travel, problem.mask is not None).keys(0, slow, slow, (), ())
        return program(phase("D, row sums of dO∘O", sums), phase("dQ, dK and dV", nest))


class _BackwardWriter:
    """Writes the loops of the stations, one inside the other."""

    def __init__(self, stations: list[Station], travel: Travel, masked: bool) -> None:
        self.stations, self.travel, self.masked = stations, travel, masked

    def keys(
        self, at: int, keys_from: int, rows_from: int, rows: tuple[str, ...], keys: tuple[str, ...]
    ) -> Nodes:
        """Write a station's loop over keys, inside loops over rows and keys with these labels."""
        station = self.stations[at]
        if not station.resident:
            return self._rows(at, keys_from, rows_from, rows, keys)
        here, travel, label = station.resident_level, self.travel, self._label("j", at)

        def pass_on(what: str, *body: Nodes) -> Nodes:
            return travel.one_by_one("j", f"{label} {what}", keys_from, here, *body)

        if not station.passing:
            arrive, depart = self._rows_travel(at, rows_from, keys)
            inner = self.keys(at + 1, here, station.passing_level, rows, (*keys, label))
        else:
            arrive = depart = None
            inner = self._rows(at, here, rows_from, rows, (*keys, label))
        out = (
            travel.send("dK", "dV", start=here, to=keys_from),
            travel.let_go("K", "V", start=here, to=keys_from),
        )
        nest = loop(
            "j",
            station.resident,
            pass_on("arriving", travel.bring("K", "V", start=keys_from, to=here)),
            once_begun(
                rows,
                self.masked,
                pass_on("again", travel.bring("dK", "dV", start=keys_from, to=here, moved=True)),
            ),
            inner,
            pass_on("leaving", out),
            label=label,
        )
        return arrive, nest, depart

    def _rows_travel(self, at: int, rows_from: int, keys: tuple[str, ...]) -> tuple[Nodes, Nodes]:
        """Bring rows to a station's level, with dQ if loops over keys have begun it; send that out, let the rows go."""
        here, travel, label = self.stations[at].passing_level, self.travel, self._label("i", at)

        def pass_on(what: str, *body: Nodes) -> Nodes:
            return travel.one_by_one("i", f"{label} {what}", rows_from, here, *body)

        begun = pass_on("again", travel.bring("dQ", start=rows_from, to=here, moved=True))
        into = (
            pass_on("arriving", travel.bring(*_ROW, start=rows_from, to=here)),
            once_begun(keys, self.masked, begun),
        )
        out = travel.send("dQ", start=here, to=rows_from), travel.let_go(*_ROW, start=here, to=rows_from)
        return into, pass_on("leaving", out)

    def _rows(
        self, at: int, keys_from: int, rows_from: int, rows: tuple[str, ...], keys: tuple[str, ...]
    ) -> Nodes:
        """Write a station's loop over rows and what is inside it."""
        station, label = self.stations[at], self._label("i", at)
        here = station.passing_level
        if at + 1 == len(self.stations):
            inner = self._pairs()
        else:
            inner = self.keys(at + 1, keys_from, here, (*rows, label), keys)
        arrive, leave = self._rows_travel(at, rows_from, keys)
        return passing_loop("i", self.stations, at, label, arrive, inner, leave)

    def _pairs(self) -> Nodes:
        """Work on a row with the keys in level 1, key by key."""
        return loop(
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

    def _label(self, axis: str, at: int) -> str:
        if at and at + 1 == len(self.stations):
            return {"i": "row", "j": "block"}[axis]
        return axis if at == 0 else f"{axis}{at + 1}"
