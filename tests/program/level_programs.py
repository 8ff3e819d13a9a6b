"""Random programs for several memory levels: legal ones by construction, and the same with something changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from pebble.program.nodes import Loop, Node, Operation, Phase, Program, When

Body = tuple[Node, ...]


def through_levels(program: Program, levels: int, inclusive: bool) -> Program:
    """Every word goes through all levels: loaded into each on its way in, stored from each on its way out."""

    def spread(op: Operation) -> Body:
        at_level = [replace(op, level=level) for level in range(1, levels + 1)]
        if op.action == "load":
            return tuple(reversed(at_level))
        if op.action == "store" and not inclusive:
            outer = [replace(op, level=level) for level in range(2, levels + 1)]
            return (at_level[0], *(node for one in outer for node in (one, replace(one, action="delete"))))
        if op.action == "delete" and not inclusive:
            return (op,)
        if op.action == "compute":
            return (op,)
        return tuple(at_level)

    return rewritten(program, spread)


def rewritten(program: Program, changed: Callable[[Operation], Body]) -> Program:
    """Replace every operation by some."""

    def body(nodes: Body) -> Body:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop | When):
                found.append(replace(node, body=body(node.body)))
            else:
                found.extend(changed(node))
        return tuple(found)

    return Program(tuple(Phase(part.title, body(tuple(part.nodes()))) for part in program.phases))


def operations(program: Program) -> int:
    """How many operations a program is written with."""
    number = 0

    def counted(op: Operation) -> Body:
        nonlocal number
        number += 1
        return (op,)

    rewritten(program, counted)
    return number


def mutated(rnd: Random, program: Program, levels: int) -> Program:
    """Leave an operation out, write it twice, or change its level or what it does."""
    chosen, at = rnd.randrange(operations(program)), -1
    kind = rnd.choice(["out", "out", "twice", "level", "action", "store out", "load in"])

    def changed(op: Operation) -> Body:
        nonlocal at
        at += 1
        if at != chosen:
            return (op,)
        level = rnd.randint(1, levels)
        if kind == "out":
            return ()
        if kind == "twice":
            return (op, op)
        if op.action == "compute":
            return (op, Operation(rnd.choice(["store", "delete"]), op.array, level=level))
        if kind == "level":
            return (replace(op, level=level),)
        if kind == "action":
            return (replace(op, action=rnd.choice(["load", "store", "delete"])),)
        return (op, Operation("store" if kind == "store out" else "load", op.array, level=level))

    return rewritten(program, changed)


def parked(rnd: Random, program: Program, levels: int) -> Program:
    """Leave deletes and loads of an outer level out here and there: words then stay at that level."""

    def kept(op: Operation) -> Body:
        drop = op.level > 1 and op.action in ("delete", "store", "load") and rnd.random() < 0.3
        return () if drop else (op,)

    return rewritten(program, kept) if levels > 1 else program
