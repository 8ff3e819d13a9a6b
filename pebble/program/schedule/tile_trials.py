"""Trials of tiles under a mask: the words that they move, and the room that they need."""

from __future__ import annotations

from pebble.common.errors import CacheTooSmall, NoClosedForm
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.problem import Problem
from pebble.program.closed_forms.count import words_moved
from pebble.program.machine.foretold_runs import foretold_runs
from pebble.program.machine.foretold_tiles import foretold_tiles
from pebble.program.machine.run import fits
from pebble.program.nodes import Program
from pebble.program.schedule.block_cuts import BLOCK, own_sizes
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.tile_groups import TileGroup

__all__ = ["Trials", "too_small"]


class Trials:
    """What a schedule moves with given tiles, by closed form, and the room that they need, by the machine.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
    M : int
        Words of fast memory.

    Attributes
    ----------
    block : int
        All tiles that are tried are cut at its multiples; 0: at none.
    """

    def __init__(self, schedule: Schedule, problem: Problem, M: int) -> None:
        self.schedule, self.problem, self.M = schedule, problem, M
        self.family = schedule.family(problem)
        self.greatest = dict(schedule.greatest(problem))
        self.block = 0
        self._plain = problem.without_mask()
        self._rooms: dict[tuple[tuple[str, int], ...], int] = {}
        self._words: dict[tuple[tuple[tuple[str, int], ...], TileGroup | None], int] = {}

    def cut(self, tiles: Tiles) -> dict[str, int]:
        """Return tiles with the block at whose multiples they are cut, if they are."""
        return {**tiles, **({BLOCK: self.block} if self.block else {})}

    def program(self, tiles: Tiles) -> Program:
        """Return the program under the mask."""
        return self.schedule.program(self.problem, self.cut(tiles))

    def peak(self, tiles: Tiles) -> int:
        """Words of fast memory that the machine measures under the mask."""
        return self.schedule.measure(self.problem, self.cut(tiles)).peak

    def fits(self, tiles: Tiles) -> bool:
        """Whether the machine gets through under the mask with M words; told soon where it does not."""
        return fits(self.program(tiles), self.family, self.M)

    def plain_peak(self, tiles: Tiles) -> int:
        """Words of fast memory without the mask: told quickly, and about as many unless tiles of S stay."""
        plain = own_sizes(tiles)
        key = tuple(plain.items())
        if key not in self._rooms:
            self._rooms[key] = self.schedule.room_told(self._plain, plain)
        return self._rooms[key]

    def foretold(self, tiles: Tiles, group: TileGroup | None = None) -> int:
        """About how many tiles the machine looks at under a butterfly, or blocks that repeat; 0 under other masks."""
        mask, phases = self.problem.allowed, None if group is None else group.phases
        if not isinstance(mask, BlockToeplitzMask | ButterflyMask):
            return 0
        foretold = foretold_runs if isinstance(mask, ButterflyMask) else foretold_tiles
        return foretold(self.program(tiles), self.family, phases)

    def words(self, tiles: Tiles, group: TileGroup | None = None) -> int:
        """Words that the program moves, or those phases of it that a group shapes."""
        key = tuple(self.cut(tiles).items()), group
        if key not in self._words:
            self._words[key] = self._counted(tiles, group)
        return self._words[key]

    def _counted(self, tiles: Tiles, group: TileGroup | None) -> int:
        if group is None:
            return self.schedule.words(self.problem, self.cut(tiles))
        try:
            return words_moved(self.program(tiles), self.family, group.phases)
        except NoClosedForm:
            return self.schedule.measure(self.problem, self.cut(tiles)).io


def too_small(schedule: Schedule, least: int, M: int) -> CacheTooSmall:
    """Return the error that says how many words a schedule needs under a mask."""
    return CacheTooSmall(
        f"{schedule.name} needs at least {least} words of fast memory under this mask; M is {M}", least
    )
