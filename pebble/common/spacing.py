"""Moving places apart as little as possible, where names or vertices would overlap."""

from __future__ import annotations

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float = 1.0) -> list[float]:
    """Return places as near as possible to the wanted ones, in the same order, each at least ``gap`` after the last.

    The sum of the squares of the distances to the wanted places is the least there is. Pool adjacent violators:
    runs that would be too close are joined and moved to the mean of what they want.

    >>> spread([0.0, 0.0, 5.0])
    [-0.5, 0.5, 5.0]
    """
    pools: list[tuple[float, int]] = []
    for place, value in enumerate(wanted):
        total, count = value - place * gap, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, size = pools.pop()
            total, count = total + before, count + size
        pools.append((total, count))
    places: list[float] = []
    for total, count in pools:
        first = total / count + len(places) * gap
        places += [first + k * gap for k in range(count)]
    return places
