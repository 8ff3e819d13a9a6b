"""The language: its text, what it refuses, and its walk against the reference's."""

from __future__ import annotations

import pytest

from pebble.computations.matmul import matmul_family
from pebble.program import (
    Loop,
    Nodes,
    Operation,
    Program,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    phase,
    program,
    store,
    walk,
    when,
)
from tests.program.generator import case_of
from tests.program.program_reference import executions

FAMILY = matmul_family(9, 8, 7)


def text(*nodes: Nodes) -> Program:
    return program(phase("", *nodes))


def test_pseudo_code() -> None:
    nodes = program(
        phase(
            "a title",
            loop(
                "i",
                4,
                load("A"),
                loop("j", 1, when(first("i"), load("B")), compute("C"), start=2, stop=5),
                loop("i", 1, when(not_last("row"), store("C"), delete("C")), label="row"),
                when(last("i"), loop("k", 2, load("A", j=(0, 3)), start=1)),
            ),
        ),
        phase("bare", generate=lambda: iter(load("A"))),
    )
    assert str(nodes) == "\n".join(
        [
            "# a title",
            "for i in tiles of 4:",
            "    load A",
            "    for each j in [2, 5):",
            "        if the first i: load B",
            "        compute C",
            "    for each i (row):",
            "        if not the last row: store C; delete C",
            "    if the last i:",
            "        for k in [1, end) in tiles of 2: load A[j=0:3]",
            "# bare",
            "(operations yielded one by one)",
        ]
    )
    assert str(compute("P", "S", i=(0, 2), j=(1, 3))) == "compute P[i=0:2, j=1:3] replacing S"


def test_helpers_flatten() -> None:
    nested = loop(
        "i", 2, None, [load("A", "B"), (None, [[compute("C")]])], store("C") if FAMILY is None else ()
    )
    assert [str(node) for node in nested.body] == ["load A", "load B", "compute C"]
    assert program(nested).phases[0].body == (nested,)


@pytest.mark.parametrize("seed", range(12))
def test_walk_against_the_references_walk(seed: int) -> None:
    case = case_of(seed)
    nodes, family = case.program, case.family
    for array in family.arrays:
        mine = [
            (done.operation, done.path, tuple(done.tiles.get(x, (0, family.extents[x])) for x in array.axes))
            for done in executions(nodes, family)
        ]
        assert [
            (step.operation, step.path, step.box(array.name, family)) for step in walk(nodes, family)
        ] == mine


def test_conditions_by_hand() -> None:
    nodes = text(
        loop("i", 4, loop("i", 2, when(not_first("i"), when(last("row"), load("A"))), label="row")),
        loop("k", 7, when(first("k"), when(last("k"), load("B")))),
    )
    steps = [(str(step.operation), step.path, step.box("A", FAMILY)[0]) for step in walk(nodes, FAMILY)]
    assert steps == [
        ("load A", (("i", 1, 3), ("row", 1, 2)), (6, 8)),
        ("load A", (("i", 2, 3), ("row", 0, 1)), (8, 9)),
        ("load B", (("k", 0, 1),), (0, 9)),
    ]


def test_programs_are_values() -> None:
    one, other = (text(loop("i", 2, load("A"), when(first("i"), store("C")))) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != text(loop("i", 3, load("A"), when(first("i"), store("C"))))
    assert isinstance(one.phases[0].body[0], Loop)
    assert Operation("load", "A") == load("A")[0]
