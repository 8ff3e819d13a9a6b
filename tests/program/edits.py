"""What changes of a program's text have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.program.names import Family, Node, Operation, Program, When
from tests.program.random_programs import random_condition
from tests.program.repairs import addresses, edited, is_valid

__all__ = ["Mutation", "acceptable", "at_node", "change", "conditional", "free_label", "partial", "pick"]

Mutation = Callable[[Random, Program, Family], Program]
Place = tuple[int, ...]


def acceptable(program: Program, family: Family) -> bool:
    """Whether a program makes sense; a chain that is masked cannot replace."""
    if not is_valid(program, family):
        return False
    if family.mask is None:
        return True
    return not any(
        isinstance(node, Operation) and node.replacing and family[node.array].chain in ("i", "j")
        for _, node in addresses(program)
    )


def change(rnd: Random, program: Program, family: Family, mutations: list[Mutation]) -> tuple[Program, str]:
    """The program after one change that makes sense, and the name of the change."""
    for _ in range(40):
        mutation = rnd.choice(mutations)
        new = mutation(rnd, program, family)
        if new != program and acceptable(new, family):
            return new, mutation.__name__.replace("_", " ")
    return program, ""


def pick(rnd: Random, program: Program, *kinds: type) -> Place | None:
    """The address of a node of some kind."""
    found = [address for address, node in addresses(program) if isinstance(node, kinds)]
    return rnd.choice(found) if found else None


def at_node(
    rnd: Random, program: Program, kind: type | tuple[type, ...], edit: Callable[..., tuple[Node, ...]]
) -> Program:
    """The program with one node of a kind edited."""
    address = pick(rnd, program, *(kind if isinstance(kind, tuple) else (kind,)))
    return program if address is None else edited(program, address, edit)


def partial(rnd: Random, node: Operation, inside: dict[str, str], family: Family) -> tuple[Node, ...]:
    """An operation on a part of its box along an axis that no loop runs over."""
    free = [axis for axis in family[node.array].indices if axis not in inside.values()]
    if not free:
        return conditional(rnd, node, inside)
    axis = rnd.choice(free)
    extent = family.extents[axis]
    start = rnd.randrange(extent)
    stop = rnd.choice([start + 1, extent, rnd.randint(start + 1, extent)])
    rest = tuple(one for one in node.at if one[0] != axis)
    return (replace(node, at=(*rest, (axis, start, stop))),)


def conditional(rnd: Random, node: Node, inside: dict[str, str]) -> tuple[Node, ...]:
    return (When(random_condition(rnd, inside), (node,)),) if inside else (node,)


def free_label(axis: str, inside: dict[str, str]) -> str:
    return axis if axis not in inside else f"{axis}{len(inside)}"
