"""Smaller programs with the same fault, and programs as Python text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tests.program.edits import acceptable
from tests.program.generator import Case
from tests.program.names import DenseMask, Loop, Mask, Node, Operation, Phase, Program
from tests.program.random_families import under, with_outputs
from tests.program.repairs import addresses, edited

__all__ = ["as_python", "shrunk"]

Test = Callable[[Case], bool]


def shrunk(case: Case, fails: Test, patience: int = 600) -> Case:
    """A case that still fails and of which nothing can be left out; as far as patience lasts."""
    found = True
    while found and patience > 0:
        found = False
        for smaller in simpler(case):
            patience -= 1
            if patience <= 0:
                break
            if acceptable(smaller.program, smaller.family) and fails(smaller):
                case, found = smaller, True
                break
    return case


def simpler(case: Case) -> Iterator[Case]:
    """Cases with one thing less."""
    program, family = case.program, case.family
    for number in range(len(program.phases)):
        yield replace(case, program=Program(program.phases[:number] + program.phases[number + 1 :]))
    for number, part in enumerate(program.phases):
        if part.generate is not None:
            yield replace(case, program=with_phase(program, number, Phase("", tuple(part.nodes()))))
    for address, _ in addresses(program):
        yield replace(case, program=edited(program, address, lambda _node, _: ()))
    for address, node in addresses(program):
        for nodes in simpler_nodes(node):
            yield replace(case, program=edited(program, address, lambda _node, _, new=nodes: new))  # type: ignore[misc]
    if family.outputs:
        yield replace(case, family=with_outputs(family, ()))
    if family.mask is not None:
        yield from simpler_masks(case, family.mask)


def with_phase(program: Program, number: int, part: Phase) -> Program:
    return Program((*program.phases[:number], part, *program.phases[number + 1 :]))


def simpler_nodes(node: Node) -> Iterator[tuple[Node, ...]]:
    """What may stand for a node."""
    if isinstance(node, Operation):
        if node.at:
            yield (replace(node, at=()),)
        if node.replacing:
            yield (replace(node, replacing=None),)
        return
    yield node.body
    if isinstance(node, Loop):
        if (node.start, node.stop) != (0, None):
            yield (replace(node, start=0, stop=None),)
        if node.tile != 1:
            yield (replace(node, tile=1),)


def simpler_masks(case: Case, mask: Mask) -> Iterator[Case]:
    """The same pairs one by one; a mask with a row or a pair changed."""
    table = np.array(mask.matrix((0, mask.Nq), (0, mask.Nk)), dtype=bool)

    def masked(new: object) -> Case:
        pattern = DenseMask("table", np.array(new, dtype=bool))
        return replace(case, family=under(case.family, pattern))

    if not isinstance(mask, DenseMask):
        yield masked(table)
    if not table.all():
        yield masked(np.ones_like(table))
    for row in range(len(table)):
        if not table[row].all():
            new = table.copy()
            new[row] = True
            yield masked(new)
    for row in range(1, len(table)):
        if (table[row] != table[row - 1]).any():
            new = table.copy()
            new[row] = table[row - 1]
            yield masked(new)


def as_python(program: Program) -> str:
    """A program as the calls that make it."""
    parts = []
    for part in program.phases:
        inner = ", ".join(node_text(node) for node in part.nodes())
        parts.append(f"phase({part.title!r}, {inner})" if part.generate is None else f"generated({inner})")
    return f"program({', '.join(parts)})"


def node_text(node: Node) -> str:
    if isinstance(node, Operation):
        at = "".join(f", {axis}=({a}, {b})" for axis, a, b in node.at)
        replacing = f", {node.replacing!r}" if node.replacing else ""
        return f"{node.action}({node.array!r}{replacing}{at})"
    body = ", ".join(node_text(inner) for inner in node.body)
    if isinstance(node, Loop):
        part = f", start={node.start}" if node.start else ""
        part += f", stop={node.stop}" if node.stop is not None else ""
        part += f", label={node.label!r}" if node.label != node.axis else ""
        return f"loop({node.axis!r}, {node.tile}, {body}{part})"
    which = f"not_{node.condition.which}" if node.condition.negated else node.condition.which
    return f"when({which}({node.condition.label!r}), {body})"
