"""Nests of tiles by role: one side stays, the other passes, at several levels one inside the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, TypeAlias

from pebble import InvalidInput, Problem
from pebble.program import Hierarchy, LevelSchedule, Nodes, Phase, Program, Tiles, loop, phase, program
from schedules._levels import Station, Travel, even, once_begun, passing_loop, tile_lengths, tiles_in_all
from schedules._roles import row_words

_ONE = {"i": "row", "j": "key"}
_CHOICES, _OUTER_CHOICES = 300, 12
_SHORT = 1024
"""On axes up to so long tiles need not repeat under a mask."""
_SMALLER = 3
"""Number of block lengths tried, from the longest down."""


PassOn: TypeAlias = Callable[..., Nodes]
"""Lets lines of a tile come or go, given what that is called and the moves: all at once, in parts, or one by one."""


class Nested(LevelSchedule):
    """Tiles of one side stay while tiles of the other pass by, at several levels one inside the other.

    The side that stays is the queries forward, the keys backward. ``block`` is the length of its parts in level 1;
    without it, its tile of level 2 is in level 1, and level 2 passes the other side on. ``rows3`` and ``cols3`` are
    tiles in a third level; without them it passes everything on. Where the length of the side that passes is left out,
    all of it comes once and stays in the level to the end.
    """

    tile_names = ("rows", "cols", "block", "rows3", "cols3")
    levels = (2, 3)
    resident: ClassVar[str]
    """Name of the tiles of the side that stays."""
    passing: ClassVar[str]
    transient: ClassVar[int]
    """Words that one step needs besides the lines."""
    axes: ClassVar[tuple[str, str]]
    """Of the side that stays, and of the one that passes."""
    stays: ClassVar[tuple[str, ...]]
    """What a line that stays is read of; ``sums`` is what it adds up."""
    sums: ClassVar[tuple[str, ...]]
    passes_by: ClassVar[tuple[str, ...]]
    """The same of a line that passes."""
    sums_passing: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""

    @abstractmethod
    def pair(self, travel: Travel) -> Nodes:
        """Write the work on a line of each side, all in level 1."""

    def first_phases(self, travel: Travel, slow: int) -> tuple[Phase, ...]:
        """Write what comes before the nest."""
        return ()

    def first_words(self, problem: Problem) -> int:
        """Return the words that move before the nest, through every boundary."""
        return 0

    def end(
        self, problem: Problem, travel: Travel, here: int, start: int, around: Sequence[str], pass_on: PassOn
    ) -> Nodes:
        """Write how lines that stayed at level ``here`` go back to ``start``."""
        return pass_on(
            "leaving",
            travel.send(*self.sums, start=here, to=start),
            travel.let_go(*self.stays, start=here, to=start),
        )

    def block(self, problem: Problem, inside: Sequence[Station], around: Sequence[str]) -> int:
        """Return in parts of how many lines a tile comes and goes; 0 for all at once."""
        return 0

    def program(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> Program:
        """Write the program."""
        self.require_levels(hierarchy)
        stations = self.stations(problem, self.check_tiles(tiles), hierarchy.levels)
        travel, slow = Travel(hierarchy.levels, hierarchy.inclusive), hierarchy.levels + 1
        nest = _Writer(self, problem, stations, travel).stays(0, slow, slow, (), ())
        return program(*self.first_phases(travel, slow), phase(self.title, nest))

    def line_words(self, problem: Problem) -> tuple[int, int]:
        """Return the words of a line that stays and of one that passes."""
        passing = row_words(problem, *self.passes_by, *self.sums_passing)
        return row_words(problem, *self.stays, *self.sums), passing

    def boundary_words(self, problem: Problem, before: tuple[int, int], through: tuple[int, int]) -> int:
        """Return the words at a boundary.

        Parameters
        ----------
        before : (int, int)
            How many tiles of either side there are in all in the loops around the one that brings a line that stays
            through the boundary.
        through : (int, int)
            The same of a line that passes.
        """
        (stay, pass_by), times, sweeps = self.lengths(problem), before[1], through[0]
        line = row_words(problem, *self.stays) * times + row_words(problem, *self.sums) * 2 * (times - 1)
        passing = row_words(problem, *self.passes_by) * sweeps
        passing += row_words(problem, *self.sums_passing) * (2 * sweeps - 1)
        outputs = [one.name for one in self.family(problem).outputs if self.axes[0] in one.axes]
        return (line + row_words(problem, *outputs)) * stay + passing * pass_by + self.first_words(problem)

    def lengths(self, problem: Problem) -> tuple[int, int]:
        """Return how many lines stay and how many pass."""
        return (problem.Nq, problem.Nk) if self.axes[0] == "i" else (problem.Nk, problem.Nq)

    def stations(self, problem: Problem, tiles: Tiles, levels: int) -> list[Station]:
        """Return the loops of tiles, the outermost first."""
        resident, passing = tiles[self.resident], tiles.get(self.passing, 0)
        found = []
        if levels < 3 and ("rows3" in tiles or "cols3" in tiles):
            raise InvalidInput(f"{self.name}: rows3 and cols3 are for a third memory level; leave them out")
        if "rows3" in tiles or "cols3" in tiles:
            far = tiles.get(f"{self.resident}3", self.lengths(problem)[0])
            found.append(Station(far, tiles.get(f"{self.passing}3", 0), 3, 3))
        if "block" in tiles:
            return [*found, Station(resident, passing, 2, 2), Station(tiles["block"], 1, 1, 1)]
        return [*found, Station(resident, passing, 1, 2), Station(0, 1, 1, 1)]

    def smallest(self, problem: Problem, hierarchy: Hierarchy) -> Tiles:
        """Return one line of each side; what stays does in level 1."""
        return {"rows": 1, "cols": 1}

    def room(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that tiles need at each level; a few fewer where the problem is tiny."""
        stations, (stays, passes) = self.stations(problem, tiles, hierarchy.levels), self.line_words(problem)
        lengths, needs = self.lengths(problem), []
        for level in range(1, hierarchy.levels + 1):
            resident = [
                s.resident for s in stations if s.resident and self._in(s.resident_level, level, hierarchy)
            ]
            passing = [
                s.passing or lengths[1] for s in stations if self._in(s.passing_level, level, hierarchy)
            ]
            words = (
                min(max(resident, default=0), lengths[0]) * stays
                + min(max(passing, default=0), lengths[1]) * passes
            )
            if level == 1 or hierarchy.inclusive:
                words += self.transient
            elif not resident and any(not s.passing for s in stations if s.passing_level == level):
                words += problem.d + problem.dv
            needs.append(max(words, passes))
        return tuple(needs)

    @staticmethod
    def _in(station: int, level: int, hierarchy: Hierarchy) -> bool:
        return station <= level if hierarchy.inclusive else station == level

    def words(self, problem: Problem, tiles: Tiles, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the words that move at each boundary."""
        stations, (stay, pass_by) = self.stations(problem, tiles, hierarchy.levels), self.lengths(problem)
        moved = []
        for level in range(1, hierarchy.levels + 1):
            one = next(at for at, s in enumerate(stations) if s.resident_level <= level)
            other = next(at for at, s in enumerate(stations) if s.passing_level <= level)
            residents, passers = [s.resident for s in stations], [s.passing for s in stations]
            before = tiles_in_all(stay, residents[:one]), tiles_in_all(pass_by, passers[:one])
            inside = other + 1 if passers[other] else other
            through = tiles_in_all(stay, residents[:inside]), tiles_in_all(pass_by, passers[:other])
            moved.append(self.boundary_words(problem, before, through))
        return tuple(moved)

    def candidates(self, problem: Problem, hierarchy: Hierarchy) -> Iterator[Tiles]:
        """Yield tiles of many lengths, each with as many lines of the other side as fit beside them."""
        for tiles in self._two_levels(problem, hierarchy):
            if hierarchy.levels == 2:
                yield tiles
            else:
                yield from self._with_third(problem, hierarchy, tiles)

    def repeating(self, problem: Problem, tiles: Tiles) -> Iterator[Tiles]:
        """Yield tiles in which blocks fill the tile that stays, and one side's tile is a multiple of the other's."""
        far, near = f"{self.resident}3", f"{self.passing}3"
        if near in tiles and far in tiles:
            yield {**tiles, near: _fitting(tiles[far], tiles[near])}
            return
        if self.passing not in tiles or far in tiles or near in tiles:
            yield tiles
            return
        resident, passing, block = tiles[self.resident], tiles[self.passing], tiles.get("block")
        if max(problem.Nq, problem.Nk) <= _SHORT:
            yield tiles
        blocks = 1 if block is None else -(-resident // block)
        for part in range(resident // blocks, max(0, resident // blocks - _SMALLER), -1):
            whole = part * blocks
            found = {**tiles, self.resident: whole, self.passing: _fitting(whole, passing)}
            yield found if block is None else found | {"block": part}

    def _two_levels(self, problem: Problem, hierarchy: Hierarchy) -> Iterator[dict[str, int]]:
        stays, passes = self.line_words(problem)
        (stay, pass_by), (inner, outer) = self.lengths(problem), hierarchy.capacities[:2]
        assert inner is not None
        assert outer is not None
        most = (inner - self.transient - passes) // stays
        room = outer - (self.transient if hierarchy.inclusive else 0)
        within = min(most, (room - passes) // stays) if hierarchy.inclusive else most
        if within >= 1:
            yield {self.resident: even(stay, within), self.passing: 1}
        beside_all = min(most, (room - pass_by * passes) // stays) if hierarchy.inclusive else most
        if beside_all >= 1:
            yield {self.resident: even(stay, beside_all)}
        if most < 1:
            return
        near = _CHOICES if hierarchy.levels == 2 else _CHOICES // 8
        for length in tile_lengths(stay, (room - passes) // stays, most, near):
            beside = min(pass_by, (room - length * stays) // passes)
            if beside >= 1:
                yield {
                    self.resident: length,
                    self.passing: even(pass_by, beside),
                    "block": even(length, most),
                }

    def _with_third(self, problem: Problem, hierarchy: Hierarchy, tiles: dict[str, int]) -> Iterator[Tiles]:
        """Yield tiles with some for a third level."""
        words, (stays, passes) = hierarchy.capacities[2], self.line_words(problem)
        stay, pass_by = self.lengths(problem)
        assert words is not None
        room = words - (self.transient if hierarchy.inclusive else 0)
        yield tiles
        if self.passing not in tiles:
            return
        yield tiles | {f"{self.resident}3": tiles[self.resident]}
        for passing in tile_lengths(
            pass_by, (room - tiles[self.resident] * stays) // passes, 0, _OUTER_CHOICES, 1.5
        ):
            resident = min(stay, (room - passing * passes) // stays)
            if resident >= tiles[self.resident] and passing >= tiles[self.passing]:
                whole = resident // tiles[self.resident] * tiles[self.resident]
                yield tiles | {f"{self.resident}3": whole, f"{self.passing}3": passing}


def _fitting(whole: int, most: int) -> int:
    """Return the longest tile, at most so long, that is a multiple of another or a part of it."""
    if most >= whole:
        return most // whole * whole
    return max(size for size in range(1, most + 1) if whole % size == 0)


class _Writer:
    """Writes the loops of the stations, one inside the other."""

    def __init__(self, schedule: Nested, problem: Problem, stations: list[Station], travel: Travel) -> None:
        self.of, self.problem, self.stations, self.travel = schedule, problem, stations, travel
        self.masked = problem.mask is not None

    def stays(
        self, at: int, start: int, other: int, around: tuple[str, ...], outside: tuple[str, ...]
    ) -> Nodes:
        """Write a station's loop over lines that stay, which come from level ``start``; the others from ``other``.

        ``around`` and ``outside`` are the labels of the loops over the passing and the staying side around it.
        """
        station, of, travel = self.stations[at], self.of, self.travel
        if not station.resident:
            return self._passes(at, start, other, around, outside)
        here, axis = station.resident_level, of.axes[0]
        label, block = self._label(axis, at), of.block(self.problem, self.stations[at + 1 :], around)

        def pass_on(what: str, *body: Nodes) -> Nodes:
            if block:
                return loop(axis, block, *body, label=f"{label} {what}")
            return travel.one_by_one(axis, f"{label} {what}", start, here, *body)

        arrive, leave = (None, None) if station.passing else self._ways(at, other, outside)
        inner = (
            self._passes(at, here, other, around, (*outside, label))
            if station.passing
            else self.stays(at + 1, here, station.passing_level, around, (*outside, label))
        )
        begun = pass_on("again", travel.bring(*of.sums, start=start, to=here, moved=True))
        nest = loop(
            axis,
            station.resident,
            pass_on("arriving", travel.bring(*of.stays, start=start, to=here)),
            once_begun(around, self.masked, begun),
            inner,
            of.end(self.problem, travel, here, start, around, pass_on),
            label=label,
        )
        return arrive, nest, leave

    def _ways(self, at: int, start: int, outside: tuple[str, ...]) -> tuple[Nodes, Nodes]:
        """Bring lines that pass to a station's level, with sums that loops outside have begun; send these back."""
        of, travel, here, axis = self.of, self.travel, self.stations[at].passing_level, self.of.axes[1]
        label = self._label(axis, at)

        def pass_on(what: str, *body: Nodes) -> Nodes:
            return travel.one_by_one(axis, f"{label} {what}", start, here, *body)

        into: Nodes = pass_on("arriving", travel.bring(*of.passes_by, start=start, to=here))
        if of.sums_passing:
            begun = pass_on("again", travel.bring(*of.sums_passing, start=start, to=here, moved=True))
            into = into, once_begun(outside, self.masked, begun)
        sent = travel.send(*of.sums_passing, start=here, to=start)
        return into, pass_on("leaving", sent, travel.let_go(*of.passes_by, start=here, to=start))

    def _passes(
        self, at: int, start: int, other: int, around: tuple[str, ...], outside: tuple[str, ...]
    ) -> Nodes:
        """Write a station's loop over lines that pass, and what is inside it."""
        (axis, passing), here = self.of.axes, self.stations[at].passing_level
        label = self._label(passing, at)
        if at + 1 == len(self.stations):
            inner: Nodes = loop(axis, 1, self.of.pair(self.travel), label=_ONE[axis])
        else:
            inner = self.stays(at + 1, start, here, (*around, label), outside)
        arrive, leave = self._ways(at, other, outside)
        return passing_loop(passing, self.stations, at, label, arrive, inner, leave)

    def _label(self, axis: str, at: int) -> str:
        if at and at + 1 == len(self.stations):
            return "block" if axis == self.of.axes[0] else _ONE[axis]
        return axis if at == 0 else f"{axis}{at + 1}"
