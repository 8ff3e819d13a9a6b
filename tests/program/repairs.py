"""Random programs repaired until they are legal, and changed in one place."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.program import (
    Loop,
    Node,
    Operation,
    Phase,
    Program,
    When,
    validate,
)
from tests.program.program_reference import Address, Outcome, refer
from tests.program.random_programs import random_condition, random_operation

Body = tuple[Node, ...]


# Editing the text of a program

Edit = Callable[[Node, dict[str, str]], Body]


def edited(program: Program, address: Address, edit: Edit) -> Program:
    """The program with the node at an address replaced by other nodes; the edit is told the enclosing loops."""

    def within(nodes: Body, rest: Address, enclosing: dict[str, str]) -> Body:
        number, node = rest[0], nodes[rest[0]]
        if len(rest) == 1:
            new = edit(node, enclosing)
        else:
            assert not isinstance(node, Operation)
            inside = enclosing | {node.label: node.axis} if isinstance(node, Loop) else enclosing
            new = (replace(node, body=within(node.body, rest[1:], inside)),)
        return (*nodes[:number], *new, *nodes[number + 1 :])

    part = program.phases[address[0]]
    nodes = within(tuple(part.nodes()), address[1:], {})
    new = Phase(part.title, nodes)
    if part.generate is not None:
        new = Phase(part.title, generate=lambda: iter(nodes))  # type: ignore[arg-type, return-value]
    return Program((*program.phases[: address[0]], new, *program.phases[address[0] + 1 :]))


def addresses(program: Program) -> list[tuple[Address, Node]]:
    """All nodes with their addresses."""

    def within(nodes: Body, address: Address) -> Iterator[tuple[Address, Node]]:
        for number, node in enumerate(nodes):
            yield (*address, number), node
            if not isinstance(node, Operation):
                yield from within(node.body, (*address, number))

    numbered = enumerate(program.phases)
    return list(itertools.chain.from_iterable(within(tuple(p.nodes()), (n,)) for n, p in numbered))


def is_valid(program: Program, family: Family) -> bool:
    try:
        validate(program, family)
    except InvalidInput:
        return False
    return all(
        not part.generate or all(isinstance(n, Operation) for n in part.nodes()) for part in program.phases
    )


def repaired(rnd: Random, program: Program, family: Family, tries: int = 30) -> tuple[Program, Outcome]:
    """Change the first refused operation until none is refused, or patience ends."""
    outcome = refer(program, family)
    for _ in range(tries):
        if outcome.legal or not outcome.address:
            break
        broken = frozenset(outcome.broken)
        better = edited(program, outcome.address, partial(_repair, rnd, family, broken))
        if is_valid(better, family):
            program, outcome = better, refer(better, family)
    return program, outcome


def _repair(
    rnd: Random, family: Family, broken: frozenset[str], node: Node, enclosing: dict[str, str]
) -> Body:
    assert isinstance(node, Operation)
    draw = rnd.random()
    if draw < 0.3:
        return ()
    if draw < 0.45 and enclosing:
        return (When(random_condition(rnd, enclosing), (node,)),)
    before: Operation
    if "delete-needs-red" in broken or "store-needs-red" in broken:
        name = node.replacing if node.action == "compute" and node.replacing else node.array
        before = Operation("load" if family[name].is_input or draw < 0.6 else "compute", name, at=node.at)
    elif "load-needs-blue" in broken:
        before = Operation("store", node.array, at=node.at)
    elif "one-partial-result" in broken or "whole-box" in broken:
        before = Operation("delete", node.array)
    else:
        name = rnd.choice((*(operand.array for operand in family[node.array].reads), node.array))
        before = Operation("load" if family[name].is_input or draw < 0.5 else "compute", name)
    if draw > 0.9 and enclosing:
        return (When(random_condition(rnd, enclosing), (before,)), node)
    return (before, node)


def mutated(rnd: Random, program: Program, family: Family) -> Program:
    """One change: drop, duplicate, swap, another tile, part, array, action, replaced array or condition."""
    for _ in range(50 if addresses(program) else 0):
        changed = _mutated(rnd, program, family)
        if changed != program and is_valid(changed, family):
            return changed
    return program


def _mutated(rnd: Random, program: Program, family: Family) -> Program:
    address, _ = rnd.choice(addresses(program))
    kind = rnd.randrange(6)
    if kind == 0:
        return edited(program, address, lambda node, _: ())
    if kind == 1:
        return edited(program, address, lambda node, _: (node, node))
    if kind == 2:
        _, other = rnd.choice(addresses(program))
        return edited(program, address, lambda node, _: (node, other) if rnd.random() < 0.5 else (other,))
    if kind == 3:
        return edited(
            program,
            address,
            lambda node, inside: (When(random_condition(rnd, inside), (node,)),) if inside else (node,),
        )
    return edited(program, address, lambda node, inside: (_altered(rnd, node, family, inside),))


def _altered(rnd: Random, node: Node, family: Family, enclosing: dict[str, str]) -> Node:
    if isinstance(node, When):
        return replace(node, condition=random_condition(rnd, enclosing))
    if isinstance(node, Loop):
        extent = family.extents[node.axis]
        if rnd.random() < 0.6:
            return replace(node, tile=rnd.randint(1, extent + 1))
        start = rnd.randint(0, extent)
        return replace(node, start=start, stop=rnd.choice([None, rnd.randint(start, extent)]))
    if rnd.random() < 0.4:
        return replace(node, array=rnd.choice(family.arrays).name)
    if rnd.random() < 0.5 and node.action == "compute":
        return replace(node, replacing=rnd.choice([None, *(array.name for array in family.arrays)]))
    return random_operation(rnd, family, enclosing, node.action)
