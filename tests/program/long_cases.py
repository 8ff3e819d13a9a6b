"""Random cases under long bands: masks that follow a rule for so many tiles that loops are cut short."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np

from tests.program.edits import acceptable
from tests.program.generator import Case, random_text
from tests.program.names import (
    BandMask,
    Family,
    InvalidInput,
    Loop,
    Mask,
    Node,
    Problem,
    Program,
    delete,
    family_of,
    load,
    loop,
    make_mask,
    phase,
)
from tests.program.program_reference import executions
from tests.program.random_families import Subject, crossed_family, under, with_outputs
from tests.program.random_masks import documents

__all__ = ["long_case_of"]

MOST_OPERATIONS = 4000


def long_case_of(seed: int) -> Case:
    """The long case with a number."""
    rnd = Random(seed)
    while True:
        subject = long_subject(rnd)
        if rnd.random() < 0.2:
            subject = replace(subject, family=with_outputs(subject.family, ()))
        program, story = random_text(rnd, subject)
        if program.phases and rnd.random() < 0.5:
            program, story = disturbed(rnd, program, subject.family), f"{story}, disturbed"
        if program.phases and acceptable(program, subject.family) and affordable(program, subject.family):
            return Case(program, subject.family, f"long seed {seed}: {story}")


def affordable(program: Program, family: Family) -> bool:
    """Whether the plain loops execute it in a second or so."""
    return sum(1 for _ in islice(executions(program, family), MOST_OPERATIONS)) < MOST_OPERATIONS


def disturbed(rnd: Random, program: Program, family: Family) -> Program:
    """Somewhere in the middle of an axis things are different: before a phase, or for a loop inside its loops."""
    phases = list(program.phases)
    for _ in range(rnd.randint(1, 2)):
        at = rnd.randrange(len(phases))
        name, axis = rnd.choice(
            [(a.name, axis) for a in family.arrays for axis in a.axes if a.is_input and axis in "ij"]
        )
        low = rnd.randint(1, family.extents[axis] - 3)
        part = {"start": low, "stop": min(low + rnd.randint(1, 5), family.extents[axis] - 1)}
        steps = [load(name), *([delete(name)] if rnd.random() < 0.4 else [])]
        one = loop(axis, rnd.randint(1, 3), steps, label="part", **part)
        if rnd.random() < 0.5:
            phases.insert(at, phase("", one))
        else:
            nodes = tuple(inside(rnd, node, one) for node in phases[at].nodes())
            phases[at] = phase("", nodes)
    return Program(tuple(phases))


def inside(rnd: Random, node: Node, part: Node) -> Node:
    """A node with another one at the end of its body, where it is a loop over another axis; or of that of its last."""
    assert isinstance(part, Loop)
    if not isinstance(node, Loop) or node.axis == part.axis or any(one == part for one in node.body):
        return node
    body = node.body
    if rnd.random() < 0.3 and body:
        body = (*body[:-1], inside(rnd, body[-1], part))
    return replace(node, body=(*body, part))


def long_subject(rnd: Random) -> Subject:
    """A family of many queries and keys, and small in all else."""
    rows = rnd.randint(12, 30)
    cols = rows if rnd.random() < 0.6 else rnd.randint(8, 30)
    d, dv = rnd.choice([(1, 1), (1, 2), (2, 1)])
    if rnd.random() < 0.2:
        return Subject(under(crossed_family(rows, cols, 1), long_band(rnd, rows, cols)))
    pass_name = rnd.choice(["forward", "forward", "backward"])
    problem = Problem(
        rows, cols, d, dv, pass_name=pass_name, stats=pass_name == "forward" and rnd.random() < 0.3
    )
    return Subject(under(family_of(problem), long_band(rnd, rows, cols)), problem)


def long_band(rnd: Random, rows: int, cols: int) -> Mask:
    """A band of few pieces."""
    while True:
        try:
            mask = rnd.choice((named, named, pieces, pieces))(rnd, rows, cols)
        except InvalidInput:
            continue
        if mask.pairs:
            return mask


def named(rnd: Random, rows: int, cols: int) -> Mask:
    """A band by name."""
    names = [
        "causal",
        "causal",
        f"window:{rnd.randint(1, cols // 2)}",
        f"window:left={rnd.randint(0, cols // 3)},right={rnd.randint(0, cols // 3)}",
        f"prefix:{rnd.randint(1, cols // 2)}",
        documents(rnd, rows),
    ]
    group = next((size for size in (3, 2) if rows % size == 0), 1)
    inner = rnd.choice(["causal", f"window:{rnd.randint(1, max(1, rows // group // 2))}", "prefix:2"])
    names += [f"group:{group}:{inner}"] * 2
    mask = make_mask(rnd.choice(names), rows, cols, empty_rows="zero")
    assert mask is not None
    return mask


def pieces(rnd: Random, rows: int, cols: int) -> Mask:
    """Ends that stay, or move by one or a jump, for a while each; also lines without pairs."""
    ends = np.array([walk(rnd, rows, cols), walk(rnd, rows, cols)])
    return BandMask("band", cols, ends.min(axis=0), ends.max(axis=0))


def walk(rnd: Random, rows: int, cols: int) -> list[int]:
    place, found = rnd.choice([0, 0, rnd.randint(0, cols // 2)]), list[int]()
    while len(found) < rows:
        slope = rnd.randint(0, 1)
        for _ in range(rnd.choice([rows, rnd.randint(6, 16), 3])):
            found.append(place)
            place = min(place + slope, cols)
        place = min(place + rnd.choice([0, 0, 1, rnd.randint(0, 5)]), cols)
    return found[:rows]
