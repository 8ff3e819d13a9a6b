"""Tile sizes worth comparing on long axes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pebble.program.schedule.aligned_sizes import aligned_sizes

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = ["even_cuts", "grid", "leftovers", "suggested"]


def grid(extent: int, ratio: float, *, counts: bool = False) -> Iterator[int]:
    """Yield the least size for each of ever more tiles of an axis, or these numbers of tiles."""
    number = 1
    while number < extent:
        yield number if counts else -(-extent // number)
        number = max(number + 1, int(number * ratio))
    yield extent if counts else 1


def even_cuts(extent: int, numbers: Iterable[int]) -> list[int]:
    """Return the least size for each of some numbers of tiles of an axis."""
    return list(dict.fromkeys(-(-extent // number) for number in numbers))


def leftovers(extent: int, others: Sequence[int]) -> list[int]:
    """Return what tiles of other sizes leave over of an axis, and the even cuts of these sizes."""
    found = []
    for size in others:
        tiles = extent // size
        found += [extent - n * size for n in range(max(tiles - 2, 0), tiles + 1)]
        found += [-(-size // n) for n in (1, 2, 3)]
        found += [-(-(extent - size) // n) for n in range(1, 5) if extent > size]
    return list(dict.fromkeys(found))


def suggested(problem: Problem, axis: str, most: int) -> list[int]:
    """Return the sizes up to one that the mask suggests."""
    if problem.mask is None or axis in ("k", "e"):
        return []
    return aligned_sizes(problem.allowed, axis if axis in ("i", "j") else "i", most)
