"""Sums in any order: as chains where the order is theirs, and by plain sets of terms where it is not."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.program.counting.run import run
from pebble.program.schedule import registered
from tests.program.changes import BREAKING, KEEPING, acceptable, change
from tests.program.generator import affordable, random_case
from tests.program.names import (
    Family,
    Node,
    Operation,
    Problem,
    Program,
    When,
    compute,
    delete,
    family_of,
    load,
    loop,
    matmul_family,
    phase,
    program,
    store,
)
from tests.program.sums_reference import Found, refer_to_sets
from tests.support import amounts


def counted(text: Program, family: Family, induction: bool, M: int | None = None) -> Found:
    """What the machine says of a program: the broken rule, or the counts and the peak."""
    try:
        found = run(text, family, M, induction=induction)
    except Violation as violation:
        return violation.rule, {}
    moved = (("load", found.reads), ("store", found.writes), ("compute", found.computes))
    counts = {f"{action} {name}": count for action, of in moved for name, count in of.items() if count}
    return "", {**counts, "peak": found.peak}


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_schedules_count_the_same_with_chains(pass_name: str) -> None:
    for problem, M, both in ((Problem(7, 6, 2, 1), 24, True), (Problem.square(2**30, 64), 10**5, False)):
        chains = replace(problem, pass_name=pass_name)
        for schedule in registered(pass_name, "plain"):
            if schedule.name == "best":
                continue
            try:
                text = schedule.program(chains, schedule.tiles(chains, M))
            except CacheTooSmall:
                continue
            expected = counted(text, family_of(chains), True)
            assert expected[0] == ""
            free = family_of(replace(chains, sums="free"))
            for induction in (True, False)[: 1 + both]:
                assert counted(text, free, induction) == expected, schedule.name


def in_another_order(rnd: Random, node: Node, inside: tuple[str, ...] = ()) -> tuple[Node, ...]:
    """A node with some loops cut in two parts, the second part first."""
    if isinstance(node, Operation):
        return (node,)
    if isinstance(node, When):
        return (replace(node, body=bodies(rnd, node.body, inside)),)
    node = replace(node, body=bodies(rnd, node.body, (*inside, node.axis)))
    if node.axis in inside or node.start or node.stop is not None or rnd.random() < 0.5:
        return (node,)
    middle = node.tile * rnd.randint(1, 3)
    return replace(node, start=middle), replace(node, stop=middle)


def bodies(rnd: Random, nodes: tuple[Node, ...], inside: tuple[str, ...]) -> tuple[Node, ...]:
    """The nodes of a body, each in another order or not."""
    return tuple(one for node in nodes for one in in_another_order(rnd, node, inside))


def free_case(seed: int) -> tuple[Program, Family] | None:
    """A random program of a family whose sums have no order; None where a random family has a mask or steps."""
    rnd = Random(seed)
    subject = scheduled(rnd) if seed % 3 else drawn(rnd, seed)
    if subject is None:
        return None
    text, free = subject
    parts = [
        part if part.generate else replace(part, body=bodies(rnd, part.body, ())) for part in text.phases
    ]
    text = Program(tuple(parts))
    if rnd.random() < 0.25:
        text, _ = change(rnd, text, free, rnd.choice([KEEPING, BREAKING]))
    return (text, free) if acceptable(text, free) and affordable(text, free) else None


def scheduled(rnd: Random) -> tuple[Program, Family] | None:
    """A schedule's program for a small problem."""
    pass_name = rnd.choice(["forward", "forward", "backward"])
    shape = rnd.randint(5, 9), rnd.randint(6, 12), rnd.randint(1, 2), rnd.randint(1, 2)
    problem = Problem(*shape, pass_name=pass_name, sums="free")
    schedule = rnd.choice(registered(pass_name, "plain"))
    try:
        tiles = schedule.tiles(problem, rnd.randint(12, 60))
    except CacheTooSmall:
        return None
    return schedule.program(problem, tiles), family_of(problem)


def drawn(rnd: Random, seed: int) -> tuple[Program, Family] | None:
    """A random program of a random family, if it has neither a mask nor chains that are read at a step."""
    case = random_case(Random(seed), masked=0)
    family = case.family
    if any(read.step != "last" for array in family.arrays for read in array.reads):
        return None
    axes = sorted({array.chain for array in family.arrays if array.chain})
    try:
        return case.program, family.with_free_sums([axis for axis in axes if rnd.random() < 0.8])
    except InvalidInput:
        return None


def check(seeds: range) -> tuple[int, int]:
    """Compare both runs with the reference; how many programs were legal, and how many of all."""
    legal = every = 0
    for seed in seeds:
        case = free_case(seed)
        if case is None:
            continue
        text, family = case
        expected = refer_to_sets(text, family)
        for induction in (False, True):
            found = counted(text, family, induction)
            assert found == expected, f"seed {seed}, induction {induction}\n{family!r}\n{text}"
        legal, every = legal + (expected[0] == ""), every + 1
    return legal, every


@pytest.mark.parametrize("block", amounts.first(1, range(10)))
def test_random_programs_do_what_sets_of_terms_do(block: int) -> None:
    legal, every = check(range(3 * 10**6 + 60 * block, 3 * 10**6 + 60 * (block + 1)))
    assert 5 < legal < every


PRODUCT = matmul_family(6, 5, 40).with_free_sums(["k"])


def product_of(*parts: tuple[int, int | None]) -> Program:
    """C = AB, the terms taken in parts of the summed axis."""
    body = load("A"), load("B"), compute("C"), delete("A", "B")
    return program(
        phase(
            "",
            [loop("k", 1, *body, start=start, stop=stop) for start, stop in parts],
            store("C"),
            delete("C"),
        )
    )


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        (((25, None), (0, 10), (10, 25)), ""),
        (((25, None), (0, 10), (9, 25)), "term-counted-twice"),
        (((30, 31), (0, None)), "term-counted-twice"),
        (((25, None), (0, 10), (11, 25)), "output-missing"),
    ],
)
def test_terms_may_come_in_any_order_but_each_once(
    parts: tuple[tuple[int, int | None], ...], rule: str
) -> None:
    for induction in (True, False):
        found, counts = counted(product_of(*parts), PRODUCT, induction)
        assert found == rule
        if not rule:
            assert counts["load A"] + counts["load B"] + counts["store C"] == 40 * 11 + 30
    assert counted(product_of(*parts), matmul_family(6, 5, 40), True)[0]


def test_partial_sums_with_other_terms_are_not_stored_over_each_other() -> None:
    body = load("A"), load("B"), compute("C"), delete("A", "B"), store("C"), delete("C")
    text = program(phase("", loop("k", 8, *body)))
    with pytest.raises(Violation) as refused:
        run(text, PRODUCT)
    assert refused.value.rule == "one-partial-result"
