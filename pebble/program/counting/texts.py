"""Programs read as texts: many that differ in the sizes of their tiles alone are one text with columns of sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pebble.program.nodes import Loop, Operation, Program
from pebble.program.parts_in_turn import check_parts, family_of_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.program.nodes import Node

    Path = tuple[int, ...]
    Whole = NDArray[Any]

__all__ = ["Text", "Texts", "alike", "loops_of", "shape_of", "texts_in_turn"]


class Text(NamedTuple):
    """A nest of loops that programs are made of, which differ in tiles, starts and stops of loops only.

    Attributes
    ----------
    program : Program
        The first.
    family : Family
        Its computation.
    sizes : dict of path to ndarray, shape (3, number)
        Of each loop the tile, the start and the stop, of every program.
    number : int
        How many programs.
    times : int
        How often the nest comes in each of them.
    """

    program: Program
    family: Family
    sizes: Mapping[Path, Whole]
    number: int
    times: int = 1


class Texts(NamedTuple):
    """Programs that are alike: which they are, the different nests of loops, and the order in which these come."""

    numbers: list[int]
    texts: list[Text]
    order: Whole


def alike(programs: Sequence[Program], family: Family) -> list[Texts]:
    """Return programs in groups that have the same texts; a program has one, or one for each kind of part of the mask.

    Raises
    ------
    InvalidInput
        If a program is one for other parts than those of the mask.
    """
    groups: dict[object, tuple[list[int], list[list[list[int]]]]] = {}
    in_parts: tuple[list[tuple[Family, int]], Whole] | None = None
    for number, program in enumerate(programs):
        own = [family]
        if program.parts:
            parts = check_parts(program, family)
            if in_parts is None:
                families = [family_of_part(family, mask) for mask in parts.masks]
                in_parts = list(zip(families, parts.times, strict=True)), parts.kinds
            own = [of_part for of_part, _ in in_parts[0]]
        shapes: list[object] = [bool(program.parts)]
        sizes: list[list[int]] = []
        for text, one in zip(_texts(program), own, strict=True):
            sizes.append([])
            shapes.append(shape_of(text, one, sizes[-1]))
        numbers, rows = groups.setdefault(tuple(shapes), ([], []))
        numbers.append(number)
        rows.append(sizes)
    found = []
    for numbers, rows in groups.values():
        first = programs[numbers[0]]
        kinds, order = [(family, 1)], np.zeros(1, dtype=np.int64)
        if first.parts and in_parts:
            kinds, order = in_parts
        texts = [
            Text(text, one, _by_loop(text, column), len(numbers), times)
            for text, (one, times), column in zip(_texts(first), kinds, zip(*rows, strict=True), strict=True)
        ]
        found.append(Texts(numbers, texts, order))
    return found


def texts_in_turn(program: Program, family: Family) -> tuple[list[Text], Whole]:
    """Return the different nests of loops that one program is made of, and the order in which they come."""
    ((_, texts, order),) = alike([program], family)
    return texts, order


def _texts(program: Program) -> list[Program]:
    return [part.program for part in program.parts] or [program]


def _by_loop(text: Program, rows: Sequence[list[int]]) -> dict[Path, Whole]:
    paths = [path for path, _ in loops_of(text)]
    sizes = np.array(rows, dtype=np.int64).reshape(len(rows), len(paths), 3)
    return dict(zip(paths, sizes.transpose(1, 2, 0), strict=True))


def shape_of(program: Program, family: Family, sizes: list[int]) -> object:
    """Return what is equal for programs that differ in sizes only, and append the sizes, three of each loop."""
    shape: list[object] = []
    extents = family.extents

    def read(nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Operation):
                shape.append(node)
                continue
            if isinstance(node, Loop):
                shape.append((node.axis, node.label))
                sizes.extend((node.tile, node.start, extents[node.axis] if node.stop is None else node.stop))
            else:
                shape.append(node.condition)
            read(node.body)
            shape.append(None)

    for phase in program.phases:
        read(phase.body)
        shape.append(None)
    return tuple(shape)


def loops_of(program: Program) -> Iterator[tuple[Path, Loop]]:
    """Yield the loops of a text in order, each with its path."""

    def walk(nodes: Sequence[Node], path: Path) -> Iterator[tuple[Path, Loop]]:
        for number, node in enumerate(nodes):
            if not isinstance(node, Operation):
                place = (*path, number)
                if isinstance(node, Loop):
                    yield place, node
                yield from walk(node.body, place)

    for number, phase in enumerate(program.phases):
        yield from walk(phase.body, (number,))
