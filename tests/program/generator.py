"""Random cases: a family with or without a mask, and a program for it that is legal or nearly so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from tests.program.chains import chain_text
from tests.program.changes import BREAKING, KEEPING, acceptable, change
from tests.program.names import Family, Program
from tests.program.program_reference import executions
from tests.program.random_families import Subject, long_subject, random_subject, with_outputs
from tests.program.repairs import repaired
from tests.program.templates import legal_text

__all__ = ["Case", "case_of", "long_case_of", "random_case"]

MOST_OPERATIONS = 900
MOST_OF_LONG_ONES = 2500
MOST_VERTICES = 3000


@dataclass(frozen=True)
class Case:
    """A program of a family, and how it came about."""

    program: Program
    family: Family
    description: str = ""

    def __str__(self) -> str:
        mask = self.family.mask
        table = "" if mask is None else "\n" + shown(mask.matrix((0, mask.Nq), (0, mask.Nk)).tolist())
        outputs = " ".join(array.name for array in self.family.outputs)
        return f"{self.description}\n{self.family!r}, outputs: {outputs}{table}\n{self.program}"


def shown(table: list[list[bool]]) -> str:
    """A mask as text: a line for each query."""
    return "\n".join("".join("x" if allowed else "." for allowed in row) for row in table)


def case_of(seed: int) -> Case:
    """The case with a number."""
    return random_case(Random(seed), f"seed {seed}: ")


def random_case(rnd: Random, description: str = "", masked: float = 0.7) -> Case:
    """A case that the elementary game can judge in some milliseconds, under a mask with some probability."""
    while True:
        subject = random_subject(rnd, masked=rnd.random() < masked)
        if subject.family.n_vertices <= MOST_VERTICES:
            case = case_about(rnd, subject, description)
            if case is not None:
                return case


def long_case_of(seed: int) -> Case:
    """The long case with a number: so many tiles that one stands for several; for the plain loops only to judge."""
    rnd = Random(seed)
    while True:
        case = case_about(rnd, long_subject(rnd), f"long seed {seed}: ", MOST_OF_LONG_ONES, broken=False)
        if case is not None:
            return case


def case_about(
    rnd: Random, subject: Subject, description: str, most: int = MOST_OPERATIONS, *, broken: bool = True
) -> Case | None:
    """A case about a family, if it is not too long."""
    if rnd.random() < 0.2:
        subject = replace(subject, family=with_outputs(subject.family, ()))
    program, story = random_text(rnd, subject, broken=broken)
    if program.phases and acceptable(program, subject.family) and affordable(program, subject.family, most):
        return Case(program, subject.family, description + story)
    return None


def random_text(rnd: Random, subject: Subject, *, broken: bool = True) -> tuple[Program, str]:
    """A legal program, some changes that keep it legal mostly, and none or few that do not."""
    draw = rnd.random()
    if not subject.family.outputs and draw < 0.4:
        program, story = chain_text(rnd, subject.family), "one chain"
    else:
        program, story = legal_text(rnd, subject)
    stories = [story]
    if not program.phases or not acceptable(program, subject.family):
        return Program(()), "nothing"
    changes = [KEEPING] * rnd.choice([0, 1, 1, 2, 3])
    changes += [BREAKING] * (rnd.choice([0, 0, 1, 1, 1, 2]) if broken else 0)
    rnd.shuffle(changes)
    for kind in changes:
        program, story = change(rnd, program, subject.family, kind)
        stories.append(story)
    if broken and rnd.random() < 0.35 and affordable(program, subject.family):
        program, _ = repaired(rnd, program, subject.family, 5)
        stories.append("repaired")
    return program, ", ".join(filter(None, stories))


def affordable(program: Program, family: Family, most: int = MOST_OPERATIONS) -> bool:
    """Whether a program executes so few operations that every reading takes milliseconds."""
    return sum(1 for _ in islice(executions(program, family), most)) < most
