"""Rows that stay in fast memory, and those that are streamed beside them."""

from __future__ import annotations

from collections.abc import Callable

from pebble.program import Node


def resident_and_streamed(
    resident: int, length: int, nest: Callable[[bool, int, int | None], Node]
) -> list[Node]:
    """Return the loop over the first rows of an axis, which stay, and the loop over the others; no empty loop.

    Parameters
    ----------
    resident, length : int
        How many rows stay, and how many there are.
    nest : callable
        Writes the loop, given whether its rows stay, and its start and stop.
    """
    parts = [nest(True, 0, resident)] if resident else []
    if resident < length:
        parts.append(nest(False, resident, None))
    return parts
