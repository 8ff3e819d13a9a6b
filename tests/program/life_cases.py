"""What a proof of a program's text must keep: checked by running every operation of it, at this size and at others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import numpy as np

from pebble.common.errors import Violation
from pebble.program.counting.life import Here, Unproved, prove
from pebble.program.counting.plain import Machine
from pebble.program.steps import Step
from tests.program.names import (
    Family,
    InvalidInput,
    Loop,
    Mask,
    Node,
    Operation,
    Phase,
    Program,
    run,
    validate,
    walk,
)
from tests.program.random_families import under
from tests.program.random_masks import random_mask

__all__ = ["is_legal", "moved", "others", "proved", "wrong_heres"]

Extents = Mapping[str, int]


def proved(program: Program, family: Family, own_mask: bool = False) -> dict[tuple[int, ...], Here] | None:
    try:
        return prove(program, family, own_mask=own_mask)[0]
    except Unproved:
        return None


def is_legal(program: Program, family: Family) -> bool:
    try:
        run(program, family, induction=False)
    except Violation:
        return False
    return True


# The same text at other sizes, under other masks


def others(rnd: Random, program: Program, family: Family, number: int) -> Iterator[tuple[Program, Family]]:
    """Yield the text under other masks, and at other sizes in which all is alike that a proof asks for."""
    for _ in range(number):
        if family.mask is not None:
            yield program, under(family, random_mask(rnd, family.extents["i"], family.extents["j"]))
        found = resized(rnd, program, family)
        if found is not None:
            yield found


def resized(rnd: Random, program: Program, family: Family) -> tuple[Program, Family] | None:
    """Return a text with other lengths of axes and tiles, if the facts are the same."""
    new = {axis: 1 if old == 1 else rnd.randint(2, old + 3) for axis, old in family.extents.items()}
    if np.prod([float(extent) for extent in new.values()]) > 2000:
        return None
    lengths: dict[int, int] = {1: 1}
    text = Program(
        tuple(
            Phase(part.title, tuple(moved(rnd, node, family.extents, new, lengths) for node in part.body))
            for part in program.phases
        )
    )
    mask: Mask | None = None if family.mask is None else random_mask(rnd, new["i"], new["j"])
    bare = Family(family.name, family.arrays, new, family.symbols, family.parameters)
    other = under(bare, mask)
    same = [facts(part.body, family.extents, {}) for part in program.phases] == [
        facts(part.body, new, {}) for part in text.phases
    ]
    return (text, other) if same and _is_sensible(text, other) else None


def _is_sensible(program: Program, family: Family) -> bool:
    try:
        validate(program, family, 3)
    except InvalidInput:
        return False
    return True


def moved(rnd: Random, node: Node, old: Extents, new: Extents, lengths: dict[int, int]) -> Node:
    """Return a node for other lengths of axes: what ends with the axis does so still."""
    if isinstance(node, Operation):
        at = tuple((axis, *(new[axis] if x == old[axis] else x for x in ends)) for axis, *ends in node.at)
        return replace(node, at=at)  # type: ignore[arg-type]
    body = tuple(moved(rnd, inner, old, new, lengths) for inner in node.body)
    if not isinstance(node, Loop):
        return replace(node, body=body)
    start, stop = (new[node.axis] if x == old[node.axis] else x for x in (node.start, node.stop))
    tile = lengths.setdefault(node.tile, rnd.choice([2, 2, 3, 4, 5]))
    return replace(node, body=body, tile=tile, start=start or 0, stop=stop)


def facts(nodes: tuple[Node, ...], extents: Extents, around: dict[str, int]) -> list[object]:
    """Return what a proof asks of lengths, node by node."""
    found: list[object] = []
    for node in nodes:
        if isinstance(node, Operation):
            found.append([(axis, a, b if b < extents[axis] else -1, b - a == 1) for axis, a, b in node.at])
        elif isinstance(node, Loop):
            stop = extents[node.axis] if node.stop is None else node.stop
            length = around.get(node.axis, stop - node.start)
            end = -1 if stop == extents[node.axis] else stop
            start = -1 if node.start == extents[node.axis] else node.start
            found.append((node.tile == 1, length <= node.tile, length == 1, start, end))
            found.append(facts(node.body, extents, {**around, node.axis: min(node.tile, length)}))
        else:
            found.append(facts(node.body, extents, around))
    return found


# What is moved


def wrong_heres(program: Program, family: Family, heres: Mapping[tuple[int, ...], Here]) -> list[str]:
    """Return at which operations another number of words moves, or begins, than what is known of them says."""
    wrong, seen = [], []
    steps = walk(program, family)
    last = {"counts": dict.fromkeys(("load", "store"), 0), "held": {array.name: 0 for array in family.arrays}}

    def compare(machine: Machine) -> None:
        step = next(steps)
        op, here = step.operation, heres.get(step.place)
        before, now = last["held"][op.array], machine.held[op.array]
        counts = {action: sum(machine.counts[action].values()) for action in ("load", "store")}
        words = counts.get(op.action, 0) - last["counts"].get(op.action, 0)
        last["counts"], last["held"] = counts, dict(machine.held)
        seen.append(step.place)
        asked = expected(step, family, here) if here is not None else (0, 0)
        if op.action == "delete":
            words = before - now
        if op.action == "compute" and family[op.array].chain is not None:
            return
        if asked != (words, now - before):
            wrong.append(f"{op} at {step.path}: {here}, {asked} and not {(words, now - before)}")

    run(program, family, induction=False, observe=compare)
    return wrong


def expected(step: Step, family: Family, here: Here) -> tuple[int, int]:
    """Return how many words an operation moves, and by how many what is in fast memory grows."""
    op, array = step.operation, family[step.operation.array]
    box = step.box(op.array, family)
    words = 1
    lines: dict[str, tuple[int, int]] = {}
    for axis, (start, stop) in zip(array.axes, box, strict=True):
        if axis in family.masked_axes:
            lines[axis] = start, stop
        else:
            words *= stop - start
    if family.mask is not None and len(lines) == 2:
        words *= family.mask.count(lines["i"], lines["j"])
    elif family.mask is not None and lines:
        ((axis, interval),) = lines.items()
        other = "j" if axis == "i" else "i"
        end = family.extents[other]
        if array.chain in family.masked_axes and here.place != "all" and op.action != "compute":
            end = step.interval(other, family)[here.place == "end"]
        words *= int((family.mask.first(axis, interval) < end).sum())
    if op.action == "compute":
        return 0, 0 if here.held else words
    grows = {"load": 0 if here.held else words, "store": 0, "delete": -words}[op.action]
    return words, grows
