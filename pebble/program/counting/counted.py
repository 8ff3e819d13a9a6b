"""What a verified run of a program counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.program.counting.storage import Storage


@dataclass(frozen=True)
class Run:
    """What a verified run of a program counted.

    Attributes
    ----------
    M : int or None
        Words of fast memory it was held to; None if only measured.
    reads, writes, computes : dict of str to int
        Words loaded, words stored and vertices computed, by array.
    peak : int
        Largest number of words in fast memory at any moment, transient words of chain steps included.
    steps : int
        Boxes of tiles that were looked at, or operations that were executed.
    proved : bool
        Whether the text proves that the program is legal; if not, every iteration was executed.
    copies : int
        Copies of the family that reads, writes and computes are of: one was run, and the others are like it.
    """

    family: Family
    M: int | None
    reads: dict[str, int]
    writes: dict[str, int]
    computes: dict[str, int]
    peak: int
    steps: int
    proved: bool
    _peak_words: Callable[[], dict[str, int]] = field(repr=False, compare=False)
    _state: Callable[[], Storage] = field(repr=False, compare=False)
    copies: int = 1

    @property
    def total_reads(self) -> int:
        """Words loaded."""
        return sum(self.reads.values())

    @property
    def total_writes(self) -> int:
        """Words stored."""
        return sum(self.writes.values())

    @property
    def io(self) -> int:
        """Words moved: loads plus stores."""
        return self.total_reads + self.total_writes

    @property
    def recomputed(self) -> int:
        """How many computations repeat an earlier one (0: every vertex is computed once)."""
        computed = (array for array in self.family.arrays if not array.is_input)
        return sum(max(0, self.computes[a.name] - self.copies * self.family.size(a.name)) for a in computed)

    @cached_property
    def peak_words(self) -> dict[str, int]:
        """What fast memory held at the peak, by array (the transient word under ``"(step)"``)."""
        return {name: words for name, words in self._peak_words().items() if words}

    def final_state(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the progress of every element of an array at the end, in fast and in slow memory.

        For small sizes only: where a shortcut did not note all of it, every iteration is executed. Under a mask it
        is 0 for what does not exist or has not begun, and the progress of a masked chain is the index of its last
        allowed step so far, plus one.
        """
        return self._state().final(name)
