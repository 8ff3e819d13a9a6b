"""Changes to the text of a program that break it mostly."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.program.edits import Mutation, at_node, conditional, partial, pick
from tests.program.names import Condition, Family, Loop, Node, Operation, Phase, Program, When
from tests.program.random_programs import random_condition
from tests.program.repairs import addresses, edited, mutated

__all__ = ["BREAKING", "double"]


def some_change(rnd: Random, program: Program, family: Family) -> Program:
    return mutated(rnd, program, family)


def drop(rnd: Random, program: Program, family: Family) -> Program:
    return at_node(rnd, program, (Operation, Operation, Loop, When), lambda node, _: ())


def drop_store(rnd: Random, program: Program, family: Family) -> Program:
    """A store or delete left out, or made for a part of the array or some iterations only."""

    def edit(node: Operation, inside: dict[str, str]) -> tuple[Node, ...]:
        if node.action not in ("store", "delete", "load"):
            return (node,)
        return rnd.choice([(), partial(rnd, node, inside, family), conditional(rnd, node, inside)])

    return at_node(rnd, program, Operation, edit)


def part_of_box(rnd: Random, program: Program, family: Family) -> Program:
    return at_node(rnd, program, Operation, lambda node, inside: partial(rnd, node, inside, family))


def under_condition(rnd: Random, program: Program, family: Family) -> Program:
    return at_node(rnd, program, (Operation, Loop), lambda node, inside: conditional(rnd, node, inside))


def part_of_axis(rnd: Random, program: Program, family: Family) -> Program:
    def edit(node: Loop, inside: dict[str, str]) -> tuple[Node, ...]:
        extent = family.extents[node.axis]
        start = rnd.choice([0, 0, 1, 2, rnd.randint(0, extent)])
        stop = rnd.choice([extent - 1, extent, start, rnd.randint(0, extent)])
        return (replace(node, start=min(start, stop), stop=max(start, stop)),)

    return at_node(rnd, program, Loop, edit)


def double(rnd: Random, program: Program, family: Family) -> Program:
    return at_node(rnd, program, (Operation, Loop, When), lambda node, _: (node, node))


def move(rnd: Random, program: Program, family: Family) -> Program:
    """A node taken out and put beside another."""
    address = pick(rnd, program, Operation, Loop)
    node = dict(addresses(program)).get(address) if address else None
    if address is None or node is None:
        return program
    without = edited(program, address, lambda _node, _: ())
    target = pick(rnd, without, Operation, Loop)
    if target is None:
        return program
    before = rnd.random() < 0.5
    return edited(without, target, lambda other, _: (node, other) if before else (other, node))


def swap_loops(rnd: Random, program: Program, family: Family) -> Program:
    """Two loops one in the other change places; or what is around a loop goes inside it."""

    def edit(node: Loop, inside: dict[str, str]) -> tuple[Node, ...]:
        inner = [at for at, below in enumerate(node.body) if isinstance(below, Loop)]
        if not inner:
            return (node,)
        at = rnd.choice(inner)
        below = node.body[at]
        assert isinstance(below, Loop)
        body = (*node.body[:at], *below.body, *node.body[at + 1 :])
        return (replace(below, body=(replace(node, body=body),)),)

    return at_node(rnd, program, Loop, edit)


def without_stores(rnd: Random, program: Program, family: Family) -> Program:
    """A phase once more, but its stores, or those of one array, are left out or limited."""
    number = rnd.randrange(len(program.phases))
    part = program.phases[number]
    names = {node.array for _, node in addresses(Program((part,))) if isinstance(node, Operation)}
    chosen = rnd.choice([names, {rnd.choice(sorted(names))}]) if names else names
    limit = rnd.random() < 0.5

    def copy(nodes: tuple[Node, ...], inside: dict[str, str]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if not isinstance(node, Operation):
                within = inside | {node.label: node.axis} if isinstance(node, Loop) else inside
                found.append(replace(node, body=copy(node.body, within)))
            elif node.action != "store" or node.array not in chosen:
                found.append(node)
            elif limit:
                found += partial(rnd, node, inside, family)
        return tuple(found)

    other = Phase("", copy(tuple(part.nodes()), {}))
    phases = rnd.choice([(other,), (part, other), (other, part)])
    return Program((*program.phases[:number], *phases, *program.phases[number + 1 :]))


def replaced(rnd: Random, program: Program, family: Family) -> Program:
    """A computation that replaces another array, or no longer does."""

    def edit(node: Operation, inside: dict[str, str]) -> tuple[Node, ...]:
        axes = set(family[node.array].axes)
        same = [array.name for array in family.arrays if set(array.axes) == axes and array.name != node.array]
        if node.action != "compute":
            return (node,)
        return (replace(node, replacing=rnd.choice([None, *same])),)

    return at_node(rnd, program, Operation, edit)


def other_condition(rnd: Random, program: Program, family: Family) -> Program:
    def edit(node: When, inside: dict[str, str]) -> tuple[Node, ...]:
        old = node.condition
        new = [replace(old, negated=not old.negated), random_condition(rnd, inside)]
        new.append(Condition(old.label, "last" if old.which == "first" else "first", old.negated))
        return (replace(node, condition=rnd.choice(new)),)

    return at_node(rnd, program, When, edit)


BREAKING: list[Mutation] = [
    some_change, drop, drop_store, drop_store, part_of_box, under_condition, part_of_axis, double, move,
    swap_loops, without_stores, without_stores, replaced, other_condition,
]  # fmt: skip
