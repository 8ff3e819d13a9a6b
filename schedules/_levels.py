"""Nests of tiles for several memory levels: how words travel, and what tiles cost at every level.

A *station* is a pair of loops that brings lines of one side, and inside it tiles of the other side, to memory levels.
The stations are nested, the outermost first; the innermost brings both sides to level 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pebble.program import Nodes, delete, first, last, load, loop, not_first, not_last, store, when


@dataclass(frozen=True)
class Station:
    """A pair of loops: over tiles of lines that stay, and inside it over tiles of lines that pass.

    Attributes
    ----------
    resident, passing : int
        Lengths of the tiles. No ``resident``: there is no such loop. No ``passing``: all such lines come once, before
        the other loop, and stay until it has ended.
    resident_level, passing_level : int
        The memory level that each is brought to.
    """

    resident: int
    passing: int
    resident_level: int
    passing_level: int


@dataclass(frozen=True)
class Travel:
    """The ways of words in a hierarchy.

    Parameters
    ----------
    levels : int
        How many bounded levels there are; one more is slow memory.
    inclusive : bool
        Whether each level holds what those within hold. If not, a word leaves a level as it goes on to the next.
    """

    levels: int
    inclusive: bool

    def bring(self, *arrays: str, start: int, to: int, moved: bool = False) -> Nodes:
        """Load arrays from level ``start`` down to ``to``; ``moved`` lets go of them at ``start`` if it can."""
        last_kept = start if moved else start - 1
        return [
            (
                load(*arrays, level=level),
                delete(*arrays, level=level + 1)
                if not self.inclusive and level + 1 <= min(last_kept, self.levels)
                else None,
            )
            for level in range(start - 1, to - 1, -1)
        ]

    def send(self, *arrays: str, start: int, to: int) -> Nodes:
        """Store arrays from level ``start`` out to ``to``; the levels before it let go of them."""
        return [(store(*arrays, level=level), delete(*arrays, level=level)) for level in range(start, to)]

    def let_go(self, *arrays: str, start: int, to: int) -> Nodes:
        """Delete arrays that were brought from level ``to`` to ``start``."""
        return [delete(*arrays, level=level) for level in range(start, to if self.inclusive else start + 1)]

    def drop(self, *arrays: str) -> Nodes:
        """Delete arrays that were computed and not stored."""
        return self.let_go(*arrays, start=1, to=self.levels + 1)

    def one_by_one(self, axis: str, label: str, start: int, to: int, *body: Nodes) -> Nodes:
        """Let lines pass one at a time where levels in between have no room kept for them."""
        return body if self.inclusive or start - to < 2 else loop(axis, 1, *body, label=label)


def once_begun(labels: Sequence[str], masked: bool, *body: Nodes) -> Nodes:
    """Write what moves partial results, unless all these loops over their chains' axis are in their first iteration.

    Under a mask only the lines that have begun are moved anyhow, and where a chain begins is different for each.
    """
    if not labels or masked:
        return body if labels else None
    others = when(first(labels[0]), once_begun(labels[1:], masked, *body)) if labels[1:] else None
    return when(not_first(labels[0]), *body), others


def passing_loop(axis: str, stations: Sequence[Station], at: int, label: str, *body: Nodes) -> Nodes:
    """Write a station's loop over tiles that pass; none where the station around it lets lines pass one by one."""
    alone = at and stations[at - 1].passing == 1 and not stations[at].resident
    return body if alone else loop(axis, stations[at].passing, *body, label=label)


def any_not_last(labels: Sequence[str], *body: Nodes) -> Nodes:
    """Write what is done unless all of these loops are in their last iteration."""
    if not labels:
        return None
    others = when(last(labels[0]), any_not_last(labels[1:], *body)) if labels[1:] else None
    return when(not_last(labels[0]), *body), others


def all_last(labels: Sequence[str], *body: Nodes) -> Nodes:
    """Write what is done if all of these loops are in their last iteration."""
    return when(last(labels[0]), all_last(labels[1:], *body)) if labels else body


def tiles_in_all(length: int, tiles: Sequence[int]) -> int:
    """Return how many tiles the innermost of nested loops over an axis has in all, the ragged ones included.

    >>> tiles_in_all(40, [12, 5]), tiles_in_all(40, [])
    (10, 1)
    """
    sizes = {length: 1}
    for tile in (min(tile, length) for tile in tiles if tile):
        found: dict[int, int] = {}
        for size, times in sizes.items():
            for part, number in ((tile, size // tile), (size % tile, 1)):
                if part and number:
                    found[part] = found.get(part, 0) + times * number
        sizes = found
    return sum(sizes.values())


def even(length: int, most: int) -> int:
    """Return the length of tiles, as few as at most ``most`` long ones, but as even as can be."""
    most = min(most, length)
    return -(-length // -(-length // most))


def tile_lengths(length: int, most: int, part: int, near: int, ratio: float = 1.02) -> list[int]:
    """Return lengths of tiles of an axis worth comparing, the longest first: even ones, and multiples of a part's.

    Parameters
    ----------
    length : int
        Of the axis.
    most : int
        Longest tile.
    part : int
        Longest part of a tile; 0 if it is not cut.
    near : int
        How many consecutive even lengths to try, from the longest down; then the number of tiles grows by
        ``ratio``.
    """
    most = min(most, length)
    if most < 1:
        return []
    found: set[int] = set()
    number = -(-length // most)
    while number <= length and len(found) < 4 * near:
        found.add(-(-length // number))
        number = number + 1 if len(found) < near else max(number + 1, int(number * ratio))
    if part:
        step = max(1, most // part // near)
        found |= {part * times for times in range(1, most // part + 1, step)}
    return sorted((one for one in found if one <= most), reverse=True)
