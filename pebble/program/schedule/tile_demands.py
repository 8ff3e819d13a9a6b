"""What is asked of tiles beside the fewest words in M."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from pebble.program.counting.effects import MOST_BOXES
from pebble.program.counting.measure import measure
from pebble.program.schedule.words_text import words_moved_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.computations.problem import Problem
    from pebble.program.nodes import Program
    from pebble.program.schedule.tiled_programs import TiledPrograms, Tiles

    Whole = NDArray[np.int64]


class TileDemands:
    """Which tiles are allowed, and what is counted as their words and their room: here all, as the game has it.

    Parameters
    ----------
    names : tuple of str, optional
        The tile sizes to choose; by default those of :meth:`Schedule.smallest`.
    *identity : hashable
        What else tells demands of one class apart.
    """

    def __init__(self, names: tuple[str, ...] | None = None, *identity: Hashable) -> None:
        self.names, self._identity = names, (names, *identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TileDemands) and (type(self), self._identity) == (
            type(other),
            other._identity,
        )

    def __hash__(self) -> int:
        return hash(self._identity)

    def sizes(self, schedule: TiledPrograms, problem: Problem, tiles: Tiles) -> Mapping[str, Sequence[int]]:
        """Return the values that sizes may have, beside zero, ascending; of those left out all.

        Parameters
        ----------
        schedule : TiledPrograms
        problem : Problem
        tiles : mapping of str to int
            The smallest.
        """
        return {}

    def allow(self, program: Program, family: Family) -> bool:
        """Tell whether the tiles of a program are allowed."""
        return True

    def measure(
        self, programs: Sequence[Program], family: Family, most: int = MOST_BOXES
    ) -> tuple[Whole, Whole]:
        """Return the words and the room of programs, see :func:`pebble.program.counting.measure.measure`."""
        return measure(programs, family, most)

    def words(self, programs: Sequence[Program], family: Family, most: int) -> Whole:
        """Return the words alone."""
        return words_moved_by(programs, family, most)


NO_DEMANDS = TileDemands()
