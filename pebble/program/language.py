"""The words in which a program is written, readable like the algorithm box of a paper.

Examples
--------
>>> print(program(loop("i", 4, load("Q"), loop("k", 1, delete("Q")))))
for i in tiles of 4:
    load Q
    for each k: delete Q
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from pebble.program.nodes import (
    Action,
    Condition,
    Interval,
    Loop,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    When,
)

_NODES = (Operation, Loop, When)


class _Operations(tuple[Operation, ...]):
    """Operations, and nothing that holds others: a search for tiles writes thousands of programs of them."""


def _flatten(nodes: Iterable[Nodes]) -> tuple[Node, ...]:
    flat: list[Node] = []

    def gather(nodes: Iterable[Nodes]) -> None:
        for node in nodes:
            if isinstance(node, _Operations):
                flat.extend(node)
            elif isinstance(node, _NODES):
                flat.append(node)
            elif node:
                gather(node)

    gather(nodes)
    return tuple(flat)


def _operations(
    action: Action, arrays: tuple[str, ...], level: int, at: dict[str, Interval]
) -> tuple[Operation, ...]:
    if not at:
        return _whole_tiles(action, arrays, level)
    box = tuple((axis, a, b) for axis, (a, b) in at.items())
    return _Operations(Operation(action, array, at=box, level=level) for array in arrays)


@lru_cache(maxsize=1024)
def _whole_tiles(action: Action, arrays: tuple[str, ...], level: int) -> tuple[Operation, ...]:
    """Return operations on current tiles: a search for tiles writes the same ones in thousands of programs."""
    return _Operations(Operation(action, array, level=level) for array in arrays)


def load(*arrays: str, level: int = 1, **at: Interval) -> tuple[Operation, ...]:
    """Load the current box of each array: ``load("K", "V")``; into memory level ``level`` from the next one out."""
    return _operations("load", arrays, level, at)


@lru_cache(maxsize=64)
def resume(*arrays: str) -> tuple[Operation, ...]:
    """Load the partial sums of the current boxes, to add terms and store them again; no other array reads them before.

    Where sums are added in slow memory, a new partial sum is begun in place of that, and costs nothing.
    """
    return _Operations(Operation("load", array, resumes=True) for array in arrays)


def store(*arrays: str, level: int = 1, **at: Interval) -> tuple[Operation, ...]:
    """Store the current box of each array; from memory level ``level`` to the next one out."""
    return _operations("store", arrays, level, at)


def delete(*arrays: str, level: int = 1, **at: Interval) -> tuple[Operation, ...]:
    """Delete the current box of each array from fast memory, or from memory level ``level``."""
    return _operations("delete", arrays, level, at)


def compute(array: str, replacing: str | None = None, **at: Interval) -> Operation:
    """Compute the current box of an array, or advance its chain over the current tile of the chain's axis."""
    if not at:
        return _computed(array, replacing)
    return Operation("compute", array, replacing, tuple((axis, a, b) for axis, (a, b) in at.items()))


@lru_cache(maxsize=1024)
def _computed(array: str, replacing: str | None) -> Operation:
    return Operation("compute", array, replacing)


def loop(
    axis: str, tile: int, *body: Nodes, start: int = 0, stop: int | None = None, label: str | None = None
) -> Loop:
    """Loop over tiles of an axis.

    Examples
    --------
    >>> print(phase("", loop("i", 4, load("Q"), loop("k", 1, delete("Q")))))
    for i in tiles of 4:
        load Q
        for each k: delete Q
    """
    return Loop(axis, tile, _flatten(body), start, stop, label or axis)


def when(condition: Condition, *body: Nodes) -> When:
    """Nodes for some iterations only: ``when(first("j"), load("U"))``."""
    return When(condition, _flatten(body))


def first(label: str) -> Condition:
    """The first iteration of the enclosing loop with this label."""
    return Condition(label, "first")


def last(label: str) -> Condition:
    """The last iteration of the enclosing loop with this label."""
    return Condition(label, "last")


def not_first(label: str) -> Condition:
    """All iterations but the first."""
    return Condition(label, "first", negated=True)


def not_last(label: str) -> Condition:
    """All iterations but the last."""
    return Condition(label, "last", negated=True)


def phase(title: str, *body: Nodes, generate: Callable[[], Iterable[Operation]] | None = None) -> Phase:
    """Make a phase of nodes, or of a generator of bare operations."""
    return Phase(title, _flatten(body), generate)


def program(*phases: Phase | Nodes) -> Program:
    """Make a program of phases (bare nodes become an untitled phase)."""
    return Program(tuple(p if isinstance(p, Phase) else Phase("", _flatten((p,))) for p in phases))
