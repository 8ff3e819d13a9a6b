"""Programs executed element by element on plain sets: what the machine, lowering and closed form are tested against.

Own loops, own predecessors, own rules; of the package it uses only the classes a program and a family are made of,
and of a mask only which pairs are allowed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.program.names import Array, Condition, Family, Loop, Node, Operation, Program
from tests.program.pairs import Pairs

Element = tuple[str, tuple[int, ...]]
Interval = tuple[int, int]
Trip = tuple[str, int, int]
Address = tuple[int, ...]
Tiles = dict[str, Interval]


@dataclass(frozen=True)
class Executed:
    """One execution of an operation: where it stands in the text, in which iterations, on which tiles."""

    operation: Operation
    address: Address
    path: tuple[Trip, ...]
    tiles: Tiles


@dataclass
class Outcome:
    """The verdict: no broken rules, or those that the first refused operation breaks.

    It is ``strict`` if the language alone forbids the operation: its single moves may be legal. It is ``void`` if some
    operation moves nothing of a chain that begins in the current tile, and that was computed before or is stored.
    """

    broken: set[str] = field(default_factory=set)
    strict: bool = False
    void: bool = False
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


class Walk:
    """The loops of a program, tile by tile."""

    def __init__(self, program: Program, family: Family, pairs: Pairs) -> None:
        self.program, self.family, self.pairs = program, family, pairs
        self.tiles: Tiles = {}
        self.around: dict[str, tuple[str, Interval, Interval]] = {}
        self.path: list[Trip] = []

    def __iter__(self) -> Iterator[Executed]:
        for number, part in enumerate(self.program.phases):
            yield from self.body(part.nodes(), (number,))

    def body(self, nodes: Iterable[Node], address: Address) -> Iterator[Executed]:
        for number, node in enumerate(nodes):
            place = (*address, number)
            if isinstance(node, Operation):
                tiles = self.tiles | {axis: (a, b) for axis, a, b in node.at}
                yield Executed(node, place, tuple(self.path), tiles)
            elif isinstance(node, Loop):
                yield from self.loop(node, place)
            elif self.holds(node.condition):
                yield from self.body(node.body, place)

    def loop(self, node: Loop, address: Address) -> Iterator[Executed]:
        outer = self.tiles.get(node.axis)
        end = self.family.extents[node.axis] if node.stop is None else node.stop
        whole = outer or (node.start, end)
        # A loop in a loop of its label is one loop with that: first and last are told of what both run over.
        same = self.around.get(node.label)
        together = same[1] if same else whole
        starts = range(*whole, node.tile)
        for index, a in enumerate(starts):
            tile = a, min(a + node.tile, whole[1])
            if not self.pairs.meet(node.axis, tile, self.tiles):
                continue
            self.tiles[node.axis] = tile
            self.around[node.label] = node.axis, together, tile
            self.path.append((node.label, index, len(starts)))
            yield from self.body(node.body, address)
            self.path.pop()
            del self.around[node.label]
            if same:
                self.around[node.label] = same
            del self.tiles[node.axis]
        if outer:
            self.tiles[node.axis] = outer

    def holds(self, condition: Condition) -> bool:
        """Whether a condition holds: no tile is visited before (after) this one, the other axis as it stands."""
        axis, whole, tile = self.around[condition.label]
        rest = (whole[0], tile[0]) if condition.which == "first" else (tile[1], whole[1])
        return (rest[0] < rest[1] and self.pairs.meet(axis, rest, self.tiles)) == condition.negated


def executions(program: Program, family: Family) -> Iterator[Executed]:
    """All executions of operations, in order."""
    return iter(Walk(program, family, Pairs(family)))


class Reference:
    """Red and blue pebbles as sets of chain positions, by element (position 0 where there is no chain)."""

    def __init__(self, family: Family, M: int | None, pairs: Pairs) -> None:
        self.family, self.M, self.pairs = family, M, pairs
        self.outcome = Outcome()
        self.words = self.highest = 0
        self.strict = True
        self.computed: set[Element] = set()
        for array in family.arrays:
            whole = self.elements(array, {})
            self.outcome.red |= {element: set() for element in whole}
            self.outcome.blue |= {element: set() if array.operands else {0} for element in whole}

    def elements(self, array: Array, tiles: Tiles) -> list[Element]:
        """The elements of an array in a box that exist."""
        ranges = [range(*tiles.get(axis, (0, self.family.extents[axis]))) for axis in array.axes]
        every = itertools.product(*ranges)
        if self.pairs.table is None:
            return [(array.name, index) for index in every]
        return [(array.name, index) for index in every if self.pairs.exist(array.axes, index)]

    def steps(self, array: Array, element: Element) -> range | list[int]:
        """The positions of an element's chain that exist."""
        if array.chain is None:
            return range(1)
        if not self.pairs.masks(array.chain):
            return range(self.family.extents[array.chain])
        return self.pairs.partners(array.chain, array.axes, element[1])

    def waits(self, array: Array, element: Element, tiles: Tiles, stores: bool = False) -> bool:
        """Whether a chain cannot have begun before the current tile: there is nothing of it to be moved."""
        if array.chain is None or not self.pairs.masks(array.chain) or array.chain not in tiles:
            return False
        first, (start, stop) = self.steps(array, element)[0], tiles[array.chain]
        self.outcome.void |= first >= start and (element in self.computed or (stores and first < stop))
        return first >= start

    def place(self, element: Element, position: int) -> None:
        red = self.outcome.red[element]
        if position not in red:
            red.add(position)
            self.words += 1
            self.highest = max(self.highest, self.words)

    def remove(self, element: Element, position: int) -> None:
        self.outcome.red[element].remove(position)
        self.words -= 1

    def execute(self, done: Executed) -> set[str]:
        """Execute an operation; the rules it breaks."""
        array, op = self.family[done.operation.array], done.operation
        self.highest, self.strict = self.words, True
        broken = getattr(self, op.action)(array, self.elements(array, done.tiles), done)
        if self.M is not None and self.highest > self.M:
            broken |= self.breaks("memory-full")
        self.outcome.peak = max(self.outcome.peak, self.highest)
        assert isinstance(broken, set)
        return broken

    def breaks(self, rule: str, *, strict: bool = False) -> set[str]:
        self.strict = self.strict and strict
        return {rule}

    def load(self, array: Array, box: list[Element], done: Executed) -> set[str]:
        broken: set[str] = set()
        for element in box:
            blue, red = self.outcome.blue[element], self.outcome.red[element]
            if not blue and self.waits(array, element, done.tiles):
                if red:
                    broken |= self.breaks("one-partial-result", strict=True)
                continue
            if not blue:
                broken |= self.breaks("load-needs-blue")
            elif red and red != {max(blue)}:
                broken |= self.breaks("one-partial-result", strict=True)
            else:
                self.place(element, max(blue))
            self.outcome.reads[array.name] += 1
        return broken

    def store(self, array: Array, box: list[Element], done: Executed) -> set[str]:
        broken: set[str] = set()
        for element in box:
            red = self.outcome.red[element]
            if red:
                self.outcome.blue[element] |= red
                self.outcome.writes[array.name] += 1
            elif not self.waits(array, element, done.tiles, stores=True):
                broken |= self.breaks("store-needs-red")
        return broken

    def delete(self, array: Array, box: list[Element], done: Executed) -> set[str]:
        broken: set[str] = set()
        for element in box:
            red = self.outcome.red[element]
            if red:
                self.remove(element, *red)
            elif not self.waits(array, element, done.tiles):
                broken |= self.breaks("delete-needs-red")
        return broken

    def compute(self, array: Array, box: list[Element], done: Executed) -> set[str]:
        replaced = None if done.operation.replacing is None else self.family[done.operation.replacing]
        broken = self.whole_operands(array, done)
        if replaced and array.chain is None and len({bool(self.outcome.red[e]) for e in box}) == 2:
            broken |= self.breaks("whole-box", strict=True)
        for element in box:
            at = dict(zip(array.axes, element[1], strict=True))
            broken |= self.advance(array, element, at, done)
            if replaced is not None:
                broken |= self.replace((replaced.name, tuple(at[axis] for axis in replaced.axes)))
        return broken

    def replace(self, element: Element) -> set[str]:
        """Delete an element that must be there, begun or not."""
        red = self.outcome.red[element]
        if not red:
            return self.breaks("delete-needs-red")
        self.remove(element, *red)
        return set()

    def whole_operands(self, array: Array, done: Executed) -> set[str]:
        """The language asks for all of the operands' boxes, whichever of it the allowed pairs read.

        A chain that is read at a step is asked for on the lines that have the step, and one step at a time.
        """
        for text in array.operands:
            name, _, which = text.partition("@")
            operand = self.family[name]
            box = self.elements(operand, done.tiles)
            if which:
                step, stop = done.tiles.get(str(operand.chain), (0, self.family.extents[str(operand.chain)]))
                there = stop == step + 1 and all(self.is_at(operand, one, step, which) for one in box)
            else:
                there = all(self.is_complete(operand, one) for one in box)
            if not there:
                return self.breaks("compute-needs-predecessors", strict=True)
        return set()

    def is_at(self, array: Array, element: Element, step: int, which: str) -> bool:
        steps = self.steps(array, element)
        if step not in steps:
            return True
        if which == "after":
            return step in self.outcome.red[element]
        before = [position for position in steps if position < step]
        return not before or before[-1] in self.outcome.red[element]

    def is_complete(self, array: Array, element: Element) -> bool:
        return self.steps(array, element)[-1] in self.outcome.red[element]

    def advance(self, array: Array, element: Element, at: dict[str, int], done: Executed) -> set[str]:
        """Compute the steps of one element's chain that lie in the current tile."""
        steps = self.steps(array, element)
        start, stop = 0, 1
        if array.chain is not None:
            start, stop = done.tiles.get(array.chain, (0, self.family.extents[array.chain]))
        red = self.outcome.red[element]
        broken: set[str] = set()
        before = [position for position in steps if position < start]
        inside = [position for position in steps if start <= position < stop]
        if array.chain is not None and red != set(before[-1:]):
            rule = "one-partial-result" if start == 0 else "compute-needs-predecessors"
            broken |= self.breaks(rule, strict=not (before and inside) or before[-1] in red)
        self.computed |= {element} if inside else set()
        for position in inside:
            inputs = at if array.chain is None else at | {array.chain: position}
            broken |= self.operands_red(array, inputs)
            self.place(element, position)
            for older in red - {position}:
                self.remove(element, older)
            self.outcome.computes[array.name] += 1
        return broken

    def operands_red(self, array: Array, at: dict[str, int]) -> set[str]:
        for text in array.operands:
            name, _, which = text.partition("@")
            operand = self.family[name]
            element = name, tuple(at[axis] for axis in operand.axes)
            if not (
                self.is_at(operand, element, at[str(operand.chain)], which)
                if which
                else self.is_complete(operand, element)
            ):
                return self.breaks("compute-needs-predecessors")
        return set()

    def outputs_missing(self) -> bool:
        outputs = (array for array in self.family.arrays if array.output)
        return any(
            self.steps(array, element)[-1] not in self.outcome.blue[element]
            for array in outputs
            for element in self.elements(array, {})
        )


def refer(program: Program, family: Family, M: int | None = None) -> Outcome:
    """Execute a program on sets, up to the first operation that breaks a rule."""
    pairs = Pairs(family)
    reference = Reference(family, M, pairs)
    outcome = reference.outcome
    for done in Walk(program, family, pairs):
        broken = reference.execute(done)
        if broken:
            outcome.broken, outcome.strict = broken, reference.strict
            outcome.place, outcome.address = (str(done.operation), done.path), done.address
            return outcome
        outcome.executed += 1
    outcome.broken = {"output-missing"} if reference.outputs_missing() else set()
    return outcome
