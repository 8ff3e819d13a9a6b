"""Memory levels: how many words each has, and whether a level holds what those within hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pebble.common.errors import InvalidInput
from pebble.common.units import fast_memory_words


@dataclass(frozen=True)
class Hierarchy:
    """Memory levels of bounded size, the innermost first; beyond the last there is room for everything.

    Parameters
    ----------
    capacities : tuple of int or None
        Words of each level; None is a level that is only measured.
    inclusive : bool
        Whether each level holds all that the levels within hold, or copies may be anywhere.
    names : tuple of str
        What the levels are called; 1, 2, … by default.
    beyond : str
        What the memory outside the last level is called.

    Examples
    --------
    >>> Hierarchy((43, 140)).held_within(2), Hierarchy((43, 140), inclusive=False).held_within(2)
    (140, 183)
    """

    capacities: tuple[int | None, ...]
    inclusive: bool = True
    names: tuple[str, ...] = ()
    beyond: str = "slow"

    def __post_init__(self) -> None:
        known = [fast_memory_words(words) for words in self.capacities if words is not None]
        if not self.capacities:
            raise InvalidInput("give the words of at least one memory level, the innermost first")
        if self.inclusive and any(one >= other for one, other in itertools.pairwise(known)):
            raise InvalidInput(
                f"levels of {', '.join(f'{words:,}' for words in known)} words: each level must be "
                "larger than the one inside it, because it holds everything that one holds; give the "
                "innermost first"
            )
        if not self.names:
            object.__setattr__(self, "names", tuple(str(level + 1) for level in range(self.levels)))

    @property
    def levels(self) -> int:
        """How many bounded levels there are."""
        return len(self.capacities)

    @property
    def kind(self) -> str:
        """``"inclusive"`` or ``"exclusive"``."""
        return "inclusive" if self.inclusive else "exclusive"

    @property
    def boundaries(self) -> tuple[str, ...]:
        """Names of the boundaries, each by the memories on its two sides.

        >>> Hierarchy((43, 140)).boundaries
        ('1 | 2', '2 | slow')
        """
        return tuple(f"{one} | {other}" for one, other in itertools.pairwise((*self.names, self.beyond)))

    def held_within(self, level: int) -> int:
        """Return how many words can be on the inner side of a level's boundary: its own, or with all those within.

        No program moves fewer words through that boundary than the computation needs with one fast memory of that size
        (Theorem M, docs/proofs/levels.md).
        """
        inside: Sequence[int | None] = self.capacities[:level]
        words = [one for one in inside if one is not None]
        if len(words) < level:
            raise InvalidInput(f"level {level} or one within has no given size")
        return words[-1] if self.inclusive else sum(words)

    def fitted(self, needed: Sequence[int]) -> tuple[int, ...]:
        """Return the words of each level: as given, or as many as are needed there, and more than within.

        >>> Hierarchy((None, 140)).fitted((43, 100)), Hierarchy((None, None)).fitted((43, 43))
        ((43, 140), (43, 44))
        """
        found: list[int] = []
        for words, need in zip(self.capacities, needed, strict=True):
            least = found[-1] + 1 if found and self.inclusive else 1
            found.append(max(need, least) if words is None else words)
        return tuple(found)

    def unbounded(self) -> Hierarchy:
        """Return the same levels, only measured."""
        return replace(self, capacities=(None,) * self.levels)
