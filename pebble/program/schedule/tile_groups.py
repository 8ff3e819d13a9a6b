"""The tile sizes that belong together, because they shape the same phases of a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pebble.computations.problem import Problem
    from pebble.program.schedule.tiled_programs import TiledPrograms, Tiles


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
        Numbers of the phases; none for all.
    """

    cuts: tuple[str, ...]
    resident: tuple[str, ...]
    phases: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All its tile sizes."""
        return self.cuts + self.resident


def switches(schedule: TiledPrograms, least: Tiles, greatest: Tiles) -> Iterator[dict[str, int]]:
    """Yield every setting of the tiles that are zero or one and cut no axis, such as ``sums_first``."""
    names = [name for name in least if not schedule.axis_of(name) and greatest[name] == 1 and not least[name]]
    for values in product((0, 1), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def tile_groups(schedule: TiledPrograms, problem: Problem, base: Tiles, greatest: Tiles) -> list[TileGroup]:
    """Return the groups of the tile sizes that may differ from those in ``base``, the smallest tiles.

    Tile sizes that change nothing in the program, be the others as in ``base`` or their greatest, are in no group.
    """
    least = {name: int(name not in schedule.may_be_zero) for name in base}
    names = [name for name in base if least[name] < greatest[name] and greatest[name] > 1]
    groups: list[tuple[set[str], set[int]]] = []
    large = {name: greatest[name] for name in base}
    for name in names:
        values = least[name], greatest[name]
        phases = _differ(schedule, problem, base, name, values) or _differ(
            schedule, problem, large, name, values
        )
        if phases:
            same = [group for group in groups if group[1] & phases]
            groups = [group for group in groups if group not in same]
            groups.append(({name}.union(*(one for one, _ in same)), phases.union(*(one for _, one in same))))
    return [group_of(schedule, [name for name in names if name in own], phases) for own, phases in groups]


def group_of(schedule: TiledPrograms, names: Iterable[str], phases: Iterable[int] = ()) -> TileGroup:
    """Return the group of some tile sizes; those that may be zero come last."""
    zero_last = sorted(names, key=schedule.may_be_zero.__contains__)
    resident = tuple(name for name in zero_last if name in schedule.resident_tiles)
    return TileGroup(
        tuple(name for name in zero_last if name not in resident), resident, tuple(sorted(phases))
    )


def _differ(
    schedule: TiledPrograms, problem: Problem, tiles: Tiles, name: str, values: tuple[int, int]
) -> set[int]:
    """Return the phases that differ between two values of a tile size; none where the tiles exclude each other."""
    with suppress(InvalidInput):
        one, other = (schedule.program(problem, {**tiles, name: value}).numbered for value in values)
        if len(one) != len(other):
            return set(range(max(len(one), len(other))))
        return {number for number, (a, b) in enumerate(zip(one, other, strict=True)) if a != b}
    return set()
