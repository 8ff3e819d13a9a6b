"""The machine refuses exactly what the rules refuse, says where, and counts what the reference counts."""

from __future__ import annotations

import pytest

from pebble.common.errors import InvalidInput, Violation
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.program import (
    Node,
    Nodes,
    Program,
    compute,
    delete,
    last,
    load,
    loop,
    not_first,
    phase,
    program,
    store,
    when,
)
from pebble.program.counting.run import run
from tests.program.differences import place_of
from tests.program.named_cases import attention
from tests.program.program_reference import refer
from tests.program.random_families import crossed_family
from tests.program.random_programs import (
    relabelled,
)

PRODUCT = matmul_family(3, 2, 4)
ROW = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"))


def text(*nodes: Nodes) -> Program:
    return program(phase("", *nodes))


RULES: list[tuple[str, str, tuple[Nodes, ...], int | None]] = [
    ("load-needs-blue", "load C on C[0:3, 0:2] (outside all loops)", (load("C"),), None),
    ("store-needs-red", "store A on A[0:3, 0:4] (outside all loops)", (store("A"),), None),
    ("delete-needs-red", "delete B on B[0:4, 0:2] (outside all loops)", (delete("B"),), None),
    ("compute-needs-predecessors", "; B is read", (load("A"), compute("C")), None),
    (
        "compute-needs-predecessors",
        "it has got to 0",
        (loop("k", 1, load("A", "B"), when(not_first("k"), compute("C")), delete("A", "B")),),
        None,
    ),
    ("one-partial-result", "chain starts anew", (load("A", "B"), compute("C"), compute("C")), None),
    ("memory-full", "holds 12 of 19 words, and this needs 8 more", (load("A", "B"),), 19),
    ("memory-full", "holds 20 of 26 words, and this needs 7 more", (load("A", "B"), compute("C")), 26),
    ("output-missing", "not all of C is in slow memory", (loop("i", 1, ROW, delete("C")),), None),
]


@pytest.mark.parametrize(("rule", "words", "nodes", "M"), RULES, ids=lambda value: str(value)[:30])
def test_each_rule_is_enforced(rule: str, words: str, nodes: tuple[Nodes, ...], M: int | None) -> None:
    for induction in (True, False):
        with pytest.raises(Violation) as caught:
            run(text(*nodes), PRODUCT, M, induction=induction)
        assert caught.value.rule == rule
        assert words in str(caught.value)
    assert refer(text(*nodes), PRODUCT, M).broken == {rule}


def test_another_partial_result_is_not_loaded_over_the_one_held() -> None:
    half = loop("k", 2, load("A", "B"), compute("C"), delete("A", "B"), stop=2)
    rest = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"), start=2)
    with pytest.raises(Violation, match="another partial result") as caught:
        run(text(half, store("C"), rest, load("C")), PRODUCT)
    assert caught.value.rule == "one-partial-result"
    assert run(text(half, store("C"), delete("C"), load("C"), rest, store("C")), PRODUCT).io == 20 + 3 * 6


def test_replacing_needs_the_whole_box_present_or_absent() -> None:
    family = crossed_family(3, 1, 1)
    scores = (load("X", "Y", "w"), compute("S"))
    part = (*scores, compute("P", i=(0, 1)), compute("P", "S"))
    with pytest.raises(Violation, match="must be all or none") as caught:
        run(text(*part), relabelled(family, ()))
    assert caught.value.rule == "whole-box"


def test_a_violation_names_the_first_refused_iteration_among_many() -> None:
    family = relabelled(matmul_family(2, 1, 60), ())
    growing = text(loop("i", 1, loop("k", 1, load("A"))))
    with pytest.raises(Violation) as caught:
        run(growing, family, 100)
    assert place_of(str(caught.value)) == "load A (i iteration 1 of 2, k iteration 40 of 60)"
    assert run(growing, family, 120).peak == 120


DOT = Family(
    "dot",
    (Array("x", ("k",)), Array("y", ("k",)), Array("s", (), chain="k", operands=("x", "y"), output=True)),
    {"k": 7},
    {"k": "n"},
    {},
)


def test_an_array_of_a_single_word() -> None:
    steps: Node = loop("k", 1, load("x", "y"), compute("s"), delete("x", "y"))
    assert run(text(steps, store("s")), DOT).peak == 4


def test_a_masked_chain_cannot_replace() -> None:
    replaced = loop("j", 1, compute("U", "Q"))
    with pytest.raises(InvalidInput):
        run(text(load("Q"), replaced), attention(3, 3, mask="causal"))


@pytest.mark.parametrize("induction", [True, False])
def test_of_moments_as_full_as_each_other_the_first_says_what_is_held(induction: bool) -> None:
    one, other = (loop(axis, 1, load(name), delete(name)) for axis, name in (("i", "Q"), ("j", "K")))
    found = run(program(phase("", one), phase("", other)), attention(4, 4), induction=induction)
    assert found.peak_words == {"Q": 1}


@pytest.mark.parametrize("induction", [True, False])
def test_behind_a_loop_of_the_same_label_a_condition_is_on_the_one_around_again(induction: bool) -> None:
    """The first tile of two keys has no keys before it, and the last tile of four has none behind it."""
    inner = loop("j", 2, when(not_first("j"), load("K"), delete("K")), label="j")
    nest = loop("i", 8, loop("j", 4, inner, when(last("j"), load("Q"), delete("Q"))))
    found = run(program(nest), attention(8, 8, mask="causal"), induction=induction)
    assert (found.reads["Q"], found.reads["K"]) == (8, 6)
