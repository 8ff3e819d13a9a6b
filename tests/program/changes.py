"""Changes to the text of a program: some keep it legal mostly, others break it mostly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Literal

from tests.program.names import (
    Condition,
    Family,
    Loop,
    Node,
    Operation,
    Phase,
    Program,
    When,
    cuts_at,
    delete,
    load,
    walk,
)
from tests.program.random_programs import random_condition
from tests.program.repairs import addresses, edited, is_valid, mutated

__all__ = ["BREAKING", "KEEPING", "acceptable", "change"]

Mutation = Callable[[Random, Program, Family], Program]


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


def at_node(
    rnd: Random, program: Program, kind: type | tuple[type, ...], edit: Callable[..., tuple[Node, ...]]
) -> Program:
    """The program with one node of a kind edited."""
    found = [address for address, node in addresses(program) if isinstance(node, kind)]
    return edited(program, rnd.choice(found), edit) if found else program


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


# Mostly legal afterwards


def split(rnd: Random, program: Program, family: Family) -> Program:
    """Two loops over parts of an axis, one after the other, for one over all of it."""

    def edit(node: Loop, inside: dict[str, str]) -> tuple[Node, ...]:
        stop = family.extents[node.axis] if node.stop is None else node.stop
        cut = rnd.randint(node.start, max(stop, node.start))
        if rnd.random() < 0.4:
            cut = min(stop, node.start + node.tile * rnd.randint(0, 3))
        tail = replace(node, start=cut, stop=node.stop)
        if rnd.random() < 0.5:
            tail = replace(tail, tile=rnd.choice([1, 2, 3]))
        return replace(node, stop=cut), tail

    return at_node(rnd, program, Loop, edit)


def again(rnd: Random, program: Program, family: Family) -> Program:
    """A phase once more, the same objects, somewhere behind."""
    number = rnd.randrange(len(program.phases))
    at = rnd.randint(number + 1, len(program.phases))
    part = program.phases[number]
    return Program((*program.phases[:at], part, *program.phases[at:]))


def twice_around(rnd: Random, program: Program, family: Family) -> Program:
    """A loop over an axis that a node has or has not to do with, around it."""

    def edit(node: Node, inside: dict[str, str]) -> tuple[Node, ...]:
        axis = rnd.choice(list(family.extents))
        tile = rnd.choice([1, 2, 3, max(1, family.extents[axis] // 2), family.extents[axis]])
        return (Loop(axis, tile, (node,), 0, None, free_label(axis, inside)),)

    return at_node(rnd, program, (Operation, Loop, When), edit)


def generated(rnd: Random, program: Program, family: Family) -> Program:
    """The first operations that a phase executes, yielded one by one, before it, behind it or in its place."""
    number = rnd.randrange(len(program.phases))
    part = program.phases[number]
    steps = islice(walk(Program((part,)), family), rnd.choice([3, 40, 400]))
    bare = tuple(
        replace(
            step.operation, at=tuple((a, *step.tiles[a]) for a in indices(step.operation, family, step.tiles))
        )
        for step in steps
    )
    new = Phase(part.title, generate=lambda: iter(bare))
    phases = rnd.choice([(new,), (new, part), (part, new)])
    return Program((*program.phases[:number], *phases, *program.phases[number + 1 :]))


def indices(operation: Operation, family: Family, tiles: Mapping[str, tuple[int, int]]) -> list[str]:
    return [axis for axis in family[operation.array].indices if axis in tiles]


def relabel(rnd: Random, program: Program, family: Family) -> Program:
    """Another label for a loop, conditions on it included."""

    def renamed(node: Node, old: str, new: str) -> Node:
        if isinstance(node, Operation):
            return node
        body = tuple(renamed(inner, old, new) for inner in node.body)
        if isinstance(node, When) and node.condition.label == old:
            return When(replace(node.condition, label=new), body)
        return replace(node, body=body)

    def edit(node: Loop, inside: dict[str, str]) -> tuple[Node, ...]:
        new = rnd.choice(["again", node.axis, "one", rnd.choice(list(family.extents))])
        body = tuple(renamed(inner, node.label, new) for inner in node.body)
        return (replace(node, label=new, body=body),)

    return at_node(rnd, program, Loop, edit)


def park(rnd: Random, program: Program, family: Family) -> Program:
    """Store, delete and load what an operation has made."""

    def edit(node: Operation, inside: dict[str, str]) -> tuple[Node, ...]:
        triple = tuple(Operation(action, node.array, at=node.at) for action in ("store", "delete", "load"))
        return (node, *triple) if node.action == "compute" else (node,)

    return at_node(rnd, program, Operation, edit)


def uneven(rnd: Random, program: Program, family: Family) -> Program:
    """Something done to a part of an array, so that the loops behind meet lines that differ."""

    def edit(node: Node, inside: dict[str, str]) -> tuple[Node, ...]:
        array = rnd.choice(family.arrays)
        parked = ["store", "delete", "load"]
        some = [["load"], ["store"], ["delete"], ["compute"], parked, parked, ["delete", "load"]]
        actions = ["load"] if array.is_input and rnd.random() < 0.6 else rnd.choice(some)
        if array.is_input and "compute" in actions:
            actions = parked
        found = tuple(Operation(action, array.name) for action in actions)  # type: ignore[arg-type]
        (place,) = partial(rnd, found[0], inside, family)
        if isinstance(place, Operation):
            found = tuple(replace(one, at=place.at) for one in found)
        return (*found, node) if rnd.random() < 0.6 else (node, *found)

    if rnd.random() < 0.6:
        tops = [address for address, _ in addresses(program) if len(address) == 2]
        return edited(program, rnd.choice(tops), edit) if tops else program
    return at_node(rnd, program, (Loop, When), edit)


def extra_load(rnd: Random, program: Program, family: Family) -> Program:
    """An input loaded besides, in some iterations or all; now and then deleted again."""
    name = rnd.choice(family.inputs).name

    def edit(node: Node, inside: dict[str, str]) -> tuple[Node, ...]:
        found: tuple[Node, ...] = (Operation("load", name),)
        if rnd.random() < 0.6:
            found = conditional(rnd, found[0], inside)
        gone = Operation("delete", name)
        return (*found, node, gone) if rnd.random() < 0.3 else (*found, node)

    return at_node(rnd, program, (Operation, Loop, When), edit)


def part_of_tile(rnd: Random, program: Program, family: Family) -> Program:
    """Of a tile that is moved, the first or the last part is loaded before it is loaded, or after it is deleted."""

    def edit(node: Operation, inside: dict[str, str]) -> tuple[Node, ...]:
        along = [axis for axis in family[node.array].axes if axis in inside.values()]
        if not along or node.action not in ("load", "delete") or node.at:
            return (node,)
        which: Literal["first", "last"] = "first" if rnd.random() < 0.5 else "last"
        condition = Condition("piece", which, rnd.random() < 0.5)
        piece = Loop(
            rnd.choice(along), rnd.choice([1, 1, 2]), (When(condition, (Operation("load", node.array),)),)
        )
        piece = replace(piece, label="piece")
        return (piece, node) if node.action == "load" else (node, piece)

    return at_node(rnd, program, Operation, edit)


def cut(rnd: Random, program: Program, family: Family) -> Program:
    """Tiles cut at the multiples of a length; something asked between the two loops, which have one label."""

    def asked(node: Node) -> Node:
        if isinstance(node, Operation):
            return node
        body = tuple(asked(inner) for inner in node.body)
        twice = isinstance(node, Loop) and any(isinstance(a, Loop) and a.label == node.label for a in body)
        if isinstance(node, Loop) and twice and rnd.random() < 0.4:
            name, which = rnd.choice(family.inputs).name, rnd.choice(["first", "last"])
            condition = Condition(node.label, which, rnd.random() < 0.5)  # type: ignore[arg-type]
            told = When(condition, (*load(name), *(delete(name) if rnd.random() < 0.8 else ())))
            body = (told, *body) if rnd.random() < 0.5 else (*body, told)
        return replace(node, body=body)

    parts = cuts_at(program, rnd.randint(2, 12)).phases
    return Program(
        tuple(part if part.generate else replace(part, body=tuple(map(asked, part.body))) for part in parts)
    )


KEEPING: list[Mutation] = [
    extra_load, part_of_tile, part_of_tile, uneven, uneven, split, split, again, twice_around, generated, relabel, park,
    cut, cut,
]  # fmt: skip


# Mostly not


def drop_store(rnd: Random, program: Program, family: Family) -> Program:
    """A store or delete left out, or made for a part of the array or some iterations only."""

    def edit(node: Operation, inside: dict[str, str]) -> tuple[Node, ...]:
        if node.action not in ("store", "delete", "load"):
            return (node,)
        return rnd.choice([(), partial(rnd, node, inside, family), conditional(rnd, node, inside)])

    return at_node(rnd, program, Operation, edit)


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


BREAKING: list[Mutation] = [mutated, mutated, mutated, drop_store, drop_store, swap_loops]
