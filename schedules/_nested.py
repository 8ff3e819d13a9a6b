"""What the two passes of nested-flash-2 share: their tiles, and the room and the words that these need."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from pebble import InvalidInput, Problem
from pebble.program import Hierarchy, LevelSchedule, Tiles
from schedules._levels import Station, even, tile_lengths, tiles_in_all

__all__ = ["Nested"]

_CHOICES, _OUTER_CHOICES = 300, 12
_SHORT = 1024
"""On axes up to so long tiles need not repeat under a mask."""
_SMALLER = 3
"""So many lengths of a block are tried, from the longest down."""


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

    @abstractmethod
    def line_words(self, problem: Problem) -> tuple[int, int]:
        """Return the words of a line that stays and of one that passes."""

    @abstractmethod
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

    def lengths(self, problem: Problem) -> tuple[int, int]:
        """Return how many lines stay and how many pass."""
        return (problem.Nq, problem.Nk) if self.resident == "rows" else (problem.Nk, problem.Nq)

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
