"""Programs for each part of a mask in turn, such as packed sequences: what they mean in loops over the whole axes.

Parts have no query, no key and, where every array is along one of the two, no vertex in common. So the computation is
one of each part, and may be carried out part after part, each by a program that knows of no other. Equal parts have
one program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.computations.masks.mask_parts import MaskParts, mask_parts
from pebble.program.nodes import Loop, Operation, PartProgram, Phase, Program, When

if TYPE_CHECKING:
    from pebble.computations.masks.mask import Interval, Mask
    from pebble.program.nodes import Node


def for_each_part(mask: Mask, write: Callable[[Mask], Program]) -> Program:
    """Return the program that computes one part of a mask after the other.

    Parameters
    ----------
    mask : Mask
    write : callable
        Given the mask of a part, returns its program; asked once for parts that are equal.

    Examples
    --------
    >>> from pebble.computations.masks import document_mask
    >>> from pebble.program import delete, load, loop, program
    >>> print(for_each_part(document_mask([7, 5, 7]), lambda part: program(loop("i", 3, load("Q"), delete("Q")))))
    for each part of the mask:
        for i in tiles of 3: load Q; delete Q
    """
    texts: dict[Program, Program] = {}
    parts = []
    for part in mask_parts(mask).masks:
        text = write(part)
        parts.append(PartProgram(part.Nq, part.Nk, texts.setdefault(text, text)))
    return Program((), tuple(parts))


def family_of_part(family: Family, part: Mask | None, sizes: tuple[int, int] = (0, 0)) -> Family:
    """Return the computation of one part of the mask; without a part, that of ``sizes`` queries and keys."""
    queries, keys = sizes if part is None else (part.Nq, part.Nk)
    extents = {**family.extents, "i": queries, "j": keys}
    return Family(family.name, family.arrays, extents, family.symbols, family.parameters, part)


def texts_of(program: Program, family: Family) -> Iterator[tuple[Program, Family]]:
    """Yield the nests of loops that a program is made of, each with the lengths of the axes, whatever the mask."""
    if not program.parts:
        yield program, family
    for part in program.parts:
        yield part.program, family_of_part(family, None, (part.queries, part.keys))


def check_parts(program: Program, family: Family) -> MaskParts:
    """Return the parts of a family's mask, if a program is one for each of them."""
    if family.mask is None:
        raise InvalidInput("a program for each part of the mask needs a mask")
    shared = [array.name for array in family.arrays if not {"i", "j"} & set(array.axes)]
    if shared:
        raise InvalidInput(
            f"parts of the mask share {', '.join(shared)}, so they cannot be computed one by one"
        )
    if any(
        array.chain in ("i", "j") and read.step == "later" for array in family.arrays for read in array.reads
    ):
        raise InvalidInput(f"{family.name} asks which query or key is the first of all: parts are not alike")
    parts = mask_parts(family.mask)
    if [(part.queries, part.keys) for part in program.parts] != [(one.Nq, one.Nk) for one in parts.masks]:
        raise InvalidInput(f"a program for other parts than those of the mask {family.mask.spec}")
    if any(part.program.parts for part in program.parts):
        raise InvalidInput("a program for a part of the mask has parts itself")
    return parts


def written_out(program: Program, family: Family) -> Program:
    """Return a program with loops over the whole axes: one in which part after part is written out.

    Loops over queries and keys run over the current part, and what is outside of such loops is on all of it. Other
    programs are returned as they are.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> from pebble.computations.registry import family_of
    >>> from pebble.program import delete, load, loop, phase, program
    >>> problem = Problem.square(12, 1, mask="document:7,5")
    >>> nodes = load("K"), loop("i", 3, load("Q"), delete("Q"))
    >>> text = for_each_part(problem.allowed, lambda part: program(phase("", nodes)))
    >>> print(written_out(text, family_of(problem)))
    load K[j=0:7]
    for i in [0, 7) in tiles of 3: load Q; delete Q
    load K[j=7:12]
    for i in [7, 12) in tiles of 3: load Q; delete Q
    """
    if not program.parts:
        return program
    phases: list[Phase] = []
    for kind, at in check_parts(program, family).intervals():
        phases.extend(moved_to(part, family, at) for part in program.parts[kind].program.phases)
    return Program(tuple(phases))


def moved_to(part: Phase, family: Family, at: Mapping[str, Interval]) -> Phase:
    """Return a phase that was written for a part of some axes, as one of a family that has the part there."""
    mover = _Mover(family, at)
    if part.generate is None:
        return Phase(part.title, tuple(mover.moved(part.body, frozenset())))
    generate = part.generate
    return Phase(part.title, generate=lambda: (mover.operation(one, frozenset()) for one in generate()))


class _Mover:
    """Moves a part's program to where the part is."""

    def __init__(self, family: Family, at: Mapping[str, Interval]) -> None:
        self.family, self.at = family, at

    def moved(self, nodes: tuple[Node, ...], around: frozenset[str]) -> Iterator[Node]:
        for node in nodes:
            if isinstance(node, Operation):
                yield self.operation(node, around)
            elif isinstance(node, When):
                yield replace(node, body=tuple(self.moved(node.body, around)))
            else:
                yield self._loop(node, around)

    def _loop(self, node: Loop, around: frozenset[str]) -> Loop:
        body = tuple(self.moved(node.body, around | {node.axis}))
        if node.axis in around or node.axis not in self.at:
            return replace(node, body=body)
        first, behind = self.at[node.axis]
        stop = behind if node.stop is None else first + node.stop
        return replace(node, body=body, start=first + node.start, stop=stop)

    def operation(self, node: Operation, around: frozenset[str]) -> Operation:
        """Return an operation on its box, which is told on the axes on which no loop around tells it."""
        array = self.family[node.array]
        asked = array.indices if node.action == "compute" else array.axes
        own = {axis: (start, stop) for axis, start, stop in node.at}
        box = [(axis, *own[axis]) for axis in own if axis not in self.at]
        for axis, (first, behind) in self.at.items():
            if axis in own:
                box.append((axis, first + own[axis][0], first + own[axis][1]))
            elif axis in asked and axis not in around:
                box.append((axis, first, behind))
        return replace(node, at=tuple(box))
