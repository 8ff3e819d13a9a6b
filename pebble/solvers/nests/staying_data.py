"""Data that stay in fast memory from one sweep over an axis to the next: its first elements, of some arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pebble.solvers.nests.placement import Group
from pebble.solvers.nests.tiled_nest import NestLoop, NestNode, NestStep

__all__ = ["Stays", "what_may_stay", "while_they_stay"]

Stays = tuple[str, tuple[str, ...]]
"""An axis, and the arrays of which the first elements along it stay."""


def what_may_stay(group: Group, nests: list[tuple[NestNode, ...]]) -> Iterator[Stays]:
    """Yield axes over whose elements a nest runs, with arrays that it loads in that loop."""
    for axis in group.family.extents:
        loaded = set().union(*(_loaded_along(nest, axis) for nest in nests))
        names = sorted(name for name in loaded if axis in group.family[name].axes)
        for number in range(len(names), 0, -1):
            for chosen in itertools.combinations(names, number):
                yield axis, chosen


def _loaded_along(nest: Iterable[NestNode], axis: str) -> set[str]:
    """Return what is loaded inside loops over the elements of an axis that stand in no other loop over it."""
    found: set[str] = set()
    for node in nest:
        if isinstance(node, NestLoop):
            if node.axis == axis:
                if node.unit and not _speaks_of(node.body, axis):
                    found |= _loads(node.body)
            else:
                found |= _loaded_along(node.body, axis)
    return found


def _speaks_of(nest: Iterable[NestNode], axis: str) -> bool:
    """Whether a condition is on an axis."""
    return any(
        _speaks_of(node.body, axis)
        if isinstance(node, NestLoop)
        else any(one == axis for one, _ in node.only)
        for node in nest
    )


def _loads(nest: Iterable[NestNode]) -> set[str]:
    return {
        name
        for node in nest
        for name in (
            _loads(node.body) if isinstance(node, NestLoop) else {node.array} if node.action == "load" else ()
        )
    }


def while_they_stay(nest: Iterable[NestNode], stays: Stays) -> tuple[NestNode, ...]:
    """Return a nest in which the first elements along an axis are not loaded: they are there."""
    axis, names = stays
    found: list[NestNode] = []
    for node in nest:
        if isinstance(node, NestStep):
            found.append(node)
        elif node.axis != axis:
            found.append(replace(node, body=while_they_stay(node.body, stays)))
        elif not node.unit or not _loads(node.body) & set(names):
            found.append(node)
        else:
            found += [
                replace(node, body=_without_loads(node.body, names), part="staying"),
                replace(node, part="passing"),
            ]
    return tuple(found)


def _without_loads(nest: Iterable[NestNode], names: tuple[str, ...]) -> tuple[NestNode, ...]:
    return tuple(
        replace(node, body=_without_loads(node.body, names)) if isinstance(node, NestLoop) else node
        for node in nest
        if isinstance(node, NestLoop) or node.array not in names or node.action not in ("load", "unload")
    )
