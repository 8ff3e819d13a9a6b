"""The places of predecessors that form a box, found from how many predecessors they share."""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

__all__ = ["box_places"]

Place: TypeAlias = "tuple[int, ...]"


def box_places(row: list[int], before: dict[int, list[int]]) -> dict[int, Place] | None:
    """Return places in a box with sides of equal length for the vertices of a row; None if they form none.

    Of all pairs, neighbours share the most predecessors. So corners are what has the fewest neighbours, and distances
    from corners are coordinates.

    Parameters
    ----------
    row : list of int
        Predecessors of one vertex.
    before : dict of int to list of int
        The predecessors of each of them.

    Examples
    --------
    Three neighbours on a line:

    >>> box_places([5, 6, 7], {5: [0, 1, 2], 7: [2, 3, 4], 6: [1, 2, 3]})
    {5: (0,), 6: (1,), 7: (2,)}
    """
    near = _neighbours(row, before)
    fewest = min(map(len, near.values()))
    side = round(len(row) ** (1 / fewest)) if fewest else 0
    if side < 2 or side**fewest != len(row):
        return None
    corners = [v for v in row if len(near[v]) == fewest]
    origin = _distances(corners[0], near)
    ends = [corner for corner in corners if origin.get(corner) == side - 1]
    if len(ends) != fewest or len(origin) < len(row):
        return None
    away = [_distances(end, near) for end in ends]
    places = {v: tuple((origin[v] - far[v] + side - 1) // 2 for far in away) for v in row}
    inside = all(0 <= x < side for place in places.values() for x in place)
    return places if inside and len(set(places.values())) == len(row) else None


def _neighbours(row: list[int], before: dict[int, list[int]]) -> dict[int, list[int]]:
    """Return for each vertex those that share most predecessors with it, of all pairs."""
    shared = {
        (one, other): len(set(before[one]).intersection(before[other])) for one, other in combinations(row, 2)
    }
    most = max(shared.values(), default=0)
    near: dict[int, list[int]] = {v: [] for v in row}
    for (one, other), many in shared.items():
        if many == most > 0:
            near[one].append(other)
            near[other].append(one)
    return near


def _distances(start: int, near: dict[int, list[int]]) -> dict[int, int]:
    found, queue = {start: 0}, [start]
    for v in queue:
        for w in near[v]:
            if w not in found:
                found[w] = found[v] + 1
                queue.append(w)
    return found
