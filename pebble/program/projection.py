"""What one memory level of a program sees: the two-level program at one boundary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pebble.common.errors import InvalidInput
from pebble.program.nodes import Loop, Node, Operation, Phase, Program, When


def project(program: Program, level: int) -> Program:
    """Return what a program for several memory levels does at one boundary, as a program with one fast memory.

    Its fast memory holds what the level and those within hold; its slow memory is everything farther out. It keeps
    the computations and the loads, stores and deletes of this level, and drops loops that are left empty.

    Parameters
    ----------
    program : Program
    level : int
        The level inside the boundary; the innermost is 1.

    Notes
    -----
    In an inclusive hierarchy its run is exact: it counts the words and the peak of the level (proved in
    docs/proofs/levels.md). In an exclusive one its closed form still counts the words.

    Examples
    --------
    >>> from pebble.program import compute, delete, load, loop, program, store
    >>> text = program(loop("i", 8, load("A", level=2), loop("i", 2, load("A"), compute("C"), delete("A"),
    ...     store("C"), delete("C"), label="part"), delete("A", level=2), store("C", level=2), delete("C", level=2)))
    >>> print(text)
    for i in tiles of 8:
        load2 A
        for i in tiles of 2 (part): load A; compute C; delete A; store C; delete C
        delete2 A; store2 C; delete2 C
    >>> print(project(text, 2))
    for i in tiles of 8:
        load A
        for i in tiles of 2 (part): compute C
        delete A; store C; delete C
    """
    if isinstance(level, bool) or not isinstance(level, int) or level < 1:
        raise InvalidInput(f"a memory level is a positive whole number, not {level!r}; the innermost is 1")
    parts = tuple(replace(part, program=project(part.program, level)) for part in program.parts)
    return Program(tuple(_phase(part, level) for part in program.phases), parts)


def _phase(part: Phase, level: int) -> Phase:
    if part.generate is None:
        return Phase(part.title, tuple(_kept(part.body, level)))
    return Phase(part.title, generate=_generator(part.generate, level))


def _generator(generate: Callable[[], Iterable[Operation]], level: int) -> Callable[[], Iterable[Operation]]:
    def kept() -> Iterator[Operation]:
        return (_inner(node) for node in generate() if _is_seen(node, level))

    return kept


def _kept(nodes: Iterable[Node], level: int) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Loop | When):
            body = tuple(_kept(node.body, level))
            if body:
                yield replace(node, body=body)
        elif _is_seen(node, level):
            yield _inner(node)


def _is_seen(node: Operation, level: int) -> bool:
    return node.action == "compute" or node.level == level


def _inner(node: Operation) -> Operation:
    return node if node.level == 1 else replace(node, level=1)
