"""Random masks that fall apart into parts, some of them equal, and random programs for each part in turn."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from pebble import mask_from_array
from pebble.program.parts_in_turn import family_of_part, for_each_part
from tests.program.generator import Case, random_text
from tests.program.names import Family, Mask, Problem, Program, make_mask
from tests.program.random_families import Subject, random_subject
from tests.program.random_masks import random_mask

__all__ = ["parted_case", "parted_mask"]


def parted_mask(rnd: Random) -> Mask:
    """Packed sequences, or whatever small masks one behind the other."""
    sizes = [rnd.randint(1, 5) for _ in range(rnd.randint(1, 3))]
    if rnd.random() < 0.5:
        lengths = [rnd.choice(sizes) for _ in range(rnd.randint(2, 6))]
        text = "document:" + "causal," * (rnd.random() < 0.5) + ",".join(map(str, lengths))
        mask = make_mask(text, sum(lengths), sum(lengths))
        assert mask is not None
        return mask
    small = [random_mask(rnd, size, rnd.randint(1, 5)) for size in sizes]
    found = [rnd.choice(small) for _ in range(rnd.randint(2, 5))]
    whole = np.zeros((sum(one.Nq for one in found), sum(one.Nk for one in found)), dtype=bool)
    row = column = 0
    for one in found:
        whole[row : row + one.Nq, column : column + one.Nk] = one.matrix((0, one.Nq), (0, one.Nk))
        row, column = row + one.Nq, column + one.Nk
    return mask_from_array(whole, empty_rows="zero")


def parted_case(seed: int) -> Case:
    """A program for each part of the mask of a random family: mostly legal, and mostly leaving nothing behind."""
    rnd = Random(seed)
    while True:
        mask, subject = parted_mask(rnd), random_subject(rnd, masked=True)
        family = subject.family
        if mask.separations("i") and all({"i", "j"} & set(array.axes) for array in family.arrays):
            break
    extents = {**family.extents, "i": mask.Nq, "j": mask.Nk}
    whole = Family(family.name, family.arrays, extents, family.symbols, family.parameters, mask)
    program = for_each_part(mask, lambda part: _text(rnd, whole, subject.problem, part))
    return Case(program, whole, f"seed {seed}")


def _text(rnd: Random, whole: Family, problem: Problem | None, part: Mask) -> Program:
    """A random program, another one if that has no phases."""
    family = family_of_part(whole, part)
    if problem is not None:
        problem = replace(problem, Nq=part.Nq, Nk=part.Nk, mask=part, group=1)
    while True:
        found, _ = random_text(rnd, Subject(family, problem))
        if found.phases:
            return found
