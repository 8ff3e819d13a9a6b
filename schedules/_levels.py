"""How words travel through memory levels: on their way in and out, and when they are let go."""

from __future__ import annotations

from dataclasses import dataclass

from pebble.program import Nodes, delete, load, loop, store

__all__ = ["Travel"]


@dataclass(frozen=True)
class Travel:
    """The ways of words in a hierarchy.

    Parameters
    ----------
    levels : int
        How many bounded levels there are.
    inclusive : bool
        Whether each level holds what those within hold. If not, a word leaves a level as it goes on to the next.
    """

    levels: int
    inclusive: bool

    def bring(self, *arrays: str, to: int) -> Nodes:
        """Load arrays from beyond all levels down to a level."""
        return [
            (
                load(*arrays, level=level),
                None if self.inclusive or level == self.levels else delete(*arrays, level=level + 1),
            )
            for level in range(self.levels, to - 1, -1)
        ]

    def send(self, *arrays: str, start: int) -> Nodes:
        """Store arrays from a level outwards through all others, which let go of them."""
        return [
            (store(*arrays, level=level), delete(*arrays, level=level))
            for level in range(start, self.levels + 1)
        ]

    def let_go(self, *arrays: str, start: int) -> Nodes:
        """Delete arrays that were brought to a level, there and where else they are."""
        stop = self.levels + 1 if self.inclusive else start + 1
        return [delete(*arrays, level=level) for level in range(start, stop)]

    def drop(self, *arrays: str) -> Nodes:
        """Delete arrays that were computed and not stored."""
        return self.let_go(*arrays, start=1)

    def one_by_one(self, axis: str, label: str, *body: Nodes) -> Nodes:
        """Let lines pass one at a time where levels in between have no room kept for them."""
        return body if self.inclusive else loop(axis, 1, *body, label=label)
