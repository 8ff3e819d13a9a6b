"""What loops inside a round write down, so that two rounds can be compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["Item", "Recorder"]


class Item(NamedTuple):
    """One entry of what a round did: successive tiles of an inner loop that took one effect.

    Attributes
    ----------
    key : Hashable
        The loop, and what the tiles' effect follows from.
    first, times : int
        Number of the first tile, and how many.
    fixed : bool
        Whether there must be as many in every round, since the tiles need not all do the same.
    fewest : int
        How many there must be at least, lest the loop be executed in another way.
    """

    key: Hashable
    first: int
    times: int
    fixed: bool = False
    fewest: int = 1


class Recorder:
    """Where loops inside a round write down what they do; nothing is written down while nobody asks."""

    def __init__(self) -> None:
        self.items: list[Item] | None = None

    def add(self, item: Item) -> None:
        """Write down an entry; successive ones of the same kind become one."""
        if self.items is None:
            return
        last = self.items[-1] if self.items else None
        if last is not None and last.key == item.key and last.first + last.times == item.first:
            self.items[-1] = last._replace(times=last.times + item.times)
        else:
            self.items.append(item)

    @contextmanager
    def separately(self) -> Iterator[list[Item]]:
        """Write on a new list for a while, which is added to the one before in the end."""
        outside, self.items = self.items, []
        try:
            yield self.items
        finally:
            if outside is not None:
                outside += self.items
            self.items = outside

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Write nothing for a while."""
        outside, self.items = self.items, None
        try:
            yield
        finally:
            self.items = outside
