"""The base class of schedules."""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.program.schedule.tile_search import best_tiles
from pebble.program.schedule.tiled_programs import TiledPrograms, Tiles


class Schedule(TiledPrograms):
    """A way to compute attention: the program for given tiles, which are chosen for M words of fast memory.

    A subclass sets the class attributes and implements :meth:`program`.
    Those in the package ``schedules`` are found; another project registers its own under the entry-point group
    ``pebble.schedules``. It is checked with :func:`pebble.testing.check_schedule`.

    Attributes
    ----------
    name : str
        As used on the command line.
    summary : str
        One line.
    source : str
        The paper, or how else it came about.
    passes : tuple of str
        Passes it serves.
    forms : tuple of str
        Computations it serves, see :attr:`pebble.Problem.form`: that with plain softmax by default.
    tile_names : tuple of str
        The tile sizes it takes, in the order in which they are shown.
    presets : tuple of str
        Names of published or otherwise fixed choices of tiles, see :meth:`preset`.
    tile_axes : tuple of str
        The axis that each of ``tile_names`` is measured along: ``i`` queries, ``j`` keys, ``k`` and ``e`` the vectors.
        A size larger than its axis makes no difference. Sizes without an axis, ``""``, may be as large as the longest.
    resident_tiles : tuple of str
        The tile sizes that say how many lines stay in fast memory: more of them never move more words.
    numbers_of_tiles : tuple of str
        The tile sizes that are not lengths but numbers of tiles, all about as long: more of them need less room.
    follows_mask : bool
        Whether it may fit only under the mask, so that the least M depends on it.
    published_tiles : bool
        Whether :meth:`tiles` follows a published rule.
    in_sequences : bool
        Whether the schedule sees to it itself that tiles are cut where packed sequences end.
    may_be_zero : tuple of str
        The tile sizes for which zero makes sense; one that is left out is zero.
    optional_tiles : tuple of str
        The tile sizes that may be left out, which gives a different program.
    masks_only : bool
        Whether it is of interest under a mask only; without a mask it is then counted only if it is named.
    """

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Choose tiles for M words of fast memory: by default the cheapest that fit, see :mod:`.tile_search`.

        Raises
        ------
        CacheTooSmall
            If not even the smallest tiles fit; carries the least M.
        """
        return best_tiles(self, problem, M).tiles

    def preset(self, problem: Problem, M: int, name: str) -> Tiles:
        """Return tiles by a published rule; they need not fit M."""
        raise InvalidInput(
            f"{self.name} has no preset of tiles called {name!r}; give sizes, such as "
            f"{self.tile_names[0] if self.tile_names else 'rows'}=64"
            + (f", or one of: {', '.join(self.presets)}" if self.presets else "")
        )

    def is_offered(self, problem: Problem) -> bool:
        """Whether the schedule is counted if none are named: where it can be of interest."""
        return problem.mask is not None or not self.masks_only
