"""The language: its text, what it refuses, and its walk against the reference's."""

from __future__ import annotations

import pytest

from pebble.common.errors import InvalidInput
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
    tile_at,
    tile_count,
    validate,
    walk,
    when,
)
from pebble.program.counting.run import run
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


def test_an_empty_part_is_printed_as_it_is() -> None:
    assert str(text(loop("i", 1, load("A"), stop=0))) == "for each i in [0, 0): load A"


def test_helpers_flatten() -> None:
    nested = loop(
        "i", 2, None, [load("A", "B"), (None, [[compute("C")]])], store("C") if FAMILY is None else ()
    )
    assert [str(node) for node in nested.body] == ["load A", "load B", "compute C"]
    assert program(nested).phases[0].body == (nested,)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ((loop("x", 1, load("A")),), "has axes i, j, k"),
        ((loop("i", 0, load("A")),), "must be at least 1"),
        ((loop("i", -2, load("A")),), "must be at least 1"),
        ((load("X"),), "no array 'X'"),
        ((compute("A"),), "is an input"),
        ((compute("C", "A"),), "same axes"),
        ((compute("C", "C"),), "same axes"),
        ((when(first("i"), load("A")),), "no enclosing loop"),
        ((loop("i", 1, load("A"), label="row"), when(first("row"), load("A"))), "no enclosing loop"),
        ((loop("i", 1, when(last("j"), load("A"))),), "no enclosing loop"),
        ((loop("i", 1, loop("i", 1, load("A"))),), "both called"),
        ((loop("i", 1, loop("j", 1, load("A"), label="i")),), "both called"),
        ((loop("i", 3, loop("i", 1, load("A"), start=1, label="row")),), "part of i"),
        ((loop("i", 3, loop("i", 1, load("A"), stop=1, label="row")),), "part of i"),
        ((loop("i", 3, loop("j", 1, loop("i", 1, load("A"), stop=1, label="row"))),), "part of i"),
        ((loop("i", 1, load("A"), start=-1),), "the axis has 9"),
        ((loop("i", 1, load("A"), stop=10),), "the axis has 9"),
        ((loop("i", 1, load("A"), start=5, stop=4),), "the axis has 9"),
        ((loop("i", 1, load("A"), start=10),), "the axis has 9"),
        ((load("A", i=(0, 10)),), "not an interval"),
        ((load("A", i=(3, 3)),), "not an interval"),
        ((load("A", i=(-1, 3)),), "not an interval"),
        ((load("A", j=(0, 1)),), "not an interval"),
        ((load("B", z=(0, 1)),), "not an interval"),
        ((loop("i", 1, load("A", i=(0, 1))),), "cannot be inside a loop"),
        ((loop("k", 1, compute("C", k=(0, 1))),), "cannot be inside a loop"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_programs_that_make_no_sense(nodes: tuple[Nodes, ...], words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        validate(text(*nodes), FAMILY)
    assert words in str(caught.value)
    with pytest.raises(InvalidInput):
        run(text(*nodes), FAMILY)
    with pytest.raises(InvalidInput):
        validate(program(phase("", loop("j", 2, *nodes, label="outer"))), FAMILY)


def test_edges_of_what_makes_sense() -> None:
    for nodes in (
        loop("i", 1, load("A"), start=9),
        loop("i", 1, load("A"), stop=0),
        loop("i", 1, load("A"), start=0, stop=9),
        loop("i", 100, load("A")),
        load("A", i=(0, 9), k=(6, 7)),
        (loop("i", 1, load("A")), loop("i", 1, delete("A"))),
    ):
        validate(text(nodes), FAMILY)


def test_tiles() -> None:
    for start, stop, tile in [(0, 9, 1), (0, 9, 2), (3, 9, 4), (0, 9, 9), (0, 9, 20), (4, 4, 3)]:
        tiles = [tile_at(start, stop, tile, index) for index in range(tile_count(start, stop, tile))]
        assert [i for a, b in tiles for i in range(a, b)] == list(range(start, stop))
        assert all(b - a == tile for a, b in tiles[:-1])


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
