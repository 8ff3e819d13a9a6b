"""Where the operations of a program's text stand: in which loops, under which conditions, after what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pebble.program.nodes import Condition, Loop, Node, Operation, Program


@dataclass(frozen=True)
class Place:
    """One operation of the text.

    Parameters
    ----------
    operation : Operation
    around : tuple of Loop or Condition
        What encloses it, from the outside in.
    path : tuple of int
        Its position in the text: of the phase, of a node in the phase, of a node in that, and so on.
    generated : bool
        Whether a generator yields it.
    """

    operation: Operation
    around: tuple[Loop | Condition, ...]
    path: tuple[int, ...]
    generated: bool = False

    def loops(self, axis: str) -> list[Loop]:
        """Loops over an axis, from the outside in."""
        return [node for node in self.around if isinstance(node, Loop) and node.axis == axis]


def places(program: Program) -> Iterator[Place]:
    """Yield the operations of a program's text in order."""
    for number, part in enumerate(program.phases):
        for index, node in enumerate(part.nodes()):
            yield from _places(node, (), (number, index), part.generate is not None)


def _places(
    node: Node, around: tuple[Loop | Condition, ...], path: tuple[int, ...], generated: bool
) -> Iterator[Place]:
    if isinstance(node, Operation):
        yield Place(node, around, path, generated)
        return
    around = (*around, node if isinstance(node, Loop) else node.condition)
    for index, inner in enumerate(node.body):
        yield from _places(inner, around, (*path, index), generated)
