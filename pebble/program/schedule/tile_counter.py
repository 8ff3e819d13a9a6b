"""What many programs of a schedule move and need, each counted once: those that look alike together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pebble.common.errors import InvalidInput, TooManyOperations
from pebble.program.counting.measure import MOST
from pebble.program.counting.texts import read, unnamed
from pebble.program.nodes import Program
from pebble.program.schedule.tile_demands import NO_DEMANDS, TileDemands

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.computations.problem import Problem
    from pebble.program.schedule.tiled_programs import TiledPrograms

    Whole = NDArray[np.int64]
    Row: TypeAlias = tuple[int, ...]
    Key: TypeAlias = tuple[bool, int, object]

MOST_BOXES = 2**21
"""Boxes that are looked at for some programs together; of one that has more nothing is known."""
_MOST_KNOWN = 20_000
"""Programs of one problem of which is known what they move."""
NEVER = MOST
"""Words and room of sizes without a program."""


class Kind:
    """A schedule; those of one class are the same where they have no attributes of their own."""

    def __init__(self, schedule: TiledPrograms) -> None:
        self.schedule = schedule
        self.identity = schedule if vars(schedule) else type(schedule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.identity is other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def only(program: Program, phases: Sequence[int]) -> Program:
    """Return some phases of a program, and of that for each part of a mask."""
    own = tuple(program.phases[phase] for phase in phases if phase < len(program.phases))
    return Program(own, tuple(replace(part, program=only(part.program, phases)) for part in program.parts))


class _Known:
    """What has been counted of programs of one problem: schedules have phases in common.

    Parameters
    ----------
    by_name : bool
        Whether arrays of other names are other arrays, because demands may weigh them.
    """

    def __init__(self, by_name: bool) -> None:
        self._by_name = by_name
        self.found: dict[Key, tuple[int, int]] = {}
        self.by_tiles: dict[object, tuple[int, int]] = {}
        self.searched: dict[object, tuple[Row, tuple[int, int]]] = {}
        self._shapes: dict[object, int] = {}
        self._unnamed: dict[object, int] = {}

    def key(self, program: Program, family: Family) -> tuple[int, object]:
        """Return what tells programs apart: their text, by a number, and its sizes."""
        shape, sizes = read(program, family)
        if len(self.found) > _MOST_KNOWN:
            self.found.clear()
            self.by_tiles.clear()
        if shape not in self._shapes:
            look = shape if self._by_name else unnamed(shape, family)
            self._shapes[shape] = self._unnamed.setdefault(look, len(self._unnamed))
        return self._shapes[shape], sizes


@lru_cache(maxsize=32)
def known_of(problem: Problem, demands: TileDemands, family: Callable[[Problem], Family]) -> _Known:
    """Return what is known of the programs of a problem."""
    return _Known(by_name=demands is not NO_DEMANDS)


class TileCounter:
    """Counts programs of one schedule, with and without the mask."""

    def __init__(self, schedule: TiledPrograms, problem: Problem, demands: TileDemands) -> None:
        self.schedule, self.problem, self.demands = schedule, problem, demands
        self.gave_up, self._kind = False, Kind(schedule)
        self._families: dict[Problem, Family] = {}

    def _family(self, problem: Problem) -> Family:
        if problem not in self._families:
            self._families[problem] = self.schedule.family(problem)
        return self._families[problem]

    def count(
        self,
        problem: Problem,
        tiles: Sequence[dict[str, int]],
        *groups: Sequence[int] | None,
        words_only: bool = False,
    ) -> tuple[Whole, Whole]:
        """Return the words and the room of the phases of programs that each group shapes, group after group."""
        family, known = self._family(problem), known_of(problem, self.demands, self.schedule.family)
        asked = [[(words_only, self._kind, phases, *one.items()) for one in tiles] for phases in groups]
        unknown = {place for row in asked for place, key in enumerate(row) if key not in known.by_tiles}
        places, programs = [], []
        for place in sorted(unknown):
            with suppress(InvalidInput):
                program = self.schedule.program(problem, tiles[place])
                if self.demands.allow(program, family):
                    programs.append(program)
                    places.append(place)
        for row in asked:
            known.by_tiles.update((row[place], (NEVER, NEVER)) for place in unknown.difference(places))
        for written in programs[:1]:
            self._check_written(written)
        for row, phases in zip(asked, groups, strict=True) if programs else ():
            texts = [only(one, phases) for one in programs] if phases else programs
            keys = [(words_only, *known.key(one, family)) for one in texts]
            if new := {key: one for key, one in zip(keys, texts, strict=True) if key not in known.found}:
                self._note(list(new), list(new.values()), family, known.found)
            known.by_tiles.update(
                (row[place], known.found[key])
                for place, key in zip(places, keys, strict=True)
                if key in known.found
            )
        never = NEVER, NEVER  # also for programs with too many boxes
        found = np.array([known.by_tiles.get(key, never) for row in asked for key in row], dtype=np.int64)
        words, room = found.reshape(-1, 2).T
        return words, room

    def _check_written(self, program: Program) -> None:
        for text in [part.program for part in program.parts] or [program]:
            if any(phase.generate is not None for phase in text.phases):
                raise InvalidInput(
                    f"{self.schedule.name}: a phase of this schedule generates its operations, so tiles "
                    "cannot be chosen automatically; give the tiles"
                )

    def _note(
        self, keys: list[Key], texts: list[Program], family: Family, found: dict[Key, tuple[int, int]]
    ) -> None:
        """Note what programs move and need; nothing for those with too many boxes."""
        try:
            if keys[0][0]:
                words = self.demands.words(texts, family, MOST_BOXES)
                room = np.full_like(words, NEVER)
            else:
                words, room = self.demands.measure(texts, family, MOST_BOXES)
            found.update(zip(keys, zip(words.tolist(), room.tolist(), strict=True), strict=True))
        except TooManyOperations:
            half = len(texts) // 2
            self.gave_up |= not half
            for some in (slice(0, half), slice(half, None)) if half else ():
                self._note(keys[some], texts[some], family, found)
