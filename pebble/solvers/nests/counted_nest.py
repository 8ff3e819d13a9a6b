"""A schedule of a loop nest with what it moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pebble.common.plain import PlainRow
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves

__all__ = ["NestSchedule"]


@dataclass(frozen=True)
class NestSchedule(PlainRow):
    """A schedule of a loop nest, its words counted by the machine or by the replay.

    Attributes
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    reads, writes : int
        Words loaded and stored.
    peak : int
        Most words in fast memory at any time, at most M.
    program : str
        The schedule as text: a program, or how the vertices are ordered.
    """

    KEYS = "io reads writes peak program"

    nest: LoopNest
    M: int
    reads: int
    writes: int
    peak: int
    program: str
    _moves: Callable[[], Iterator[Moves]] = field(repr=False, compare=False)

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes

    def moves(self) -> Iterator[Moves]:
        """Yield the moves of the elementary game on the nest's DAG, made anew each time."""
        return self._moves()
