"""What the machine asks of its storage where there are several memory levels."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pebble.program.counting.state import CurrentBox, State

if TYPE_CHECKING:
    from pebble.program.nodes import Operation

__all__ = ["ComputedPart", "LevelPart", "LevelStorage"]


class LevelStorage(State):
    """The storage of one run with several memory levels.

    A computed word takes room at every level of an inclusive hierarchy, but has its value only where it was computed
    until it is stored outwards: what a level holds and what it has the value of differ.

    Attributes
    ----------
    levels : int
        Levels whose room is bounded; the memory beyond them has room for everything.
    inclusive : bool
    measured : int
        The level whose words are counted.
    acting : Operation or None
        The operation that asks for boxes.
    """

    levels: int
    inclusive: bool
    measured: int
    acting: Operation | None = None


class LevelPart(CurrentBox):
    """The current box of an array at one level, with the next level out as its slow memory."""

    __slots__ = ()

    @abstractmethod
    def values(self) -> int | None:
        """Words of the box whose value the level has; None if it lacks some."""

    @abstractmethod
    def is_held_within(self) -> bool:
        """Whether the next level in holds any of the box."""

    @abstractmethod
    def next_absent(self) -> int | None:
        """Words that the next level out lacks, if it is bounded; None if it has another partial result."""


class ComputedPart(CurrentBox):
    """The current box of an array where it is computed: placed at every level that computing places words in."""

    __slots__ = ()

    @abstractmethod
    def other_in_level_1(self, progress: int) -> list[int]:
        """What level 1 holds that has not got exactly so far, as sorted progress."""
