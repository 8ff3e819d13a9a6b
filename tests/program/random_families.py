"""Random families, with and without a mask: attention both ways, weights, matrix products, synthetic ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from tests.program.names import Array, Family, Mask, Problem, family_of, matmul_family
from tests.program.random_masks import random_mask
from tests.program.random_programs import relabelled, small_family

__all__ = ["Subject", "crossed_family", "long_subject", "random_subject", "under", "with_outputs"]


@dataclass(frozen=True)
class Subject:
    """A family, and the problem it comes from where there is one."""

    family: Family
    problem: Problem | None = None


def crossed_family(i: int, j: int, k: int) -> Family:
    """Sums over two axes that cross, arrays in both orders of axes, one that may replace a sum it does not read."""
    arrays = (
        Array("X", ("i", "k")),
        Array("Y", ("k", "j")),
        Array("w", ("i",)),
        Array("S", ("i", "j"), chain="k", operands=("X", "Y")),
        Array("P", ("j", "i"), operands=("S", "w")),
        Array("R", ("i", "j"), operands=("P", "S")),
        Array("c", ("j",), chain="i", operands=("R", "w")),
        Array("r", ("i",), chain="j", operands=("P",)),
        Array("m", ("i",), operands=("w",)),
        Array("G", ("k", "j"), chain="i", operands=("P", "X")),
        Array("H", ("i", "k"), chain="j", operands=("R", "Y")),
        Array("n", ("i", "k"), operands=("H", "r", "m")),
    )
    return Family("crossed", arrays, {"i": i, "j": j, "k": k}, dict(zip("ijk", "mnd", strict=True)), {})


def stepped_family(i: int, j: int, k: int) -> Family:
    """Sums over both axes that others read at a step, in either order of axes, and along their own chains."""
    arrays = (
        Array("X", ("i", "k")),
        Array("Y", ("j", "k")),
        Array("w", ("i",)),
        Array("S", ("i", "j"), chain="k", operands=("X", "Y")),
        Array("m", ("i",), chain="j", operands=("S",)),
        Array("a", ("i", "j"), operands=("m@before", "S")),
        Array("P", ("j", "i"), operands=("S", "m@after")),
        Array("c", ("j",), chain="i", operands=("P", "w")),
        Array("r", ("i",), chain="j", operands=("a", "P", "m@after")),
        Array("H", ("i", "k"), chain="j", operands=("Y", "r@before")),
        Array("G", ("j", "k"), chain="i", operands=("X", "c@before", "m@before")),
        Array("n", ("i", "k"), operands=("H", "m")),
    )
    return Family("stepped", arrays, {"i": i, "j": j, "k": k}, dict(zip("ijk", "mnd", strict=True)), {})


def recurrent_family(n: int, k: int, e: int) -> Family:
    """A state that moves on token by token, and is read just before and just after each."""
    arrays = (
        Array("Q", ("n", "k")),
        Array("K", ("n", "k")),
        Array("V", ("n", "e")),
        Array("H", ("k", "e"), chain="n", operands=("K", "V")),
        Array("B", ("n", "e"), chain="k", operands=("Q", "H@before")),
        Array("O", ("n", "e"), chain="k", operands=("Q", "H@after")),
        Array("z", ("k", "e"), operands=("H",)),
    )
    return Family("recurrent", arrays, {"n": n, "k": k, "e": e}, dict(zip("nke", "ndv", strict=True)), {})


def under(family: Family, mask: Mask | None) -> Family:
    """The same family under a mask, which may leave queries without keys."""
    bare = Family(family.name, family.arrays, family.extents, family.symbols, family.parameters)
    if mask is None:
        return bare
    mask.empty_rows = "zero"
    return bare.under(mask)


def with_outputs(family: Family, outputs: tuple[str, ...]) -> Family:
    """The same family, mask included, with other outputs."""
    return under(relabelled(family, outputs), family.mask)


def maskable(family: Family) -> Family:
    """A family without the arrays whose chain a mask cannot cut."""
    bad = {
        array.name
        for array in family.arrays
        if array.chain in ("i", "j") and len({"i", "j"} & set(array.axes)) != 1
    }
    kept = tuple(array for array in family.arrays if array.name not in bad)
    return Family(family.name, kept, family.extents, family.symbols, family.parameters)


def sizes(rnd: Random, most: int) -> tuple[int, int]:
    """Lengths of two axes: one long, or both of middle size."""
    long = rnd.randint(8, most)
    short = rnd.choice([rnd.randint(1, 6), rnd.randint(5, 10)])
    if rnd.random() < 0.35:
        long = short = rnd.randint(5, 11)
    return (long, short) if rnd.random() < 0.5 else (short, long)


def depth(rnd: Random, pairs: int) -> int:
    """Length of an inner axis: now and then long enough to be a long loop itself, where that is cheap."""
    return rnd.choice([1, 2, 3, rnd.randint(5, 12) if pairs <= 60 else 2])


def random_subject(rnd: Random, masked: bool) -> Subject:
    """A family of a size at which every iteration can be run, element by element."""
    kind = rnd.choice(["forward"] * 4 + ["backward"] * 2 + ["synthetic"] * 3 + ["matmul"])
    if not masked and rnd.random() < 0.1:
        problem = Problem.square(rnd.randint(3, 7), rnd.randint(1, 2), pass_name="weights")
        subject = Subject(family_of(problem), problem)
    elif kind in ("forward", "backward"):
        subject = attention(rnd, kind, masked)
    elif kind == "matmul" and not masked:
        i, j = sizes(rnd, 24)
        subject = Subject(matmul_family(*rnd.sample([i, j, rnd.randint(1, 7)], 3)))
    else:
        subject = synthetic(rnd, masked)
    return replace(subject, family=relaxed(rnd, subject.family))


def attention(rnd: Random, pass_name: str, masked: bool) -> Subject:
    rows, cols = sizes(rnd, 30 if pass_name == "forward" else 16)
    if rnd.random() < 0.3:
        cols = rows = rnd.randint(5, 11)
    mask: Mask | None = random_mask(rnd, rows, cols) if masked else None
    d, dv = (rnd.choice([1, 1, 2, depth(rnd, rows * cols)]) for _ in range(2))
    return attention_of(rnd, pass_name, Problem(rows, cols, d, dv, mask=mask))


def long_subject(rnd: Random) -> Subject:
    """Attention of many queries and keys, under a mask of any class, and small in all else."""
    rows = rnd.randint(16, 40)
    mask = random_mask(rnd, rows, rows if rnd.random() < 0.7 else rnd.randint(8, 30))
    pass_name = rnd.choice(["forward", "forward", "backward"])
    return attention_of(rnd, pass_name, Problem(mask.Nq, mask.Nk, 1, rnd.choice([1, 1, 2]), mask=mask))


def attention_of(rnd: Random, pass_name: str, problem: Problem) -> Subject:
    """A pass over a problem, the forward one in any form."""
    stats = pass_name == "forward" and rnd.random() < 0.3
    softmax = rnd.choice(["plain", "plain", "safe", "online"]) if pass_name == "forward" else "plain"
    problem = replace(problem, stats=stats, pass_name=pass_name, softmax=softmax)
    return Subject(family_of(problem), problem)


def synthetic(rnd: Random, masked: bool) -> Subject:
    i, j = sizes(rnd, 18)
    k = depth(rnd, i * j)
    family = rnd.choice(
        [
            small_family(i, j),
            crossed_family(i, j, k),
            *[stepped_family(i, j, k)] * 2,
        ]
    )
    if not masked and rnd.random() < 0.15:
        family = recurrent_family(max(i, j), k, rnd.randint(1, 3))
    if masked:
        family = under(maskable(family), random_mask(rnd, i, j))
    outputs = rnd.sample([a.name for a in family.arrays if not a.is_input], rnd.randint(0, 2))
    return Subject(with_outputs(family, tuple(outputs)))


def relaxed(rnd: Random, family: Family) -> Family:
    """The family, now and then without outputs, or with others, so that more programs are legal."""
    draw = rnd.random()
    if draw < 0.6:
        return family
    computed = [array.name for array in family.arrays if not array.is_input]
    return with_outputs(family, () if draw < 0.9 else tuple(rnd.sample(computed, 1)))
