"""Programs read as texts: many that differ in the sizes of their tiles alone are one text with columns of sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pebble.program.nodes import Condition, Loop, Operation, Program
from pebble.program.parts_in_turn import check_parts, family_of_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.program.nodes import Node

    Path = tuple[int, ...]
    Sizes = tuple[tuple[int, ...], ...]
    Whole = NDArray[Any]


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
    """Return programs in groups of the same texts; a program has one, or one for each kind of part of the mask."""
    groups: dict[object, tuple[list[int], list[Sizes]]] = {}
    for number, program in enumerate(programs):
        shape, sizes = read(program, family)
        numbers, rows = groups.setdefault(shape, ([], []))
        numbers.append(number)
        rows.append(sizes)
    found = []
    for numbers, rows in groups.values():
        first = programs[numbers[0]]
        families, times, order = [family], [1], np.zeros(1, dtype=np.int64)
        if first.parts:
            parts = check_parts(first, family)
            families = [family_of_part(family, mask) for mask in parts.masks]
            times, order = parts.times, parts.kinds
        texts = [
            Text(text, of_text, _by_loop(text, column), len(numbers), often)
            for text, of_text, column, often in zip(
                _texts(first), families, zip(*rows, strict=True), times, strict=True
            )
        ]
        found.append(Texts(numbers, texts, order))
    return found


def texts_in_turn(program: Program, family: Family) -> tuple[list[Text], Whole]:
    """Return the different nests of loops that one program is made of, and the order in which they come."""
    ((_, texts, order),) = alike([program], family)
    return texts, order


def _texts(program: Program) -> list[Program]:
    return [part.program for part in program.parts] or [program]


def _by_loop(text: Program, rows: Sequence[tuple[int, ...]]) -> dict[Path, Whole]:
    paths = [path for path, _ in loops_of(text)]
    sizes = np.array(rows, dtype=np.int64).reshape(len(rows), len(paths), 3)
    return dict(zip(paths, sizes.transpose(1, 2, 0), strict=True))


def read(program: Program, family: Family) -> tuple[object, Sizes]:
    """Return what is equal for programs that differ in sizes only, and the sizes, of each text three of each loop."""
    extents = family.extents
    if not program.parts:
        shape, sizes = shape_of(program, extents)
        return shape, (sizes,)
    shapes, columns = [], []
    for part in program.parts:
        shape, sizes = shape_of(part.program, {**extents, "i": part.queries, "j": part.keys})
        shapes.append((part.queries, part.keys, shape))
        columns.append(sizes)
    return tuple(shapes), tuple(columns)


def shape_of(text: Program, extents: Mapping[str, int]) -> tuple[object, tuple[int, ...]]:
    """Return the same of one nest of loops."""
    shape: list[object] = []
    sizes: list[int] = []

    def walk(nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Operation):
                shape.append(node)
                continue
            if isinstance(node, Loop):
                shape.append((node.axis, node.label))
                stop = extents.get(node.axis, 0) if node.stop is None else node.stop  # not validated yet
                sizes.extend((node.tile, node.start, stop))
            else:
                shape.append(node.condition)
            walk(node.body)
            shape.append(None)

    for phase in text.phases:
        walk(phase.body)
        shape.append(None)
    return tuple(shape), tuple(sizes)


def unnamed(shape: object, family: Family) -> object:
    """Return what is equal for texts that count alike, whatever their arrays, loops and unmasked axes are called.

    Of an array it says what a count depends on: its axes, its chain, its width, and whether a load may be free.
    """
    arrays: dict[str, object] = {}
    labels: dict[str, int] = {}
    axes: dict[str, object] = {name: name for name in family.masked_axes}

    def axis(name: str | None) -> object:
        return name and axes.setdefault(name, (len(axes), family.extents[name]))

    def array(name: str | None) -> object:
        if name is not None and name not in arrays:
            one = family[name]
            own = tuple(map(axis, one.axes)), axis(one.chain), one.width, one.accumulated
            arrays[name] = len(arrays), *own
        return arrays.get(str(name))

    def token(one: Any) -> object:
        if isinstance(one, Operation):
            at = tuple((axis(name), start, stop) for name, start, stop in one.at)
            return one.action, array(one.array), array(one.replacing), at, one.level, one.resumes
        if isinstance(one, Condition):
            return labels.setdefault(one.label, len(labels)), one.which, one.negated
        if isinstance(one, tuple):  # a loop's axis and label, a part's lines and shape, or a text
            if len(one) == 2 and isinstance(one[0], str):
                return axis(one[0]), labels.setdefault(one[1], len(labels))
            return tuple(map(token, one))
        return one

    return token(shape)


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
