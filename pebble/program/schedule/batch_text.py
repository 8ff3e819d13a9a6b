"""Programs that differ in numbers only: their common text, and each one's numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pebble.common.errors import NoClosedForm
from pebble.computations.family import Family
from pebble.program.closed_forms.chains import Reached, reached
from pebble.program.nodes import Condition, Loop, Node, Operation, Program
from pebble.program.places import Place, places

__all__ = ["LoopText", "MoveText", "NodeText", "TextNumbers", "TextReader", "WhenText"]

TextNumbers: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class MoveText:
    """An operation; ``upto`` says how far a masked chain has got, ``number`` where that is one of the numbers."""

    operation: Operation
    upto: str = ""
    number: int = -1


@dataclass(frozen=True)
class LoopText:
    """A loop; its tile size, start and stop are three of the program's numbers, from ``number`` on."""

    axis: str
    label: str
    number: int
    body: tuple[NodeText, ...]
    numbers: TextNumbers
    """All numbers that the loop or its body reads."""
    conditions: tuple[str, ...]
    """What loops are called that its body's conditions ask about."""


@dataclass(frozen=True)
class WhenText:
    """Nodes on a condition."""

    condition: Condition
    body: tuple[NodeText, ...]


NodeText: TypeAlias = MoveText | LoopText | WhenText


class TextReader:
    """Reads some phases of programs, each text once however many programs have it.

    Parameters
    ----------
    family : Family
    phases : collection of int
    """

    def __init__(self, family: Family, phases: Collection[int]) -> None:
        self.family, self.phases = family, tuple(sorted(phases))
        self._along: TextNumbers = ()
        self._texts: dict[tuple[NodeText, ...], tuple[NodeText, ...]] = {}
        self._known: dict[object, tuple[tuple[NodeText, ...], TextNumbers, TextNumbers]] = {}

    def read(self, program: Program) -> tuple[tuple[NodeText, ...], TextNumbers]:
        """Return the text of the phases, the same object for programs that have the same, and the numbers in it.

        Raises
        ------
        NoClosedForm
            Where the text does not say how far a chain has got that is moved, or operations are yielded one by one.
        """
        if any(part.generate is not None for part in program.phases):
            raise NoClosedForm("operations are yielded one by one")
        self._along = self._along or _along(program, self.family, self.phases)
        tiles: list[int] = []
        bounds = tuple(
            _bounds(node, tiles if number in self.phases else [])
            for number in self._along
            for node in program.phases[number].body
        )
        if bounds not in self._known:
            self._known[bounds] = self._read(program)
        text, numbers, places = self._known[bounds]
        found = list(numbers)
        for place, tile in zip(places, tiles, strict=True):
            found[place] = tile
        return text, tuple(found)

    def _read(self, program: Program) -> tuple[tuple[NodeText, ...], TextNumbers, TextNumbers]:
        """Return a text, the numbers, and which of them are tile sizes."""
        reader = _NodeReader(_reached(program, self.family, self.phases), self.family)
        text = tuple(node for number in self.phases for node in reader.body(program.phases[number].body))
        return self._texts.setdefault(text, text), tuple(reader.numbers), tuple(reader.tiles)


def _along(program: Program, family: Family, phases: Collection[int]) -> TextNumbers:
    """Return the phases, and all others that compute what they move of masked chains."""
    found = [place for place in places(program) if family[place.operation.array].chain in family.masked_axes]
    moved = {place.operation.array for place in found if place.path[0] in phases}
    others = {place.path[0] for place in found if place.operation.array in moved}
    return tuple(sorted({*phases, *others}))


def _bounds(node: Node, tiles: list[int]) -> object:
    """Return what a node says but for its tile sizes, and add these to a list."""
    if isinstance(node, Operation):
        return node
    if isinstance(node, Loop):
        tiles.append(node.tile)
    inner = tuple([_bounds(one, tiles) for one in node.body])
    if isinstance(node, Loop):
        return node.axis, node.label, node.start, node.stop, inner
    return node.condition, inner


def _reached(program: Program, family: Family, phases: Collection[int]) -> Iterator[Reached | None]:
    """Yield how far its chain has got at every operation that moves or deletes, None where that does not matter."""
    found = list(places(program))
    for place in found:
        array = family[place.operation.array]
        if place.path[0] not in phases:
            continue
        if place.operation.at:
            raise NoClosedForm("operations are on given boxes")
        if place.operation.action == "compute" or array.chain not in family.masked_axes:
            yield None
        else:
            yield reached(place, _computes(found, array.name), array, family)


def _computes(found: list[Place], name: str) -> list[Place]:
    return [one for one in found if (one.operation.action, one.operation.array) == ("compute", name)]


class _NodeReader:
    """Reads nodes one after the other, and collects their numbers."""

    def __init__(self, upto: Iterator[Reached | None], family: Family) -> None:
        self.upto, self.family = upto, family
        self.numbers: list[int] = []
        self.tiles: list[int] = []

    def body(self, nodes: tuple[Node, ...]) -> tuple[NodeText, ...]:
        return tuple(self.node(node) for node in nodes)

    def node(self, node: Node) -> NodeText:
        if isinstance(node, Operation):
            return self._operation(node)
        if not isinstance(node, Loop):
            return WhenText(node.condition, self.body(node.body))
        number = len(self.numbers)
        stop = self.family.extents[node.axis] if node.stop is None else node.stop
        self.tiles.append(number)
        self.numbers += [node.tile, node.start, stop]
        body = self.body(node.body)
        inside = tuple(range(number, len(self.numbers)))
        return LoopText(node.axis, node.label, number, body, inside, tuple(sorted(set(_labels(body)))))

    def _operation(self, node: Operation) -> MoveText:
        upto = next(self.upto)
        if not isinstance(upto, int):
            return MoveText(node, upto or "")
        self.numbers.append(upto)
        return MoveText(node, "number", len(self.numbers) - 1)


def _labels(body: tuple[NodeText, ...]) -> Iterator[str]:
    """Yield what loops are called that conditions ask about."""
    for node in body:
        if isinstance(node, WhenText):
            yield node.condition.label
        if not isinstance(node, MoveText):
            yield from _labels(node.body)
