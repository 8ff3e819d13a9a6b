"""Random cases under long masks: they follow a rule for so many tiles that loops are cut short."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

from tests.program.edits import acceptable
from tests.program.generator import Case, random_text
from tests.program.long_masks import long_band, long_pattern
from tests.program.names import (
    BandMask,
    Family,
    Loop,
    Mask,
    Node,
    Problem,
    Program,
    delete,
    family_of,
    load,
    loop,
    phase,
)
from tests.program.program_reference import executions
from tests.program.random_families import (
    Subject,
    crossed_family,
    maskable,
    stepped_family,
    under,
    with_outputs,
)

__all__ = ["long_case_of"]

MOST_OPERATIONS = 4000
MOST_UNDER_PATTERNS = 9000


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
    most = MOST_OPERATIONS if isinstance(family.mask, BandMask) else MOST_UNDER_PATTERNS
    return sum(1 for _ in islice(executions(program, family), most)) < most


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
    if rnd.random() < 0.3:
        return subject_under(rnd, long_pattern(rnd))
    rows = rnd.randint(12, 30)
    cols = rows if rnd.random() < 0.6 else rnd.randint(8, 30)
    return subject_under(rnd, long_band(rnd, rows, cols), *rnd.choice([(1, 1), (1, 2), (2, 1)]))


def subject_under(rnd: Random, mask: Mask, d: int = 1, dv: int = 1) -> Subject:
    """A family under a mask."""
    draw = rnd.random()
    if draw < 0.2:
        made = crossed_family if draw < 0.12 else stepped_family
        return Subject(under(maskable(made(mask.Nq, mask.Nk, 1)), mask))
    pass_name = rnd.choice(["forward", "forward", "backward"])
    stats = pass_name == "forward" and rnd.random() < 0.3
    softmax = rnd.choice(["plain", "safe", "online"]) if pass_name == "forward" else "plain"
    problem = Problem(mask.Nq, mask.Nk, d, dv, pass_name=pass_name, stats=stats, softmax=softmax)
    return Subject(under(family_of(problem), mask), problem)
