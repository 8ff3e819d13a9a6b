"""A program for several devices, executed by one device that numbers all tiles relative to itself.

The tile of device q is for device p the tile p − q, in every coordinate and around the ring. A program's text does not
say p, so all devices take the same steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.program.nodes import Condition, Loop, Node, Operation, When
from pebble.program.parallel.device_program import TOKEN_AXES, DeviceProgram, neighbour

if TYPE_CHECKING:
    from pebble.program.parallel.shared_problem import SharedProblem

__all__ = ["Box", "RelativeStep", "RelativeTurns", "Tile", "relative_steps", "relative_turns", "tiles_of"]

_SHORT = 6
"""So many turns are written out."""

Tile = tuple[int, ...]
"""A tile of tokens, or a part of the heads, relative to the device: a number for each coordinate."""

Box = tuple[int | None, ...]
"""Tiles: in each coordinate one, or all (None)."""


@dataclass(frozen=True)
class RelativeStep:
    """One step of a device.

    Attributes
    ----------
    kind : {"work", "finish", "receive", "discard"}
        ``work``: the tiles of queries absorb the tiles of keys. ``finish``: complete rows of U and l become O.
    arrays : tuple of str
        What is received or discarded.
    queries, keys, heads : Box
        The current tiles of queries and of keys, and parts of the heads.
    source : Tile
        From whom is received: how far before the device.
    adding : bool
        Whether a partial sum is added to what the device has.
    """

    kind: str
    arrays: tuple[str, ...]
    queries: Box
    keys: Box
    heads: Box
    source: Tile = ()
    adding: bool = False


@dataclass(frozen=True)
class RelativeTurns:
    """The turns of a loop: those between the first and the last take the same steps, but for the number of the turn.

    Attributes
    ----------
    place : int
        The coordinate that the turns go along.
    start, stop : int
        Numbers of the first turn, and after the last.
    first, last : tuple of RelativeStep
    middle : tuple of RelativeStep
        Of turn ``start + 1``.
    """

    place: int
    start: int
    stop: int
    first: tuple[RelativeStep, ...]
    middle: tuple[RelativeStep, ...]
    last: tuple[RelativeStep, ...]
    moving: tuple[tuple[bool, bool, bool, bool], ...]
    """Of each step in the middle: whether its queries, keys, heads, source are those of the turn."""

    def steps(self, number: int) -> Iterator[RelativeStep]:
        """Yield the steps of a turn in the middle."""
        place = self.place
        for step, moving in zip(self.middle, self.moving, strict=True):
            boxes = (step.queries, step.keys, step.heads, step.source)
            queries, keys, heads, source = (
                (*box[:place], number, *box[place + 1 :]) if moves else box
                for box, moves in zip(boxes, moving, strict=True)
            )
            yield RelativeStep(step.kind, step.arrays, queries, keys, heads, source, step.adding)  # type: ignore[arg-type]


def tiles_of(box: Box, sizes: tuple[int, ...]) -> Iterator[Tile]:
    """Yield the tiles of a box.

    >>> list(tiles_of((None, 1), (2, 3)))
    [(0, 1), (1, 1)]
    """
    if None not in box:
        return iter((tuple(one or 0 for one in box),))
    ranges = [range(size) if one is None else (one,) for one, size in zip(box, sizes, strict=True)]
    return itertools.product(*ranges)


def relative_turns(program: DeviceProgram, problem: SharedProblem) -> Iterator[RelativeStep | RelativeTurns]:
    """Yield the steps of every device, in order, long loops over turns without writing each turn out."""
    return _Walk(program, problem, compact=True).nodes(program.body)


def relative_steps(program: DeviceProgram, problem: SharedProblem) -> Iterator[RelativeStep]:
    """Yield the steps of every device, in order.

    Raises
    ------
    InvalidInput
        If work does not add to all sums of the pass, or a condition between turns is on a loop over tiles.
    """
    for step in _Walk(program, problem).nodes(program.body):
        assert isinstance(step, RelativeStep)
        yield step


class _Walk:
    """The turns around, and what they visit."""

    def __init__(self, program: DeviceProgram, problem: SharedProblem, compact: bool = False) -> None:
        self.program, self.compact = program, compact
        self.sums = frozenset(name for arrays in problem.sums for name in arrays.names)
        self.finished = problem.finished[0] if problem.pass_name == "forward" else ""
        kinds = (problem.queries, problem.keys, *problem.sums)
        self.together = list(dict.fromkeys([*(arrays.names for arrays in kinds), problem.finished]))
        self.turn: dict[str, tuple[Loop, int]] = {}

    def nodes(self, nodes: tuple[Node, ...]) -> Iterator[RelativeStep | RelativeTurns]:
        """Execute nodes; neighbours that exchange nothing are one piece of work."""
        for exchanges, group in itertools.groupby(nodes, key=_exchanges):
            together = tuple(group)
            if exchanges:
                for kind, part in itertools.groupby(together, key=_same_exchange):
                    found = tuple(part)
                    yield from self.exchange(found) if kind else self.each(found)
            else:
                yield from self.work(together)

    def each(self, nodes: tuple[Node, ...]) -> Iterator[RelativeStep | RelativeTurns]:
        """Execute turns and conditions with receives in them."""
        for node in nodes:
            if isinstance(node, When):
                if self.holds(node.condition):
                    yield from self.nodes(node.body)
            elif isinstance(node, Loop):
                if self.compact and self.stop(node) - node.start > _SHORT:
                    found = self.turns(node)
                    if found is not None:
                        yield found
                        continue
                for number in range(node.start, self.stop(node)):
                    yield from self.in_turn(node, number)

    def in_turn(self, node: Loop, number: int) -> Iterator[RelativeStep | RelativeTurns]:
        """Execute one turn."""
        self.turn[node.label] = node, number
        yield from self.nodes(node.body)
        del self.turn[node.label]

    def turns(self, node: Loop) -> RelativeTurns | None:
        """Return the turns of a loop by the steps of four of them; None if there are long loops inside."""
        start, stop, place = node.start, self.stop(node), self.program.place(node.turn)
        every = [
            [step for step in self.in_turn(node, number) if isinstance(step, RelativeStep)]
            if not any(isinstance(step, RelativeTurns) for step in self.in_turn(node, number))
            else None
            for number in (start, start + 1, start + 2, stop - 1)
        ]
        if any(one is None for one in every):
            return None
        first, one, two, last = (tuple(found or ()) for found in every)
        moving = tuple(
            tuple(
                bool(a) and a[place] != b[place] for a, b in zip(_boxes(before), _boxes(after), strict=True)
            )
            for before, after in zip(one, two, strict=True)
        )
        return RelativeTurns(place, start, stop, first, one, last, moving)  # type: ignore[arg-type]

    def holds(self, condition: Condition) -> bool:
        """Whether a condition on a turn holds."""
        if condition.label not in self.turn:
            raise InvalidInput(f"{condition}: between devices only conditions on turns are asked")
        node, number = self.turn[condition.label]
        return condition.holds_at(number - node.start, self.stop(node) - node.start)

    def stop(self, node: Loop) -> int:
        """Return the number after that of a loop's last turn."""
        size = dict(self.program.coordinates)[node.turn]
        return size if node.stop is None else min(size, node.stop)

    def exchange(self, nodes: tuple[Node, ...]) -> Iterator[RelativeStep]:
        """Receive or discard arrays that go together."""
        operations = [node for node in nodes if isinstance(node, Operation)]
        first = operations[0]
        source = self.source(first) if first.action == "receive" else ()
        boxes = self.box("i"), self.box("j"), self.box("h")
        waiting = [node.array for node in operations]
        while waiting:
            names = next((one for one in self.together if one == tuple(waiting[: len(one)])), None)
            if names is None:
                raise InvalidInput(
                    f"{first.text(', '.join(waiting))}: what goes from device to device together is "
                    + "; ".join(", ".join(one) for one in self.together)
                )
            del waiting[: len(names)]
            yield RelativeStep(first.action, names, *boxes, source, first.adding)

    def source(self, node: Operation) -> Tile:
        """Return how far before the device the sender is: as far as the turns' tiles, or a neighbour."""
        if node.source == "owner":
            distance = {one.turn: number for one, number in self.turn.values() if number}
        else:
            coordinate, before = neighbour(node.source)
            distance = {coordinate: before}
        return tuple(distance.get(name, 0) % size for name, size in self.program.coordinates)

    def box(self, axis: str) -> Box:
        """Return the current tiles of an axis."""
        parts, visited = self.program.own_places(axis), [0] * len(self.program.coordinates)
        free = set(range(len(visited))) - set(parts) if axis in TOKEN_AXES else set()
        for node, number in self.turn.values():
            if node.axis == axis:
                place = self.program.place(node.turn)
                visited[place] = number
                free.discard(place)
        return tuple(None if place in free else number for place, number in enumerate(visited))

    def work(self, nodes: tuple[Node, ...]) -> Iterator[RelativeStep]:
        """Say what loop nests add up and finish."""
        made = {node.array for node in self.computed(nodes)}
        boxes = self.box("i"), self.box("j"), self.box("h")
        added = made & self.sums
        if added and added != self.sums:
            missing = ", ".join(sorted(self.sums - added))
            raise InvalidInput(
                f"work between two exchanges adds to {', '.join(sorted(added))}, but not to {missing}"
            )
        if added:
            yield RelativeStep("work", (), *boxes)
        if self.finished in made:
            yield RelativeStep("finish", (), *boxes)

    def computed(self, nodes: tuple[Node, ...]) -> Iterator[Operation]:
        """Yield the computations that are executed, with the conditions on turns as they are now."""
        for node in nodes:
            if isinstance(node, Operation):
                if node.action == "compute":
                    yield node
            elif (
                not isinstance(node, When)
                or node.condition.label not in self.turn
                or self.holds(node.condition)
            ):
                yield from self.computed(node.body)


def _boxes(step: RelativeStep) -> tuple[Box, Box, Box, Tile]:
    return step.queries, step.keys, step.heads, step.source


def _exchanges(node: Node) -> bool:
    """Whether a node receives or discards, or is a turn."""
    if isinstance(node, Operation):
        return node.action in ("receive", "discard")
    return (isinstance(node, Loop) and bool(node.turn)) or any(map(_exchanges, node.body))


def _same_exchange(node: Node) -> Operation | None:
    """Tell receives and discards apart by all but the array; None for turns and conditions."""
    return (
        Operation(node.action, "", source=node.source, adding=node.adding)
        if isinstance(node, Operation)
        else None
    )
