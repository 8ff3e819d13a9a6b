"""What the machine asks of its storage: how far every array has got in fast and in slow memory, box by box."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.program.nodes import Interval, Loop

__all__ = ["FAST", "SLOW", "CurrentBox", "State"]

FAST, SLOW = 0, 1
"""The two memories, as indices of a state."""


class CurrentBox(ABC):
    """The current box of an array in both memories.

    *Progress* is the number of steps a chain has got to, 1 for an array without a chain; 0: nothing is there.

    Attributes
    ----------
    words : int
        Words of the box, whatever the memories hold of it.
    """

    __slots__ = ("words",)

    words: int

    # Questions: nothing is changed

    @abstractmethod
    def held(self, memory: int) -> int | None:
        """Words that a memory holds of the box; None if it lacks some."""

    @abstractmethod
    def absent(self) -> int | None:
        """Words that fast memory lacks and slow memory has; None if fast memory has another partial result."""

    @abstractmethod
    def vacant(self) -> int:
        """Words of the box that are not in fast memory."""

    @abstractmethod
    def is_complete(self, memory: int) -> bool:
        """Whether a memory holds the final result of every element."""

    @abstractmethod
    def is_at(self, step: str, tile: Interval) -> bool:
        """Whether fast memory holds a chain's element at (``after``) or ``before`` a tile of one step, for its readers.

        Readers are on the lines that have the step; before its first step a line has nothing that could be read.
        """

    @abstractmethod
    def other_than(self, progress: int) -> list[int]:
        """What fast memory holds that has not got exactly so far, as sorted progress."""

    @abstractmethod
    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices that a chain computes on [start, stop), the words that begin, and the transient words.

        The transient word is the one more that a step takes before the step before it is deleted; it counts only
        if such a step comes after the last word that begins.
        """

    # Changes: what has been asked for is legal

    @abstractmethod
    def load(self) -> None:
        """Copy the box from slow to fast memory."""

    @abstractmethod
    def store(self) -> None:
        """Copy the box from fast to slow memory, where that has not got further already."""

    @abstractmethod
    def place(self, progress: int) -> None:
        """Note the box's progress in fast memory; 0 deletes it."""

    def reach(self, start: int, stop: int) -> None:
        """Note that a chain has got to ``stop``; or that a sum has absorbed the terms from ``start``."""
        self.place(stop)

    # Of sums in any order alone

    def counted_twice(self, start: int, stop: int) -> bool:
        """Whether fast memory holds a word of a sum that has absorbed some of these terms."""
        raise NotImplementedError

    def comparable(self) -> bool:
        """Whether of every word fast memory holds more of the terms than slow memory, or no more than that."""
        raise NotImplementedError


class State(ABC):
    """The storage of one run.

    Attributes
    ----------
    unsure : Loop or None
        A loop, cut short, behind which not all is known of what slow memory holds.
    """

    unsure: Loop | None = None

    @abstractmethod
    def enter(self, axis: str, tile: Interval | None) -> None:
        """Make a tile of an axis the current one; None: the whole axis."""

    @abstractmethod
    def part(self, array: Array) -> CurrentBox:
        """Return the current box of an array: on every axis the current tile."""

    @abstractmethod
    def tidy(self, axis: str) -> None:
        """Forget distinctions along an axis that make no difference, after a loop's iteration."""

    @abstractmethod
    def final(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the progress of every element of an array in fast and in slow memory (small sizes only)."""
