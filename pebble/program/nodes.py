"""What a program is made of, and how it prints: operations, loops over tiles, conditions, phases.

A program is a list of phases; a phase is a loop nest of four operations (load, store, compute, delete). An
operation names an array; its box is, on each axis of the array, the tile of the innermost enclosing loop over
that axis, or the whole axis. A loop inside a loop over the same axis splits the outer tile.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Literal, get_args

from pebble.computations.family import Family
from pebble.computations.masks.mask import Interval
from pebble.program.visits import Visit

__all__ = [
    "Action",
    "Condition",
    "Interval",
    "Line",
    "Loop",
    "Node",
    "Nodes",
    "Operation",
    "PartProgram",
    "Phase",
    "Place",
    "Program",
    "When",
    "pseudo_code",
    "pseudo_code_html",
]

Action = Literal["load", "store", "compute", "delete"]

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
    level : int
        Which memory level a load fills, a store empties into the next, a delete frees; the innermost, 1, is what
        computes. Printed as ``load2 K`` where it is not 1.
    resumes : bool
        Of a load: whether what is loaded is a partial sum that no other array reads before it is deleted. Where partial
        sums are added in slow memory it need not be loaded.
    """

    action: Action
    array: str
    replacing: str | None = None
    at: tuple[tuple[str, int, int], ...] = ()
    level: int = 1
    resumes: bool = False

    def __str__(self) -> str:
        box = "".join(f", {axis}={a}:{b}" for axis, a, b in self.at)
        replacing = f" replacing {self.replacing}" if self.replacing else ""
        level = "" if self.level == 1 else str(self.level)
        return f"{self.action}{level} {self.array}{f'[{box[2:]}]' if box else ''}{replacing}"


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


@dataclass(frozen=True)
class Program:
    """A schedule as data.

    Parameters
    ----------
    phases : tuple of Phase
    parts : tuple of PartProgram
        In place of phases: a program for each different part that the mask falls apart into. Part after part is
        computed by the program of its kind; see :mod:`pebble.program.parts_in_turn`.

    Examples
    --------
    >>> from pebble.program import compute, delete, load, loop, phase, program, store
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
    parts: tuple[PartProgram, ...] = ()

    @property
    def numbered(self) -> tuple[object, ...]:
        """What its phases are, one by one; of programs for parts of a mask, all of their phases with a number."""
        if not self.parts:
            return self.phases
        return tuple(itertools.zip_longest(*(part.program.phases for part in self.parts)))

    def __str__(self) -> str:
        return "\n".join(line.text for line in pseudo_code(self))

    def _repr_html_(self) -> str:
        """The pseudo-code, and below it how many loops and operations it is written with."""
        return f"{pseudo_code_html(self)}<p>{escape(_written(self))}</p>"


@dataclass(frozen=True)
class PartProgram:
    """The program of all parts of a mask that are equal: of a computation of its own.

    Parameters
    ----------
    queries, keys : int
        How many a part has. Loops and intervals count them from the part's first.
    program : Program
    """

    queries: int
    keys: int
    program: Program


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
    >>> from pebble.program import delete, load, loop, program
    >>> pseudo_code(program(loop("i", 1, load("Q"), delete("Q"))))
    [Line(text='for each i: load Q; delete Q', spans=(((0, 0, 0), 12, 18), ((0, 0, 1), 20, 28)))]
    """
    if program.parts:
        return _lines_of_parts(program.parts)
    return [line for number, part in enumerate(program.phases) for line in _phase_lines(part, number)]


def _lines_of_parts(parts: tuple[PartProgram, ...]) -> list[Line]:
    """Return the lines of programs for parts; of equal ones once, with the place of the first of them before others."""
    kinds: dict[Program, list[int]] = {}
    for kind, part in enumerate(parts):
        kinds.setdefault(part.program, []).append(kind)
    lines = []
    for text, alike in kinds.items():
        sizes = dict.fromkeys(f"{parts[kind].queries} × {parts[kind].keys}" for kind in alike)
        of = "" if len(kinds) == 1 else f" of {', '.join(sizes)} queries and keys"
        lines.append(Line(f"for each part of the mask{of}:"))
        for line in pseudo_code(text):
            spans = tuple(((alike[0], *place), start, stop) for place, start, stop in line.spans)
            lines.append(Line(line.text, spans).after("    "))
    return lines


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


def pseudo_code_html(program: Program) -> str:
    """Return the pseudo-code as a block in which the operations that move words are bold.

    It has no colours of its own, so it is as legible on a dark page as on a light one.

    >>> from pebble.program import load, loop, program
    >>> pseudo_code_html(program(loop("i", 1, load("Q"))))
    '<pre>for each i: <b>load Q</b></pre>'
    """
    carrying = {
        place
        for place, node in _nodes(program)
        if isinstance(node, Operation) and node.action in ("load", "store")
    }
    lines = "\n".join(_marked(line, carrying) for line in pseudo_code(program))
    return f"<pre>{lines}</pre>"


def _marked(line: Line, carrying: set[Place]) -> str:
    parts, done = [], 0
    for place, start, stop in line.spans:
        if place in carrying:
            parts += [escape(line.text[done:start]), f"<b>{escape(line.text[start:stop])}</b>"]
            done = stop
    return "".join([*parts, escape(line.text[done:])])


def _nodes(program: Program) -> Iterator[tuple[Place, Node]]:
    """Yield the nodes that are written down, with their places; not those that a phase generates.

    Of programs for parts of a mask that are equal, those of the first.
    """
    texts = {part.program: kind for kind, part in reversed(list(enumerate(program.parts)))}
    for text, kind in texts.items():
        yield from (((kind, *place), node) for place, node in _nodes(text))
    for number, phase in enumerate(program.phases):
        yield from _within(phase.body, (number,))


def _within(body: tuple[Node, ...], place: Place) -> Iterator[tuple[Place, Node]]:
    for at, node in enumerate(body):
        yield (*place, at), node
        if isinstance(node, Loop | When):
            yield from _within(node.body, (*place, at))


def _written(program: Program) -> str:
    nodes = [node for _, node in _nodes(program)]
    loops = sum(isinstance(node, Loop) for node in nodes)
    actions = Counter(node.action for node in nodes if isinstance(node, Operation))
    phases = [
        *program.phases,
        *(phase for text in {part.program for part in program.parts} for phase in text.phases),
    ]
    counts = [(len(phases), "phase"), (loops, "loop")]
    counts += [(actions[action], action) for action in get_args(Action)]
    text = ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count)
    later = sum(phase.generate is not None for phase in phases)
    generated = f"; {later} of the phases generate theirs" if later else ""
    return f"As written: {text}{generated}. What they move is for pebble.run(program, problem, M) to count."
