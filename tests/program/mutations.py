"""Changes to the text of a program: some keep it legal mostly, others break it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random

from tests.program.names import (
    Condition,
    Family,
    Loop,
    Node,
    Operation,
    Phase,
    Program,
    When,
    walk,
)
from tests.random_programs import addresses, edited, is_valid, mutated, random_condition

__all__ = ["BREAKING", "KEEPING", "acceptable", "change"]

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


# Changes that keep most programs legal


def retile(rnd: Random, program: Program, family: Family) -> Program:
    def edit(node: Loop, inside: dict[str, str]) -> tuple[Node, ...]:
        return (
            replace(node, tile=rnd.choice([1, 1, 2, 3, 4, rnd.randint(1, family.extents[node.axis] + 1)])),
        )

    return at_node(rnd, program, Loop, edit)


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


def empty_loop(rnd: Random, program: Program, family: Family) -> Program:
    """A loop over nothing, around something of the program."""

    def edit(node: Node, inside: dict[str, str]) -> tuple[Node, ...]:
        axis = rnd.choice(list(family.extents))
        at = rnd.choice([0, family.extents[axis], rnd.randint(0, family.extents[axis])])
        body = node.body if isinstance(node, Loop) and rnd.random() < 0.5 else (node,)
        nothing = Loop(axis, rnd.choice([1, 1, 2]), body, at, at, free_label(axis, inside))
        return (
            (nothing, node) if rnd.random() < 0.6 else (node, nothing) if rnd.random() < 0.8 else (nothing,)
        )

    return at_node(rnd, program, (Operation, Loop), edit)


def free_label(axis: str, inside: dict[str, str]) -> str:
    return axis if axis not in inside else f"{axis}{len(inside)}"


def again(rnd: Random, program: Program, family: Family) -> Program:
    """A phase once more, the same objects, somewhere behind."""
    number = rnd.randrange(len(program.phases))
    at = rnd.randint(number + 1, len(program.phases))
    part = program.phases[number]
    return Program((*program.phases[:at], part, *program.phases[at:]))


def node_again(rnd: Random, program: Program, family: Family) -> Program:
    """A node as the last phase once more, without the loops around it."""
    address = pick(rnd, program, Loop)
    node = dict(addresses(program)).get(address) if address else None
    return program if node is None else Program((*program.phases, Phase("", (node,))))


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


def indices(operation: Operation, family: Family, tiles: object) -> list[str]:
    return [axis for axis in family[operation.array].indices if axis in tiles]  # type: ignore[operator]


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


def nest(rnd: Random, program: Program, family: Family) -> Program:
    """A loop inside a loop over the same axis."""

    def edit(node: Loop, inside: dict[str, str]) -> tuple[Node, ...]:
        tile = max(node.tile, rnd.randint(1, family.extents[node.axis]))
        inner = replace(node, label=node.label, start=0, stop=None)
        return (Loop(node.axis, tile, (inner,), node.start, node.stop, f"{node.axis}around"),)

    return at_node(rnd, program, Loop, edit)


def park(rnd: Random, program: Program, family: Family) -> Program:
    """Store, delete and load what an operation has made."""

    def edit(node: Operation, inside: dict[str, str]) -> tuple[Node, ...]:
        triple = tuple(Operation(action, node.array, at=node.at) for action in ("store", "delete", "load"))
        return (node, *triple) if node.action == "compute" else (node,)

    return at_node(rnd, program, Operation, edit)


# Changes that break most programs


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


KEEPING: list[Mutation] = [
    retile, split, split, empty_loop, again, node_again, twice_around, generated, relabel, nest, park, double,
]  # fmt: skip
BREAKING: list[Mutation] = [
    some_change, drop, drop_store, drop_store, part_of_box, under_condition, part_of_axis, double, move,
    swap_loops, without_stores, without_stores, replaced, other_condition,
]  # fmt: skip
