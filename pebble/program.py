"""The program language: a schedule as a loop nest over tiles, readable like the algorithm box of a paper.

A program is a list of phases; a phase is a loop nest of four operations (load, store, compute, delete). An
operation names an array; its box is, on each axis of the array, the tile of the innermost enclosing loop over
that axis, or the whole axis. A loop inside a loop over the same axis splits the outer tile.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pebble.errors import InvalidInput
from pebble.family import Family
from pebble.visits import Visit, visited

__all__ = [
    "Condition",
    "Line",
    "Loop",
    "Node",
    "Nodes",
    "Operation",
    "Phase",
    "Program",
    "Step",
    "When",
    "compute",
    "delete",
    "first",
    "last",
    "load",
    "loop",
    "not_first",
    "not_last",
    "phase",
    "program",
    "pseudo_code",
    "store",
    "tile_count",
    "validate",
    "walk",
    "when",
]

Action = Literal["load", "store", "compute", "delete"]
Interval = tuple[int, int]
Place = tuple[int, ...]


@dataclass(frozen=True)
class Operation:
    """One operation on one box of an array.

    Parameters
    ----------
    action : {"load", "store", "compute", "delete"}
    array : str
        On an array with a chain, ``compute`` advances the chain over the current tile of the chain's axis,
        and ``store`` and ``load`` move the current partial result.
    replacing : str, optional
        For ``compute``: delete this array's element right after each element is placed.
    at : tuple of (axis, start, stop)
        Explicit intervals, for programs of bare operations.
    """

    action: Action
    array: str
    replacing: str | None = None
    at: tuple[tuple[str, int, int], ...] = ()

    def __str__(self) -> str:
        box = "".join(f", {axis}={a}:{b}" for axis, a, b in self.at)
        replacing = f" replacing {self.replacing}" if self.replacing else ""
        return f"{self.action} {self.array}{f'[{box[2:]}]' if box else ''}{replacing}"


@dataclass(frozen=True)
class Condition:
    """Whether an enclosing loop is in its first or last iteration (or not)."""

    label: str
    which: Literal["first", "last"]
    negated: bool = False

    def __str__(self) -> str:
        return f"{'not ' if self.negated else ''}the {self.which} {self.label}"

    def holds_at(self, index: int, count: int) -> bool:
        """Whether it holds in iteration ``index`` of ``count`` of a loop that visits all of its tiles."""
        return (index == (0 if self.which == "first" else count - 1)) != self.negated

    def holds(self, visit: Visit, tiles: Mapping[str, Interval], family: Family) -> bool:
        """Whether it holds in a visit of its loop, with the current tiles of all loops around."""
        return visit.is_end(self.which, tiles, family) != self.negated


@dataclass(frozen=True)
class Loop:
    """A loop over tiles of an axis, the last one ragged.

    Parameters
    ----------
    axis : str
    tile : int
        Length of a tile.
    body : tuple of Node
    start, stop : int, optional
        Part of the axis to run over; only where no enclosing loop runs over the same axis.
    label : str
        What conditions call the loop; the axis by default.
    """

    axis: str
    tile: int
    body: tuple[Node, ...]
    start: int = 0
    stop: int | None = None
    label: str = ""


@dataclass(frozen=True)
class When:
    """Nodes that are executed only where a condition on an enclosing loop holds."""

    condition: Condition
    body: tuple[Node, ...]


Node = Operation | Loop | When
Nodes = Node | Iterable["Nodes"] | None


def _flatten(nodes: Iterable[Nodes]) -> tuple[Node, ...]:
    flat: list[Node] = []
    for node in nodes:
        if node is None:
            continue
        if isinstance(node, Operation | Loop | When):
            flat.append(node)
        else:
            flat.extend(_flatten(node))
    return tuple(flat)


def _operations(action: Action, arrays: tuple[str, ...], at: dict[str, Interval]) -> tuple[Operation, ...]:
    box = tuple((axis, a, b) for axis, (a, b) in at.items())
    return tuple(Operation(action, array, at=box) for array in arrays)


def load(*arrays: str, **at: Interval) -> tuple[Operation, ...]:
    """Load the current box of each array: ``load("K", "V")``."""
    return _operations("load", arrays, at)


def store(*arrays: str, **at: Interval) -> tuple[Operation, ...]:
    """Store the current box of each array."""
    return _operations("store", arrays, at)


def delete(*arrays: str, **at: Interval) -> tuple[Operation, ...]:
    """Delete the current box of each array from fast memory."""
    return _operations("delete", arrays, at)


def compute(array: str, replacing: str | None = None, **at: Interval) -> Operation:
    """Compute the current box of an array, or advance its chain over the current tile of the chain's axis."""
    return Operation("compute", array, replacing, tuple((axis, a, b) for axis, (a, b) in at.items()))


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


@dataclass(frozen=True)
class Phase:
    """A titled loop nest, or a generator of bare operations.

    Parameters
    ----------
    title : str
    body : tuple of Node
    generate : callable, optional
        Called without arguments whenever the operations are needed again; yields :class:`Operation`.
    """

    title: str
    body: tuple[Node, ...] = ()
    generate: Callable[[], Iterable[Operation]] | None = None

    def nodes(self) -> Iterable[Node]:
        """The phase's nodes, in order."""
        return self.body if self.generate is None else self.generate()

    def __str__(self) -> str:
        return "\n".join(line.text for line in _phase_lines(self, 0))


def phase(title: str, *body: Nodes, generate: Callable[[], Iterable[Operation]] | None = None) -> Phase:
    """Make a phase of nodes, or of a generator of bare operations."""
    return Phase(title, _flatten(body), generate)


@dataclass(frozen=True)
class Program:
    """A schedule as data.

    Examples
    --------
    >>> from pebble.matmul import matmul_family
    >>> product = program(phase("C = AB", loop("i", 8, loop("j", 8,
    ...     loop("k", 1, load("A", "B"), compute("C"), delete("A", "B")), store("C"), delete("C")))))
    >>> print(product)
    # C = AB
    for i in tiles of 8:
        for j in tiles of 8:
            for each k: load A; load B; compute C; delete A; delete B
            store C; delete C
    """

    phases: tuple[Phase, ...]

    def __str__(self) -> str:
        return "\n".join(str(phase) for phase in self.phases)


def program(*phases: Phase | Node) -> Program:
    """Make a program of phases (bare nodes become an untitled phase)."""
    return Program(tuple(p if isinstance(p, Phase) else Phase("", (p,)) for p in phases))


# Pseudo-code


def _loop_head(node: Loop) -> str:
    end = "end" if node.stop is None else node.stop
    part = "" if (node.start, node.stop) == (0, None) else f" in [{node.start}, {end})"
    label = "" if node.label == node.axis else f" ({node.label})"
    if node.tile == 1:
        return f"for each {node.axis}{part}{label}:"
    return f"for {node.axis}{part} in tiles of {node.tile}{label}:"


@dataclass(frozen=True)
class Line:
    """A line of pseudo-code, and which of its columns belong to which operation.

    Attributes
    ----------
    text : str
    spans : tuple of (place, start, stop)
        Place of an operation as in :class:`Step`, first column, column after the last. A phase that is yielded
        one by one has one span, for all its operations, whose place is the number of the phase alone.
    """

    text: str
    spans: tuple[tuple[Place, int, int], ...] = ()

    def after(self, prefix: str) -> Line:
        """Put something before the line."""
        by = len(prefix)
        return Line(prefix + self.text, tuple((place, a + by, b + by) for place, a, b in self.spans))


def pseudo_code(program: Program) -> list[Line]:
    """Return the lines of ``str(program)`` with the places of the operations.

    Examples
    --------
    >>> pseudo_code(program(loop("i", 1, load("Q"), delete("Q"))))
    [Line(text='for each i: load Q; delete Q', spans=(((0, 0, 0), 12, 18), ((0, 0, 1), 20, 28)))]
    """
    return [line for number, part in enumerate(program.phases) for line in _phase_lines(part, number)]


def _phase_lines(part: Phase, number: int) -> list[Line]:
    lines = [Line(f"# {part.title}")] if part.title else []
    if part.generate is not None:
        text = "(operations yielded one by one)"
        lines.append(Line(text, (((number,), 0, len(text)),)))
    return lines + _render(part.body, 0, (number,))


def _render(nodes: tuple[Node, ...], depth: int, place: Place) -> list[Line]:
    indent = "    " * depth
    lines = []
    for bare, group in itertools.groupby(enumerate(nodes), key=lambda pair: isinstance(pair[1], Operation)):
        if bare:
            lines.append(_joined([(str(node), (*place, at)) for at, node in group]).after(indent))
            continue
        for at, node in group:
            assert not isinstance(node, Operation)
            head = _loop_head(node) if isinstance(node, Loop) else f"if {node.condition}:"
            inner = _render(node.body, depth + 1, (*place, at))
            if len(inner) == 1 and not inner[0].text.lstrip().startswith(("for ", "if ")):
                body = _render(node.body, 0, (*place, at))[0]
                lines.append(body.after(f"{indent}{head} "))
            else:
                lines.append(Line(indent + head))
                lines.extend(inner)
    return lines


def _joined(operations: list[tuple[str, Place]]) -> Line:
    """Put operations on one line, with semicolons between them."""
    text, spans = "", []
    for word, place in operations:
        text += "; " if text else ""
        spans.append((place, len(text), len(text) + len(word)))
        text += word
    return Line(text, tuple(spans))


# Validation


def validate(program: Program, family: Family) -> None:
    """Raise InvalidInput where a program does not make sense for a family.

    Unknown arrays, axes or labels, tiles of no length, a part of an axis inside a loop over the same axis,
    explicit boxes inside a loop over their axis, or a replaced array of another shape.
    """
    for part in program.phases:
        for node in part.nodes():
            if part.generate is not None and not isinstance(node, Operation):
                raise InvalidInput(
                    f"a generated phase yields bare operations, not {type(node).__name__.lower()}s"
                )
            _validate_node(node, family, [])


def _validate_node(node: Node, family: Family, enclosing: list[Loop]) -> None:
    if isinstance(node, Operation):
        _validate_operation(node, family, enclosing)
        return
    if isinstance(node, When):
        if node.condition.label not in {outer.label for outer in enclosing}:
            raise InvalidInput(f"condition on {node.condition}: no enclosing loop is called that")
    else:
        _validate_loop(node, family, enclosing)
        enclosing = [*enclosing, node]
    for inner in node.body:
        _validate_node(inner, family, enclosing)


def _validate_loop(node: Loop, family: Family, enclosing: list[Loop]) -> None:
    if node.axis not in family.extents:
        raise InvalidInput(f"loop over {node.axis}: {family.name} has axes {', '.join(family.extents)}")
    if node.tile < 1:
        raise InvalidInput(f"loop over {node.axis}: a tile of {node.tile} has no length")
    if any(outer.label == node.label for outer in enclosing):
        raise InvalidInput(f"two nested loops are both called {node.label!r}: give one another label")
    if (node.start, node.stop) == (0, None):
        return
    extent = family.extents[node.axis]
    if not 0 <= node.start <= (extent if node.stop is None else node.stop) <= extent:
        raise InvalidInput(f"loop over {node.axis} in [{node.start}, {node.stop}): the axis has {extent}")
    if any(outer.axis == node.axis for outer in enclosing):
        raise InvalidInput(f"a loop over part of {node.axis} cannot stand in another loop over {node.axis}")


def _validate_operation(node: Operation, family: Family, enclosing: list[Loop]) -> None:
    array = family[node.array]
    if node.action == "compute" and array.is_input:
        raise InvalidInput(f"compute {node.array}: {node.array} is an input; load it")
    if node.replacing is not None and (
        node.replacing == node.array or set(family[node.replacing].axes) != set(array.axes)
    ):
        raise InvalidInput(f"{node}: only another array with the same axes can be replaced")
    for axis, start, stop in node.at:
        if axis not in array.indices or not 0 <= start < stop <= family.extents[axis]:
            raise InvalidInput(f"{node}: {axis}={start}:{stop} is no interval of an axis of {node.array}")
        if any(outer.axis == axis for outer in enclosing):
            raise InvalidInput(f"{node}: an explicit interval of {axis} cannot stand in a loop over {axis}")


# Execution in order


def tile_count(start: int, stop: int, tile: int) -> int:
    """Number of tiles of [start, stop), the ragged last one included."""
    return -((start - stop) // tile)


def tile_at(start: int, stop: int, tile: int, index: int) -> Interval:
    """Bounds of tile number ``index`` of [start, stop)."""
    return start + index * tile, min(stop, start + (index + 1) * tile)


def loop_range(node: Loop, tiles: Mapping[str, Interval], family: Family) -> Interval:
    """What a loop runs over: the tile of an enclosing loop over its axis, its own part, or the whole axis."""
    if node.axis in tiles:
        return tiles[node.axis]
    return node.start, family.extents[node.axis] if node.stop is None else node.stop


@dataclass(frozen=True)
class Step:
    """One executed operation: the tile of every axis at that moment, and where in the loops it is.

    Attributes
    ----------
    operation : Operation
    tiles : mapping of str to (start, stop)
    path : tuple of (label, index, count)
        The iteration of every enclosing loop, the outermost first.
    place : tuple of int
        Where the operation stands in the program: the number of its phase, then of the node in each body.
    """

    operation: Operation
    tiles: Mapping[str, Interval]
    path: tuple[tuple[str, int, int], ...]
    place: Place = ()

    def interval(self, axis: str, family: Family) -> Interval:
        """The operation's interval on an axis."""
        return self.tiles.get(axis) or (0, family.extents[axis])

    def box(self, name: str, family: Family) -> tuple[Interval, ...]:
        """The operation's box on the index axes of an array."""
        return tuple(self.interval(axis, family) for axis in family[name].axes)


def walk(program: Program, family: Family) -> Iterator[Step]:
    """Execute every iteration of every loop in order, lazily.

    Cost is proportional to the number of operations executed; use the machine's induction for large sizes.
    """
    for number, part in enumerate(program.phases):
        for inner_number, node in enumerate(part.nodes()):
            yield from _walk(node, family, {}, (), (number, inner_number))


def _walk(
    node: Node,
    family: Family,
    tiles: dict[str, Interval],
    visits: tuple[tuple[str, Visit], ...],
    place: Place,
) -> Iterator[Step]:
    if isinstance(node, Operation):
        path = tuple((label, visit.index, visit.count) for label, visit in visits)
        yield Step(node, {**tiles, **{axis: (a, b) for axis, a, b in node.at}}, path, place)
    elif isinstance(node, When):
        if node.condition.holds(dict(visits)[node.condition.label], tiles, family):
            for number, inner in enumerate(node.body):
                yield from _walk(inner, family, tiles, visits, (*place, number))
    else:
        whole = loop_range(node, tiles, family)
        count = tile_count(*whole, node.tile)
        for index in visited(node.axis, whole, node.tile, tiles, family):
            tile = tile_at(*whole, node.tile, index)
            inside = (*visits, (node.label, Visit(node.axis, index, count, whole, tile)))
            for number, inner in enumerate(node.body):
                yield from _walk(inner, family, {**tiles, node.axis: tile}, inside, (*place, number))
