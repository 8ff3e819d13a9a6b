"""What the text of a program says by itself: how far the words of masked chains have got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pebble.program.counting.life import Here
from pebble.program.nodes import Loop, Operation, Program

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.nodes import Node

    Path = tuple[int, ...]


def lexical(program: Program, family: Family) -> dict[Path, Here]:
    """Return how far the text says that the words of masked chains have got; a guess, for legal programs.

    In a loop over the chain's axis in which the chain is advanced a word is at the start of the tile, and at its end
    after that; elsewhere its chain is complete. Before all computations of the program it is at its start, where the
    program has any, or where an interval of the chain is named.
    """
    found: dict[Path, Here] = {}
    begun: set[str] = set()
    computed = {name for phase in program.phases for name in _computed(phase.body)}

    def walk(nodes: Sequence[Node], path: Path, around: tuple[tuple[str, set[str], set[str]], ...]) -> None:
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                chain = family[node.array].chain
                inner = next((one for one in reversed(around) if one[0] == chain), None)
                if inner and node.array in inner[1]:
                    found[place] = Here("end" if node.array in inner[2] else "start", False)
                elif node.array in begun or any(node.array in one[1] for one in around):
                    pass
                elif chain and (node.array in computed or any(axis == chain for axis, *_ in node.at)):
                    found[place] = Here("start", False)
                if node.action == "compute":
                    begun.add(node.array)
                    for _, _, done in around:
                        done.add(node.array)
            elif isinstance(node, Loop):
                walk(node.body, place, (*around, (node.axis, _computed(node.body), set())))
                for _, _, done in around:
                    done |= _computed(node.body)
            else:
                walk(node.body, place, around)

    for number, phase in enumerate(program.phases):
        walk(phase.body, (number,), ())
    return found


def _computed(nodes: Sequence[Node]) -> set[str]:
    """Return the arrays that some nodes compute."""
    found: set[str] = set()
    for node in nodes:
        if not isinstance(node, Operation):
            found |= _computed(node.body)
        elif node.action == "compute":
            found.add(node.array)
    return found
