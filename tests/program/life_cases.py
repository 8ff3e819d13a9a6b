"""What a proof of a program's text must keep: checked by running every operation of it, under any mask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from pebble.common.errors import Violation
from pebble.program.counting.life import Here, Unproved, prove
from pebble.program.counting.plain import Machine
from pebble.program.steps import Step
from tests.program.names import (
    Family,
    Program,
    run,
    walk,
)
from tests.program.random_families import under
from tests.program.random_masks import random_mask

__all__ = ["is_legal", "others", "proved", "wrong_heres"]


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


def others(rnd: Random, family: Family, number: int) -> Iterator[Family]:
    """Yield the family under other masks; test_proof.py has other sizes."""
    if family.mask is not None:
        for _ in range(number):
            yield under(family, random_mask(rnd, family.extents["i"], family.extents["j"]))


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
