"""The tile sizes that belong together, because they shape the same phases of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.nodes import Program
from pebble.program.schedule.schedule import Schedule, Tiles

__all__ = ["TileGroup", "switches", "tile_groups", "whole_group"]


@dataclass(frozen=True)
class TileGroup:
    """Tile sizes that shape the same phases, which no other tile size shapes.

    Parameters
    ----------
    cuts : tuple of str
        Sizes of tiles.
    resident : tuple of str
        Numbers of lines that stay in fast memory, see :attr:`Schedule.resident_tiles`.
    phases : tuple of int
        Numbers of the phases.
    """

    cuts: tuple[str, ...]
    resident: tuple[str, ...]
    phases: tuple[int, ...]

    @classmethod
    def of(cls, schedule, names, phases):
        return _group(schedule, list(names), set(names), phases)

    @property
    def names(self) -> tuple[str, ...]:
        """All its tile sizes."""
        return self.cuts + self.resident


def switches(schedule: Schedule, least: Tiles, greatest: Tiles) -> Iterator[dict[str, int]]:
    """Yield every setting of the tiles that are zero or one and cut no axis, such as ``sums_first``."""
    names = [name for name in least if not schedule.axis_of(name) and greatest[name] == 1 and not least[name]]
    for values in product((0, 1), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def tile_groups(schedule: Schedule, problem: Problem, base: Tiles, greatest: Tiles) -> list[TileGroup]:
    """Return the groups of the tile sizes that may be larger than in ``base``, the smallest tiles.

    Tile sizes that change nothing in the program, be the others as in ``base`` or their greatest, are in no group.
    """
    names = [name for name in base if int(name not in schedule.may_be_zero) < greatest[name]]
    program = schedule.program(problem, base)
    touched = {name: _touched(schedule, problem, base, name, greatest[name], program) for name in names}
    for name in names:
        if not touched[name]:
            touched[name] = _touched_at_most(schedule, problem, base, name, greatest, len(program.numbered))
    groups: list[tuple[set[str], set[int]]] = []
    for name in names:
        if not touched[name]:
            continue
        own: tuple[set[str], set[int]] = ({name}, set(touched[name]))
        apart = []
        for group in groups:
            if group[1] & own[1]:
                own = (own[0] | group[0], own[1] | group[1])
            else:
                apart.append(group)
        groups = [*apart, own]
    return [_group(schedule, names, *group) for group in groups]


def whole_group(schedule: Schedule, problem: Problem, base: Tiles) -> TileGroup:
    """Return one group of all tile sizes, for schedules whose sizes depend on each other."""
    return _group(schedule, list(base), set(base), set(range(len(schedule.program(problem, base).numbered))))


def _group(schedule: Schedule, order: list[str], names: set[str], phases: set[int]) -> TileGroup:
    zero_last = sorted((name for name in order if name in names), key=schedule.may_be_zero.__contains__)
    resident = tuple(name for name in zero_last if name in schedule.resident_tiles)
    cuts = tuple(name for name in zero_last if name not in resident)
    return TileGroup(cuts, resident, tuple(sorted(phases)))


def _touched(
    schedule: Schedule, problem: Problem, base: Tiles, name: str, most: int, program: Program
) -> set[int]:
    """Return the phases that a tile size shapes."""
    found: set[int] = set()
    for size in {1, min(2, most), most} - {base[name]}:
        other = schedule.program(problem, {**base, name: size})
        if len(other.numbered) != len(program.numbered):
            return set(range(max(len(other.numbered), len(program.numbered))))
        pairs = enumerate(zip(program.numbered, other.numbered, strict=True))
        found |= {number for number, (one, two) in pairs if one != two}
    return found


def _touched_at_most(
    schedule: Schedule, problem: Problem, base: Tiles, name: str, greatest: Tiles, phases: int
) -> set[int]:
    """Return the phases that a tile size shapes where the others are their greatest."""
    large = {other: greatest[other] for other in base} | {name: base[name]}
    try:
        program = schedule.program(problem, large)
        found = _touched(schedule, problem, large, name, greatest[name], program)
    except InvalidInput:  # such tiles exclude each other
        return set()
    return found if len(program.numbered) == phases or not found else set(range(phases))
