"""Programs executed element by element on plain sets: what the machine, lowering and closed form are tested against.

Own loops, own predecessors, own rules; of the package it uses only the classes a program and a family are made of.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program import Condition, Loop, Node, Operation, Program

Element = tuple[str, tuple[int, ...]]
Trip = tuple[str, int, int]
Address = tuple[int, ...]


@dataclass(frozen=True)
class Executed:
    """One execution of an operation: where it stands in the text, in which iterations, on which tiles."""

    operation: Operation
    address: Address
    path: tuple[Trip, ...]
    tiles: dict[str, tuple[int, int]]


@dataclass
class Outcome:
    """The verdict: no broken rules, or those that the first refused operation breaks."""

    broken: set[str] = field(default_factory=set)
    place: tuple[str, tuple[Trip, ...]] | None = None
    address: Address = ()
    executed: int = 0
    reads: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)
    computes: Counter[str] = field(default_factory=Counter)
    peak: int = 0
    red: dict[Element, set[int]] = field(default_factory=dict)
    blue: dict[Element, set[int]] = field(default_factory=dict)

    @property
    def legal(self) -> bool:
        return not self.broken


def holds(condition: Condition, path: tuple[Trip, ...]) -> bool:
    """Whether a condition holds in these iterations."""
    ((_, index, count),) = [trip for trip in path if trip[0] == condition.label]
    at = index == 0 if condition.which == "first" else index == count - 1
    return not at if condition.negated else at


def executions(program: Program, family: Family) -> Iterator[Executed]:
    """All executions of operations, in order."""

    def visit(
        node: Node, address: Address, path: tuple[Trip, ...], tiles: dict[str, tuple[int, int]]
    ) -> Iterator[Executed]:
        if isinstance(node, Operation):
            yield Executed(node, address, path, tiles | {axis: (a, b) for axis, a, b in node.at})
        elif isinstance(node, Loop):
            first, end = tiles.get(
                node.axis, (node.start, family.extents[node.axis] if node.stop is None else node.stop)
            )
            starts = list(range(first, end, node.tile))
            for index, a in enumerate(starts):
                inside = tiles | {node.axis: (a, min(a + node.tile, end))}
                yield from body(node.body, address, (*path, (node.label, index, len(starts))), inside)
        elif holds(node.condition, path):
            yield from body(node.body, address, path, tiles)

    def body(
        nodes: tuple[Node, ...], address: Address, path: tuple[Trip, ...], tiles: dict[str, tuple[int, int]]
    ) -> Iterator[Executed]:
        for number, node in enumerate(nodes):
            yield from visit(node, (*address, number), path, tiles)

    for number, part in enumerate(program.phases):
        yield from body(tuple(part.nodes()), (number,), (), {})


def elements(array: Array, done: Executed, family: Family) -> list[Element]:
    """The elements of an array in the operation's box."""
    ranges = [range(*done.tiles.get(axis, (0, family.extents[axis]))) for axis in array.axes]
    return [(array.name, index) for index in itertools.product(*ranges)]


class Reference:
    """Red and blue pebbles as sets of chain positions, by element (position 0 where there is no chain)."""

    def __init__(self, family: Family, M: int | None) -> None:
        self.family, self.M = family, M
        self.outcome = Outcome()
        self.words = self.highest = 0
        for array in family.arrays:
            axes = [range(family.extents[axis]) for axis in array.axes]
            for index in itertools.product(*axes):
                self.outcome.red[array.name, index] = set()
                self.outcome.blue[array.name, index] = set() if array.operands else {0}

    def place(self, element: Element, position: int) -> None:
        self.words += position not in self.outcome.red[element]
        self.outcome.red[element].add(position)
        self.highest = max(self.highest, self.words)

    def remove(self, element: Element, position: int) -> None:
        self.outcome.red[element].remove(position)
        self.words -= 1

    def execute(self, done: Executed) -> set[str]:
        """Execute an operation; the rules it breaks."""
        array, op = self.family[done.operation.array], done.operation
        box = elements(array, done, self.family)
        self.highest = self.words
        broken = (
            {
                "load": self.load,
                "store": self.store,
                "delete": self.delete,
            }[op.action](box)
            if op.action != "compute"
            else self.compute(array, box, done)
        )
        if self.M is not None and self.highest > self.M:
            broken.add("memory-full")
        self.outcome.peak = max(self.outcome.peak, self.highest)
        return broken

    def load(self, box: list[Element]) -> set[str]:
        broken = set()
        for element in box:
            blue, red = self.outcome.blue[element], self.outcome.red[element]
            if not blue:
                broken.add("load-needs-blue")
            elif red and red != {max(blue)}:
                broken.add("one-partial-result")
            else:
                self.place(element, max(blue))
            self.outcome.reads[element[0]] += 1
        return broken

    def store(self, box: list[Element]) -> set[str]:
        for element in box:
            self.outcome.blue[element] |= self.outcome.red[element]
            self.outcome.writes[element[0]] += 1
        return {"store-needs-red"} if any(not self.outcome.red[element] for element in box) else set()

    def delete(self, box: list[Element]) -> set[str]:
        missing = [element for element in box if not self.outcome.red[element]]
        for element in set(box) - set(missing):
            self.remove(element, *self.outcome.red[element])
        return {"delete-needs-red"} if missing else set()

    def compute(self, array: Array, box: list[Element], done: Executed) -> set[str]:
        broken: set[str] = set()
        replaced = None if done.operation.replacing is None else self.family[done.operation.replacing]
        if (
            replaced is not None
            and array.chain is None
            and len({bool(self.outcome.red[e]) for e in box}) == 2
        ):
            broken.add("whole-box")
        start, stop = 0, 1
        if array.chain is not None:
            start, stop = done.tiles.get(array.chain, (0, self.family.extents[array.chain]))
        for element in box:
            at = dict(zip(array.axes, element[1], strict=True))
            for position in range(start, stop):
                broken |= self.compute_vertex(array, element, position, at)
            if replaced is not None:
                broken |= self.delete([(replaced.name, tuple(at[axis] for axis in replaced.axes))])
        return broken

    def compute_vertex(self, array: Array, element: Element, position: int, at: dict[str, int]) -> set[str]:
        broken = set()
        red = self.outcome.red[element]
        if array.chain is not None:
            at = at | {array.chain: position}
            if position == 0 and red:
                broken.add("one-partial-result")
            if position > 0 and position - 1 not in red:
                broken.add("compute-needs-predecessors")
        for name in array.operands:
            operand = self.family[name]
            last = 0 if operand.chain is None else self.family.extents[operand.chain] - 1
            if last not in self.outcome.red[name, tuple(at[axis] for axis in operand.axes)]:
                broken.add("compute-needs-predecessors")
        self.place(element, position)
        for older in red - {position}:
            self.remove(element, older)
        self.outcome.computes[array.name] += 1
        return broken


def refer(program: Program, family: Family, M: int | None = None) -> Outcome:
    """Execute a program on sets, up to the first operation that breaks a rule."""
    reference = Reference(family, M)
    outcome = reference.outcome
    for done in executions(program, family):
        broken = reference.execute(done)
        if broken:
            outcome.broken, outcome.place, outcome.address = (
                broken,
                (str(done.operation), done.path),
                done.address,
            )
            return outcome
        outcome.executed += 1
    for array in family.outputs:
        last = 0 if array.chain is None else family.extents[array.chain] - 1
        if any(last not in blue for (name, _), blue in outcome.blue.items() if name == array.name):
            outcome.broken = {"output-missing"}
    return outcome
